"""TREC's relevance judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rulerank.export.export import Export
from rulerank.export.formats.base import Format, bytes_of, formats
from rulerank.export.lines import Pieces, cut

_NO_BLANKS = bytes(set(range(256)) - set(b" \t\n\r\v\f"))


@formats.register("qrels", "TREC qrels")
class Qrels(Format):
    """Grades as trec_eval reads them, `qid 0 docid grade`; a document without docid goes by its row, as row17.

    >>> from rulerank.collection import Collection
    >>> from rulerank.export.export import Export
    >>> collection = Collection.from_arrays([[0.5], [0.25]], ["q1", "q1"], [2, 0], docids=["a", "b"])
    >>> name, data = next(Qrels().files(Export.prepare(collection)))
    >>> name
    'qrels.txt'
    >>> print(data.decode(), end="")
    q1 0 a 2
    q1 0 b 0
    """

    def names(self, export: Export) -> list[str]:
        """Return the file's name."""
        return ["qrels.txt"]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the file."""
        lines = [f"{qid} 0 {docid} {grade}\n" for qid, docid, grade in zip(*_judged(export), strict=True)]
        yield "qrels.txt", cut(bytes_of("".join(lines)))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare the judgements with the grades, query by query and document by document."""
        qids, ids, grades = _judged(export)
        words = data.split()
        if (
            data.translate(None, _NO_BLANKS) != b"   \n" * (len(words) // 4)
            or words[1::4].count(b"0") != len(words) // 4
        ):
            return [f"{name}: a line is not 'qid 0 docid grade'"]
        meant = (map(bytes_of, qids), map(bytes_of, ids), (b"%d" % grade for grade in grades))
        same = all(words[place::4] == list(texts) for place, texts in zip((0, 2, 3), meant, strict=True))
        return [] if same else [f"{name}: the judgements are not the grades of the collection"]

    def conflicts(self, export: Export) -> list[str]:
        """Find documents that qrels would take for one and the same."""
        qids, ids, _ = _judged(export)
        counts = Counter(zip(qids, ids, strict=True))
        twice = [pair for pair, count in counts.items() if count > 1]
        if not twice:
            return []
        qid, docid = twice[0]
        return [
            f"qrels.txt: {len(twice)} docids stand for several documents of their query, first {docid} of query {qid}; "
            "make them distinct, or leave the qrels out"
        ]


def _judged(export: Export) -> tuple[list[str], list[str], list[int]]:
    """Return qid, docid and grade of every graded document."""
    rows = export.graded
    qids, grades = export.collection.qids[rows].tolist(), export.collection.grades[rows].tolist()
    return qids, [export.ids[row] for row in rows.tolist()], grades

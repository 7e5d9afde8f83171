"""TREC's relevance judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rulerank.export.export import Export
from rulerank.export.formats.base import Format, bytes_of, formats, text_of


@formats.register("qrels", "TREC qrels")
class Qrels(Format):
    """Grades as trec_eval reads them, `qid 0 docid grade`; a document without docid goes by its row, as row17."""

    def names(self, export: Export) -> list[str]:
        """Return the file's name."""
        return ["qrels.txt"]

    def files(self, export: Export) -> Iterator[tuple[str, bytes]]:
        """Give the file."""
        qids, ids, grades = export.collection.qids, export.ids, export.collection.grades.tolist()
        lines = (f"{qids[row]} 0 {ids[row]} {grades[row]}\n" for row in export.graded.tolist())
        yield "qrels.txt", bytes_of("".join(lines))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare the judgements with the grades, query by query and document by document."""
        lines = [line.split() for line in data.split(b"\n")[:-1]]
        if any(len(line) != 4 or line[1] != b"0" for line in lines):
            return [f"{name}: a line is not 'qid 0 docid grade'"]
        found = [(text_of(qid), text_of(docid), text_of(grade)) for qid, _, docid, grade in lines]
        rows = export.graded.tolist()
        collection = export.collection
        meant = [(collection.qids[row], export.ids[row], str(collection.grades[row])) for row in rows]
        return [] if found == meant else [f"{name}: the judgements are not the grades of the collection"]

    def conflicts(self, export: Export) -> list[str]:
        """Find documents that qrels would take for one and the same."""
        rows = export.graded.tolist()
        counts = Counter((export.collection.qids[row], export.ids[row]) for row in rows)
        twice = [pair for pair, count in counts.items() if count > 1]
        if not twice:
            return []
        qid, docid = twice[0]
        return [
            f"qrels.txt: {len(twice)} docids stand for several documents of their query, first {docid} of query {qid}; "
            "make them distinct, or leave the qrels out"
        ]

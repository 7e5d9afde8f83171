"""What goes along with a bundle by itself: the map of numbered queries, and the evaluation set with its script."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

from rulerank.export.cells import check_letor
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, bytes_of, text_of
from rulerank.export.lines import Pieces, cut
from rulerank.letor import write_letor

MAP, EVALUATION, SCRIPT = "queries.tsv", "evaluation.txt", "measure.py"
SCORES = "evaluation-scores.txt"
_SOURCE = Path(__file__).with_name(SCRIPT)
_LINE = 'CONVENTION = "letor"'


def completed(export: Export, chosen: list[Format]) -> list[Format]:
    """Return the formats that were chosen, and what goes along with them."""
    along: list[Format] = []
    if export.evaluation is not None:
        along.append(EvaluationSet())
    if export.numbers is not None and any(each.has_queries for each in [*chosen, *along]):
        along.append(QueryNumbers())
    return [*chosen, *along]


class QueryNumbers(Format):
    """Which number stands for which query in the LETOR files: a header, then number and qid, with a tab between.

    >>> from rulerank.collection import Collection
    >>> collection = Collection.from_arrays([[0.5], [0.25]], ["zip-folder", "csv"], [2, 0])
    >>> export = Export.prepare(collection, numbered=True)
    >>> dict(QueryNumbers().files(export))["queries.tsv"].split()
    [b'number', b'qid', b'1', b'zip-folder', b'2', b'csv']
    >>> print(export.text.decode(), end="")
    2 qid:1 1:0.5
    0 qid:2 1:0.25
    """

    name, label = "queries", "Numbers of queries"
    loading = """\
        names = pandas.read_csv("queries.tsv", sep="\\t", quoting=3, dtype={"qid": str}, keep_default_na=False)
        """

    def names(self, export: Export) -> list[str]:
        """Return the file's name."""
        return [MAP]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the file."""
        lines = (f"{number}\t{qid}\n" for qid, number in (export.numbers or {}).items())
        yield MAP, cut(bytes_of("".join(["number\tqid\n", *lines])))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Read the map again, and compare it with the numbers that the files have."""
        header, *rows = [tuple(line.split("\t")) for line in text_of(data).split("\n")]
        meant = [(str(number), qid) for qid, number in (export.numbers or {}).items()]
        same = header == ("number", "qid") and rows == [*meant, ("",)]
        return [] if same else [f"{name}: the numbers are not those of the queries"]


class EvaluationSet(Format):
    """The documents that Progress measures on, which nobody labels, in LETOR form, and what the campaign's ranker says.

    `python measure.py` computes Progress's MAP again, from evaluation-scores.txt: one score per line of evaluation.txt,
    from the campaign's ranker and all labels. `python measure.py FILE` reads the scores of any other trainer. It needs
    numpy alone.
    """

    name, label = "evaluation", "Evaluation set, with measure.py"
    has_queries = True
    loading = """\
        import numpy
        import sklearn.datasets
        held, _ = sklearn.datasets.load_svmlight_file("evaluation.txt", n_features={features})
        scores = held @ numpy.ones({features})  # put your own model's scores here, one per line of evaluation.txt
        # for a model of LightGBM, which counts features from 0, load evaluation.txt with
        # zero_based=True, n_features=model.num_feature()
        numpy.savetxt("scores.txt", scores, fmt="%.17g")
        # then, in a shell: python measure.py scores.txt
        """

    def names(self, export: Export) -> list[str]:
        """Return the names of the documents, of the script, and of the scores if there are any."""
        return [EVALUATION, SCRIPT] if export.scores is None else [EVALUATION, SCRIPT, SCORES]

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give the files."""
        out = io.BytesIO()
        write_letor(export.letor_evaluation, out)
        yield EVALUATION, cut(out.getvalue())
        yield SCRIPT, cut(script(export.convention))
        if export.scores is not None:
            yield SCORES, cut("".join(f"{score!r}\n" for score in export.scores).encode())

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Compare the documents with those meant, bit for bit; and the script with its source."""
        if name == SCRIPT:
            return [] if data == script(export.convention) else [f"{name}: the script is not the one that was meant"]
        if name == SCORES:
            same = tuple(map(float, data.split())) == export.scores
            return [] if same else [f"{name}: the scores are not those of the ranker"]
        return check_letor(name, data, export.letor_evaluation)


def script(convention: str) -> bytes:
    """Return measure.py for a convention."""
    source = _SOURCE.read_text("utf-8")
    assert source.count(_LINE) == 1
    return source.replace(_LINE, f"CONVENTION = {json.dumps(convention)}").encode()

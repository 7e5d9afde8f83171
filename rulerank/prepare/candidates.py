"""Candidates: for each query the documents that are worth a label, from BM25, from given runs and from judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.progress import Progress, silent
from rulerank.text.corpus import Corpus

K1, B = 1.2, 0.75
AT_ONCE = 1000


class Search:
    """BM25 over the whole text of documents, by bm25s (X. Lu, "BM25S", 2024): scores are made when it is built."""

    def __init__(self, corpus: Corpus, *, progress: Progress = silent) -> None:
        """Build the index; `progress(done, total)` may raise to stop."""
        import bm25s  # type: ignore[import-untyped]  # noqa: PLC0415 (only this class needs it)

        begins, ends = corpus.bounds("whole")
        documents = _Reported(
            [corpus.tokens[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)],
            progress,
        )
        # bm25s knows a word by its number; an empty one more stands for queries without any.
        self._index = bm25s.BM25(method="lucene", k1=K1, b=B)
        numbers = {str(number): number for number in range(len(corpus.vocabulary))}
        self._index.index((documents, numbers), show_progress=False)
        self._corpus = corpus

    def scores(self, terms: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the BM25 of every document for a query's terms; one that is repeated counts as often."""
        known = [number for number in self._corpus.numbers(terms).tolist() if number >= 0]
        if not known:
            return np.zeros(len(self._corpus), np.float32)
        found: npt.NDArray[np.float32] = self._index.get_scores_from_ids(known)
        return found

    def top(self, terms: Sequence[str], count: int) -> list[str]:
        """Return the docids of the best documents that hold any term; equal scores by the documents' order."""
        scores = self.scores(terms)
        count = min(count, int(np.count_nonzero(scores > 0)))
        if not count:
            return []
        # All that reach the score of the last place, so that it does not depend on the partition which of them stay.
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        found = np.flatnonzero(scores >= least)
        ordered = found[np.argsort(-scores[found], kind="stable")][:count]
        return [self._corpus.docids[place] for place in ordered.tolist()]


class _Reported(list[Any]):
    """Documents that report how far a reader is; bm25s goes through them twice."""

    def __init__(self, documents: Sequence[Any], progress: Progress) -> None:
        super().__init__(documents)
        self._progress = progress
        self._rounds = 0

    def __iter__(self) -> Iterator[Any]:
        before = min(self._rounds, 2) * len(self)
        self._rounds += 1
        for place, document in enumerate(super().__iter__()):
            if self._progress and place % AT_ONCE == 0:
                self._progress(min(before + place, 3 * len(self)), 3 * len(self))
            yield document


def pool(
    qid: str,
    ranked: Sequence[str],
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    judged: Mapping[str, int],
    count: int,
    corpus: Corpus,
) -> list[str]:
    """Return the candidates of a query: the first `count` of BM25 and of every run, and all judged documents.

    They come in the order of the documents, which tells nothing about their grades.
    """
    chosen = set(ranked[:count]) | set(judged)
    for run in runs.values():
        chosen.update(run.get(qid, ())[:count])
    return sorted((docid for docid in chosen if docid in corpus.places), key=corpus.places.__getitem__)


def average_precision(ranked: Sequence[str], judged: Mapping[str, int]) -> float:
    """Return the average precision of a ranking: the denominator counts every relevant document, as trec_eval does."""
    relevant = {docid for docid, grade in judged.items() if grade > 0}
    found, total = 0, 0.0
    for place, docid in enumerate(ranked, 1):
        if docid in relevant:
            found += 1
            total += found / place
    return total / len(relevant)

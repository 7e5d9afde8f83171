"""What is measured, in one word: metric, cut-off, convention, ties and reader, read from and printed as NDCG@10."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rulerank.errors import InputError
from rulerank.metrics.audience import Audience, user_label, user_named, users_in_order
from rulerank.metrics.conventions import conventions
from rulerank.metrics.inputs import check_k
from rulerank.metrics.metric import mean_over_queries
from rulerank.metrics.rankings import rank
from rulerank.registry import metrics
from rulerank.strategy import Strategy, as_text

CUT_OFFS = tuple(range(1, 11))
"""The cut-offs that are always measured, and that screens offer."""

MOST_CUT_OFF = 1000

EXPECTED = "expected "
"""Before a measure's name: its exact mean over all orders of documents with equal scores, not the file's order."""

USUAL = ("map", "ndcg", "precision", "mrr")
"""What screens offer first; ERR and its readers follow, then the other registered metrics."""


@dataclass(frozen=True)
class Measure:
    """A registered metric, and all that its value rests on.

    metric: its name, and parameters where they are not the usual ones, as `Strategy.key` has them. cut: of metrics
    that have cut-offs, one of them. convention: as in `rulerank.metrics.conventions`. expected: ties are averaged over
    all their orders, instead of kept in the convention's order. reader: the user of an `Audience` whose ERR it is
    (`err_ia`); the metric is `err` then.

    `name` stands in files (`ndcg@10`), `key` among the values of a point (`expected ndcg@10`), `str` on screens
    (NDCG@10), and `words` says the rest; `parse` reads the first three. Of a metric with a parameter p they are
    `rbp:p=0.5@10` and RBP(p=0.5)@10.

    >>> measure = Measure.parse("NDCG@10")
    >>> measure.name, str(measure), str(Measure.parse("precision@5")), str(Measure.parse("err_ia"))
    ('ndcg@10', 'NDCG@10', 'P@5', 'ERR-IA')
    >>> Measure.parse("expected map", convention="trec").words
    'TREC (trec_eval), equal scores averaged over all orders'
    """

    metric: str
    cut: int | None = None
    convention: str = "letor"
    expected: bool = False
    reader: str = ""

    @classmethod
    def parse(cls, text: str, *, convention: str = "letor", expected: bool = False) -> Self:
        """Read `map`, `ndcg@10`, `precision@5` (or `P@5`), `err_ia` (or ERR-IA); before it, perhaps `expected`.

        Parameters follow the metric's name as a strategy's do, or in brackets: `rbp:p=0.5@10`, RBP(p=0.5)@10.
        """
        written = str(text).strip()
        expected = expected or written.startswith(EXPECTED)
        rest = written.removeprefix(EXPECTED).strip()
        start, at, cut = rest.partition("@")
        word, values = _taken_apart(start)
        names = {entry.value.short.lower(): entry.name for entry in metrics} | {name: name for name in metrics.names()}
        reader = user_named(rest)
        if reader is not None and start.lower() not in names:
            return cls("err", None, convention, expected, reader)
        found = metrics[names.get(word, word)]  # an unknown name is refused here, with those that there are
        asked = Strategy.parse(":".join([found.name, *values]))
        if asked.seeds is not None:
            raise InputError(f"{text!r}: a metric has no seeds")
        usual = {param.name: param.default for param in found.params}
        changed = {name: value for name, value in asked.check(metrics).params.items() if value != usual[name]}
        key = Strategy(found.name, changed).key
        if found.cutoffs != bool(at):
            raise InputError(f"{text!r}: write {key}@10 for its value at 10" if found.cutoffs else f"{key} has no @")
        if not at:
            return cls(key, None, convention, expected)
        if not cut.isdecimal() or not 1 <= int(cut) <= MOST_CUT_OFF:
            raise InputError(f"{text!r}: the cut-off must be a whole number from 1 to {MOST_CUT_OFF}")
        return cls(key, int(cut), convention, expected)

    @property
    def strategy(self) -> Strategy:
        """The metric as a strategy: its registered name, and the parameters that differ from the defaults."""
        return Strategy.parse(self.metric)

    @property
    def name(self) -> str:
        """The name in files and tables."""
        return self.reader or (self.metric if self.cut is None else f"{self.metric}@{self.cut}")

    @property
    def key(self) -> str:
        """The name among the values of a point, which tells ties apart."""
        return f"{EXPECTED if self.expected else ''}{self.name}"

    def __str__(self) -> str:
        if self.reader:
            return user_label(self.reader)
        given = self.strategy.params
        values = ", ".join(f"{name}={as_text(given[name])}" for name in sorted(given))
        short = str(metrics[self.strategy.name].short) + (f"({values})" if values else "")
        return short if self.cut is None else f"{short}@{self.cut}"

    @property
    def of_one_query(self) -> str:
        """What its value for a single query is called: average precision, where MAP is the mean of several."""
        single = "" if self.reader or self.strategy.params else metrics[self.metric].of_one_query
        return str(single or self)

    @property
    def words(self) -> str:
        """The convention, and what is done with equal scores; ERR of readers has a definition of its own."""
        kept = conventions[self.convention]
        ties = "equal scores in file order"
        if self.expected:
            ties = "equal scores averaged over all orders"
        elif kept.docids_break_ties:
            ties = "equal scores with the later row first"
        return f"{'Eq. 1 of Drutsa et al. (2016), whole lists' if self.reader else kept.label}, {ties}"


def _taken_apart(text: str) -> tuple[str, list[str]]:
    """Return the name, in small letters, and the parameters of `rbp:p=0.5` or RBP(p=0.5)."""
    found = re.fullmatch(r"([^:(]*)(?::(.*)|\((.*)\))?", text)
    if found is None:
        return text.lower(), []
    inside = found[2] or found[3]
    return found[1].strip().lower(), re.split(r"\s*[:,]\s*", inside) if inside else []


def offered(cut_offs: Sequence[int] = CUT_OFFS, readers: Audience | None = None) -> list[Measure]:
    """Return the measures to choose from: every registered metric at these cut-offs, and ERR of all able readers.

    >>> [str(measure) for measure in offered([5])]
    ['MAP', 'NDCG@5', 'P@5', 'MRR', 'ERR', 'MeanNDCG']
    """
    able = users_in_order(readers.able) if readers else ["err"]
    err = [Measure("err", reader=name if readers else "") for name in able]
    others = [name for name in metrics.names() if name not in (*USUAL, "err")]
    usual, more = ([each for name in names for each in at_cut_offs(name, cut_offs)] for names in (USUAL, others))
    return [*usual, *err, *more]


def at_cut_offs(metric: str, cut_offs: Sequence[int] = CUT_OFFS) -> list[Measure]:
    """Return a metric (`Measure.metric`) at these cut-offs, or as it is where it has none.

    >>> [str(measure) for measure in at_cut_offs("precision", [1, 5])], [str(measure) for measure in at_cut_offs("map")]
    (['P@1', 'P@5'], ['MAP'])
    """
    has_cut_offs = metrics[Strategy.parse(metric).name].cutoffs
    return [Measure(metric, cut) for cut in (cut_offs if has_cut_offs else (None,))]


def evaluate(
    grades: Any,
    scores: Any,
    qids: Iterable[Any],
    convention: str = "letor",
    *,
    k: int = 10,
    docids: Iterable[Any] | None = None,
    max_grade: int | None = None,
    others: Iterable[str] = (),
) -> dict[str, Any]:
    """Return the mean of every metric over the queries, beside its expected value over random tie-breaks.

    `grades` are whole numbers, -1 for an unlabelled document (it counts as not relevant); `scores` are
    finite, and higher is better; `qids` are of any hashable kind, and a query's rows need not stand together.
    `docids` serve the `trec` convention alone, to order equal scores. `max_grade` is the best grade that ERR
    reckons with: the largest grade in the data unless given, so give it where two evaluations are compared.
    `others` are metrics with other parameters than the usual ones (`Measure.metric`), each a key more.
    `rulerank.metrics.conventions` says what the conventions `letor`, `letor3`, `letor4` and `trec` mean.

    | key | value |
    | --- | --- |
    | `map`, `mrr`, `err`, `mean_ndcg` | the mean over the queries |
    | `ndcg`, `precision` | list of k means, at the cut-offs 1..k |
    | `expected` | the same keys: the exact mean over all orders of the documents with equal scores |
    | `per_query` | the same keys and `expected`, as arrays with one row per query; `qids`, first seen first |
    | `convention`, `convention_label`, `k`, `max_grade` | what the values rest on |
    | `documents`, `unlabelled`, `queries`, `queries_without_relevant` | counts |

    A query without a relevant document counts as 0 and stays in every mean, so with none in any query all
    values are 0 and `queries_without_relevant` equals `queries`. With no document at all nothing is defined,
    which is an InputError.
    """
    k = check_k(k)
    rankings = rank(grades, scores, qids, convention=convention, docids=docids, max_grade=max_grade)
    means: dict[str, Any] = {}
    expected_means: dict[str, Any] = {}
    per_query: dict[str, Any] = {"qids": rankings.qids}
    expected_per_query: dict[str, Any] = {}
    for key in dict.fromkeys([*metrics.names(), *others]):
        asked = Strategy.parse(key).check(metrics)
        values, expected = metrics[asked.name].measure(rankings, k, **asked.params)
        per_query[key], expected_per_query[key] = values, expected
        means[key] = mean_over_queries(values).tolist()
        expected_means[key] = mean_over_queries(expected).tolist()
    return {
        "convention": convention,
        "convention_label": rankings.convention.label,
        "k": k,
        "max_grade": rankings.max_grade,
        "documents": len(rankings.grades),
        "unlabelled": rankings.unlabelled,
        "queries": len(rankings.qids),
        "queries_without_relevant": int(np.count_nonzero(rankings.relevant == 0)),
        **means,
        "expected": expected_means,
        "per_query": {**per_query, "expected": expected_per_query},
    }

"""Sum the confidences of documents' rules, and turn the sums into p(r|d) (eq. 1 and 2 of the ranking papers)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rulerank.errors import MemoryLimitError
from rulerank.kernels import in_parts, kernel, over_rows, workers
from rulerank.rules.confidences import fixed_confidence, projection_sizes, scale_for, sum_confidences
from rulerank.rules.items import Ints, Items, antecedents
from rulerank.rules.masks import ONE, popcount


@kernel
def _fill_shares(sums, numbers, start, stop, scale, offset, whole, prior, shares):
    """Fill shares[u] of documents start..stop: mean confidences of each class, divided by their sum."""
    width = prior.size
    for u in range(start, stop):
        total = 0.0
        for c in range(width):
            # A mean over all antecedents has the same divisor for every class, which the shares do without.
            score = sums[u, c] / (scale if whole else max(numbers[u, c] + offset, 1) * scale)
            shares[u, c] = score
            total += score
        for c in range(width):
            shares[u, c] = shares[u, c] / total if total > 0.0 else prior[c]


def class_shares(
    found: RuleSums, prior: npt.NDArray[np.float64], offset: int = 0, *, whole: bool = False
) -> npt.NDArray[np.float64]:
    """Return p(r|d), documents by the classes of `prior`; a document without any rule gets `prior`.

    Classes beyond the prior's have no labelled document left, hence no rule. `offset` as in `RuleSums.scores`. `whole`
    averages a class's confidences over all antecedents, 0 where one has no rule for it, and not over its rules alone.
    """
    shares = np.empty((len(found.sums), prior.size))
    over_rows(
        lambda start, stop: _fill_shares(
            found.sums, found.numbers, start, stop, float(found.scale), int(offset), whole, prior, shares
        ),
        len(shares),
    )
    return shares


BLOCK_LIMIT = 2 * 1024**3


@dataclass(frozen=True)
class Thresholds:
    """Which rules count: least support (a count), least confidence, and least share of the projection."""

    support: int = 1
    confidence: float = 0.001
    projection_share: float = 0.0


@dataclass(frozen=True)
class Stability:
    """Which rules are stable: queries as first rows of the labelled set, and the reading of Definition 4.2."""

    starts: Ints
    phi: float
    error: float = 0.0
    least: int = 1
    share: float = 1.0


@dataclass(frozen=True)
class RuleSums:
    """Sums of confidences and numbers of rules, documents by classes; `scale` is the unit of the sums."""

    sums: Ints
    numbers: Ints
    scale: int

    def scores(self, offset: int = 0) -> npt.NDArray[np.float64]:
        """Return s(d, r): the mean confidence of the rules that predict r (eq. 1), 0 where there is none.

        `offset` is added to the number of rules; the authors' program divides by the number plus 1.
        """
        return self.sums / (np.maximum(self.numbers + offset, 1) * float(self.scale))


def rule_sums(
    labelled: Items,
    classes: Ints,
    width: int,
    pool: Items,
    *,
    max_antecedent: int = 2,
    thresholds: Thresholds | None = None,
    stability: Stability | None = None,
    limit: int = BLOCK_LIMIT,
) -> RuleSums:
    """Return the confidence sums of each pool document's rules (both matrices: features by documents).

    `classes` are the consequents, numbered 0 to width - 1: grades for the rankers, queries for X -> q.
    """
    thresholds = thresholds or Thresholds()
    features, documents = pool.shape
    bins = np.maximum(labelled.max(axis=1, initial=0), pool.max(axis=1, initial=0)).astype(np.int64) + 1
    most = int(bins.max(initial=1))
    room = most * most if max_antecedent >= 2 else most
    if max_antecedent >= 3:
        room = max(room, min(labelled.shape[1], most * most) * most)
    parts = min(workers(), features)
    cell = 12 * width + 4 + (20 * (width + 1) if stability else 0)
    needed = parts * (room * cell + documents * 16 * width + 48 * max(labelled.shape[1], documents))
    if needed > limit:
        raise MemoryLimitError(
            f"scoring would take {needed / 1e6:,.0f} MB, more than its limit of {limit / 1e6:,.0f} MB; "
            "score fewer documents at a time, use fewer bins, or max_antecedent=2"
        )
    # One array layout for every caller, so that the kernels are compiled once.
    labelled, pool = np.ascontiguousarray(labelled), np.ascontiguousarray(pool)
    classes = np.ascontiguousarray(classes, np.int64)
    scale = scale_for(antecedents(features, max_antecedent))
    least = np.zeros(0, np.float64)
    if thresholds.projection_share > 0:
        # A hair less, because the product can come out above the whole number that it is.
        least = thresholds.projection_share * projected(labelled, pool) - 1e-9
    starts = stability.starts if stability else np.zeros(0, np.int64)
    chosen = stability or Stability(starts, 0.0)
    sums = np.zeros((parts, documents, width), np.int64)
    numbers = np.zeros((parts, documents, width), np.int64)
    in_parts(
        lambda part, of: sum_confidences(
            labelled,
            classes,
            width,
            pool,
            bins,
            max_antecedent,
            float(scale),
            int(thresholds.support),
            float(thresholds.confidence),
            least,
            starts,
            float(chosen.phi),
            float(chosen.error),
            int(chosen.least),
            float(chosen.share),
            part,
            of,
            sums[part],
            numbers[part],
        ),
        parts,
    )
    return RuleSums(sums.sum(axis=0), numbers.sum(axis=0), scale)


def projected(labelled: Items, pool: Items) -> npt.NDArray[np.float64]:
    """Return the size of each pool document's projection: labelled documents that share an item with it."""
    sizes = np.zeros(pool.shape[1], np.float64)
    over_rows(lambda start, stop: projection_sizes(labelled, pool, start, stop, sizes), pool.shape[1], 256)
    return sizes


FEW = 4
"""Up to so many documents one pass for each is quicker than counting all pairs once."""


@kernel
def _document_sums(
    labelled: Items,
    grades: Ints,
    document: Items,
    width: int,
    size: int,
    scale: float,
    min_count: int,
    min_confidence: float,
    sums: Ints,
    numbers: Ints,
) -> None:
    """Add to sums and numbers (by class) the rules of one document."""
    features, count = labelled.shape
    words = -(-count // 64)
    holds = np.zeros((features, words), np.uint64)  # which labelled documents share the feature's item, a bit each
    graded = np.zeros((width, words), np.uint64)
    for d in range(count):
        graded[grades[d], d >> 6] |= ONE << np.uint64(d & 63)
    for i in range(features):
        for d in range(count):
            holds[i, d >> 6] |= np.uint64(labelled[i, d] == document[i]) << np.uint64(d & 63)
    counts = np.zeros(width, np.int64)
    for i in range(features):
        for j in range(i, features if size >= 2 else i + 1):
            total = 0
            for c in range(width):
                found = np.uint64(0)
                for word in range(words):
                    found += popcount(holds[i, word] & holds[j, word] & graded[c, word])
                counts[c] = np.int64(found)
                total += counts[c]
            for c in range(width):
                value = fixed_confidence(counts[c], max(total, 1), scale, min_count, min_confidence)
                sums[c] += value
                numbers[c] += value > 0


def few_rule_sums(
    labelled: Items, grades: Ints, width: int, documents: Items, *, max_antecedent: int, thresholds: Thresholds
) -> RuleSums:
    """Return what `rule_sums` returns, to the last bit, for a few documents (both matrices: features by documents).

    Antecedents of one or two items; thresholds must be absolute (counts and confidences).
    """
    features, number = documents.shape
    # One array layout for every caller, so that the kernel is compiled once.
    labelled = np.ascontiguousarray(labelled)
    grades = np.ascontiguousarray(grades, np.int64)
    scale = scale_for(antecedents(features, max_antecedent))
    sums = np.zeros((number, width), np.int64)
    numbers = np.zeros((number, width), np.int64)
    for place in range(number):
        _document_sums(
            labelled,
            grades,
            np.ascontiguousarray(documents[:, place]),
            width,
            max_antecedent,
            float(scale),
            int(thresholds.support),
            float(thresholds.confidence),
            sums[place],
            numbers[place],
        )
    return RuleSums(sums, numbers, scale)

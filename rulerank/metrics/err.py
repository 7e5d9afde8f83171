"""Expected reciprocal rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulerank.kernels import kernel
from rulerank.metrics.metric import Values, metric, room
from rulerank.metrics.rankings import Rankings
from rulerank.registry import metrics

# A user who is still looking with a smaller probability than this adds less than a float can show.
_NEGLIGIBLE = 1e-18


@kernel
def _err(grades: NDArray[np.int64], stops: NDArray[np.float64]) -> float:
    looking, total = 1.0, 0.0
    for i in range(len(grades)):
        stop = stops[grades[i]]
        if stop > 0.0:
            total += looking * stop / (i + 1)
            looking *= 1.0 - stop
            if looking < _NEGLIGIBLE:
                break
    return total


@kernel
def _expected_err(
    grades: NDArray[np.int64],
    tie_ends: NDArray[np.int64],
    stops: NDArray[np.float64],
    passes: NDArray[np.float64],
) -> float:
    """Take the exact mean of ERR over all orders of each tie group, without going through them.

    Let m[j] be the mean, over all choices of j documents of the group, of the probability to pass all j (the
    elementary symmetric polynomial divided by the number of choices). In a random order the user stops at the
    j-th document of the group with probability m[j - 1] - m[j]. The n-th document is among j of n with
    probability j / n, so m grows one document at a time:

        m'[j] = (1 - j / n) m[j] + (j / n) (1 - stop) m[j - 1]

    This is a weighted mean, which rounding cannot spoil. By Maclaurin's inequality m[j] <= m[1]^j, which says
    beyond which j no more can come. `passes` is scratch room for one value more than the query has documents.
    """
    looking, total, begin = 1.0, 0.0, 0
    while begin < len(grades) and looking >= _NEGLIGIBLE:
        end = tie_ends[begin]
        size = end - begin
        drawn, mean_stop, all_pass = 0, 0.0, 1.0
        for i in range(begin, end):
            stop = stops[grades[i]]
            drawn += stop == 0.0
            mean_stop += stop / size
            all_pass *= 1.0 - stop
        if drawn < size:
            depth = size
            needed = np.log(_NEGLIGIBLE / looking) / np.log1p(-mean_stop)
            if needed < size:
                depth = min(size, 1 + int(needed))
            # The documents at which nobody stops go first: choices among them are passed with certainty.
            passes[: depth + 1] = 0.0
            passes[: min(drawn, depth) + 1] = 1.0
            for i in range(begin, end):
                stop = stops[grades[i]]
                if stop > 0.0:
                    drawn += 1
                    for j in range(min(drawn, depth), 0, -1):
                        chosen = j / drawn
                        passes[j] = (1.0 - chosen) * passes[j] + chosen * (1.0 - stop) * passes[j - 1]
            for j in range(1, depth + 1):
                total += looking * (passes[j - 1] - passes[j]) / (begin + j)
        looking *= all_pass
        begin = end
    return total


@kernel
def _measure(
    starts: NDArray[np.int64],
    low: int,
    high: int,
    grades: NDArray[np.int64],
    tie_ends: NDArray[np.int64],
    mixed: NDArray[np.bool_],
    stops: NDArray[np.float64],
    values: NDArray[np.float64],
    expected: NDArray[np.float64],
) -> None:
    longest = 0
    for query in range(low, high):
        longest = max(longest, starts[query + 1] - starts[query])
    passes = np.empty(longest + 1, np.float64)
    for query in range(low, high):
        own = grades[starts[query] : starts[query + 1]]
        values[query] = _err(own, stops)
        expected[query] = values[query]
        if mixed[query]:
            expected[query] = _expected_err(own, tie_ends[starts[query] : starts[query + 1]], stops, passes)


@metrics.register("err", "Expected reciprocal rank (ERR)")
@metric("ERR")
def expected_reciprocal_rank(rankings: Rankings, k: int) -> Values:
    """Mean of 1 / position where a user stops who stops at grade g with (2^g - 1) / 2^max_grade.

    Chapelle, Metzler, Zhang and Grinspan (CIKM 2009), eq. 4 and 5, over the whole list.
    """
    stops = (np.exp2(np.arange(rankings.max_grade + 1.0)) - 1.0) / 2.0**rankings.max_grade
    values, expected = room(rankings)
    rankings.over_queries(_measure, stops, values, expected)
    return values, expected

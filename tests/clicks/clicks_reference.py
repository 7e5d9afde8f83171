"""Click models written out session by session in plain Python, to compare with."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from rulerank.clicks import ClickLog, LogBuilder


def sessions_of(log: ClickLog):
    """Yield (query, documents, languages, grades, clicks, count) of every row, as plain lists."""
    for config, pattern, count in zip(log.row_config, log.row_pattern, log.count, strict=True):
        length = int((log.document[config] >= 0).sum())
        yield (
            log.queries[log.query[config]],
            [log.documents[code] for code in log.document[config, :length]],
            log.language[config, :length].tolist(),
            log.grade[config, :length].tolist(),
            [(int(pattern) >> place) & 1 for place in range(length)],
            int(count),
        )


def last_click(clicks) -> int:
    return max((place for place, click in enumerate(clicks, 1) if click), default=0)


def session_likelihood(user, languages, grades, clicks) -> float:
    """P(last click) by walking down the list, for each intent."""
    end = last_click(clicks)
    total = 0.0
    for i, share in enumerate(user.prior):
        chance = share
        for place, (language, grade) in enumerate(zip(languages, grades, strict=True), 1):
            relevance = user.relevance[i, language, grade]
            if place == end:
                chance *= relevance
                break
            chance *= 1 - relevance
        total += chance
    return total


def log_likelihood(user, log) -> float:
    return sum(
        count * math.log(session_likelihood(user, languages, grades, clicks))
        for _, _, languages, grades, clicks, count in sessions_of(log)
    )


def err_of_list(user, languages, grades) -> float:
    """Eq. 1, as it is printed."""
    return sum(
        share
        * sum(
            1 / (k + 1)
            * user.relevance[i, languages[k], grades[k]]
            * math.prod(1 - user.relevance[i, languages[j], grades[j]] for j in range(k))
            for k in range(len(grades))
        )
        for i, share in enumerate(user.prior)
    )  # fmt: skip


def small_log(seed: int = 0, sessions: int = 400, languages=("en", "tr"), grades: int = 3, depth: int = 3) -> ClickLog:
    """A log of every kind of session: lists of different lengths, several clicks, several languages."""
    rng = np.random.default_rng(seed)
    builder = LogBuilder(max_grade=grades - 1, languages=languages)
    for _ in range(sessions):
        length = int(rng.integers(1, depth + 1))
        query = f"q{rng.integers(4)}"
        builder.add(
            query,
            [f"d{number}" for number in rng.choice(8, size=length, replace=False)],
            rng.integers(0, grades, length).tolist(),
            (rng.random(length) < 0.3).astype(int).tolist(),
            [str(name) for name in rng.choice(languages, length)],
        )
    return builder.finish()


def every_list(languages, grades, depth):
    """All sequences of (language, grade) of one depth."""
    return product(product(languages, range(grades)), repeat=depth)

"""Made-up logs: result lists, and users who read them as a model says, in one language or two."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rulerank.clicks.documents import DocumentFit
from rulerank.clicks.likelihood import Floats
from rulerank.clicks.log import DEEPEST, ClickLog, Ints, counted
from rulerank.clicks.predict import fitted_to
from rulerank.clicks.result import Fit
from rulerank.errors import InputError
from rulerank.metrics.intents import IntentUser
from rulerank.progress import Progress, silent

NATIVE, ENGLISH = "native", "english"
BLOCK = 250_000
"""Sessions that are drawn at once."""


def bilingual_user(foreign: float = 0.35) -> IntentUser:
    """Return users of two languages on five grades, as the paper describes them.

    Seven in ten want their native language and three English, with different success. A document in the other
    language satisfies too, `foreign` times as often (0: users of one language each; 1: the language does not matter).
    """
    if not 0 <= foreign <= 1:
        raise InputError(f"foreign is a share from 0 to 1, not {foreign!r}")
    native = np.array([0.02, 0.06, 0.14, 0.28, 0.50])
    english = np.array([0.03, 0.05, 0.10, 0.22, 0.42])
    relevance = np.array([[native, foreign * english], [foreign * native, english]])
    return IntentUser((NATIVE, ENGLISH), (NATIVE, ENGLISH), np.array([0.7, 0.3]), relevance)


def made_up_lists(
    configurations: int = 2_000,
    *,
    depth: int = 5,
    languages: Sequence[str] = (NATIVE, ENGLISH),
    grades: int = 5,
    per_query: int = 4,
    pool: int = 12,
    seed: int = 0,
) -> ClickLog:
    """Return result lists without sessions: for each query a pool of documents, in `per_query` different orders.

    Good documents tend to stand higher, as an engine would have it; languages are mixed within a list, with a
    different mixture for every query.
    """
    if configurations < 1 or per_query < 1 or grades < 2 or not 1 <= depth <= min(pool, DEEPEST):
        raise InputError(f"lists need at least 1 configuration, 2 grades, and 1 to {min(pool, DEEPEST)} results")
    rng, nothing = np.random.default_rng(seed), np.zeros(0, np.int64)
    queries = -(-configurations // per_query)
    mixture = rng.dirichlet(np.full(len(languages), 0.7), size=queries)
    spoken = (rng.random((queries, pool, 1)) > np.cumsum(mixture, axis=1)[:, None, :-1]).sum(axis=2)
    share = np.linspace(2.0, 1.0, grades)
    judged = rng.choice(grades, size=(queries, pool), p=share / share.sum())
    query = np.repeat(np.arange(queries), per_query)[:configurations]
    order = np.argsort(rng.normal(scale=grades / 2, size=(configurations, pool)) - judged[query], axis=1)[:, :depth]
    return ClickLog(
        tuple(f"q{number}" for number in range(queries)),
        tuple(f"d{number}" for number in range(queries * pool)),
        tuple(languages),
        grades - 1,
        query.astype(np.int32),
        (query[:, None] * pool + order).astype(np.int32),
        np.take_along_axis(spoken[query], order, axis=1).astype(np.int32),
        np.take_along_axis(judged[query], order, axis=1).astype(np.int32),
        nothing,
        nothing,
        nothing,
    )


def simulate_log(
    user: IntentUser | Fit | DocumentFit,
    lists: ClickLog,
    sessions: int,
    *,
    seed: int = 0,
    extra: float = 0.0,
    skew: float = 0.0,
    progress: Progress = silent,
) -> ClickLog:
    """Draw sessions one by one: a list, an intent, then results from the top until one satisfies.

    A model by grade says where the user is satisfied; that is the last click. Each result examined above it is clicked
    too with probability `extra`; a user who is never satisfied leaves no click, so that the log's last clicks are
    satisfied ones, as SDBN reads them. The SDBN by document draws attraction and satisfaction of each result instead.
    Lists are drawn evenly, or by Zipf's law with exponent `skew`. `progress` counts sessions.
    """
    if sessions < 1:
        raise InputError(f"at least one session is needed, not {sessions!r}")
    if not 0 <= extra <= 1 or skew < 0:
        raise InputError("extra is a probability, and skew a number from 0 up")
    rng = np.random.default_rng(seed)
    shares = np.arange(1, lists.configurations + 1, dtype=np.float64) ** -skew
    shares = rng.permutation(shares / shares.sum())
    draw = _by_document(user, lists) if isinstance(user, DocumentFit) else _by_intent(user, lists, extra)
    parts = []
    for done in range(0, sessions, BLOCK):
        size = min(BLOCK, sessions - done)
        config = rng.choice(lists.configurations, size=size, p=shares)
        clicked = draw(config, rng)
        pattern = clicked.astype(np.int64) @ (np.int64(1) << np.arange(lists.depth, dtype=np.int64))
        parts.append(counted(config.astype(np.int64), pattern, depth=lists.depth))
        progress(done + size, sessions, "drawing sessions")
    config, pattern, count = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return _with_rows(lists, *counted(config, pattern, count, lists.depth))


Draw = Callable[[Ints, np.random.Generator], NDArray[np.bool_]]


def _by_intent(user: IntentUser | Fit, lists: ClickLog, extra: float) -> Draw:
    known = user.user if isinstance(user, Fit) else user
    fitted = fitted_to(known, lists)
    relevance = fitted.relevance[:, :, : lists.grades].reshape(len(fitted.intents), -1)
    chances = np.concatenate([relevance, np.zeros((len(relevance), 1))], axis=1)

    def draw(config: Ints, rng: np.random.Generator) -> NDArray[np.bool_]:
        intent = rng.choice(len(fitted.intents), size=len(config), p=fitted.prior)
        satisfied = rng.random((len(config), lists.depth)) < chances[intent[:, None], lists.cell[config]]
        last = np.where(satisfied.any(axis=1), satisfied.argmax(axis=1), -1)[:, None]
        position = np.arange(lists.depth)
        return (position == last) | ((position < last) & (rng.random(satisfied.shape) < extra))

    return draw


def _by_document(fit: DocumentFit, lists: ClickLog) -> Draw:
    attraction, satisfaction = fit.by_position(lists)

    def draw(config: Ints, rng: np.random.Generator) -> NDArray[np.bool_]:
        clicked = rng.random((len(config), lists.depth)) < attraction[config]
        satisfied = clicked & (rng.random(clicked.shape) < satisfaction[config])
        stopped: Floats = np.cumsum(satisfied, axis=1) - satisfied
        return clicked & (stopped == 0)

    return draw


def _with_rows(lists: ClickLog, config: Ints, pattern: Ints, count: Ints) -> ClickLog:
    return ClickLog(
        lists.queries,
        lists.documents,
        lists.languages,
        lists.max_grade,
        lists.query,
        lists.document,
        lists.language,
        lists.grade,
        config,
        pattern,
        count,
    )

"""An audience: several named users who read the same rankings, and the language of each document that they read.

Where a ranking is measured again and again (a learning curve), languages are made numbers once, and every ranking is
sorted once for all users.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulerank.errors import InputError
from rulerank.metrics.inputs import LARGEST_GRADE, check_grades
from rulerank.metrics.intents import ANY, IntentERR, IntentUser, mean_over_intents
from rulerank.metrics.rankings import rank

LEARNED = "learned:"
"""Before a click model's name: the user that it learned."""

LEARNED_LABELS = {
    "eia": "ERR-EIA, learned",
    "ia_diff": "ERR-IA, learned (different)",
    "ia_same": "ERR-IA, learned (same)",
    "agnostic": "ERR, learned",
}
"""What ERR with a learned user is called, by click model, the best of the paper first."""

_LABELS = {"err": "ERR", "err_ia": "ERR-IA", "err_eia": "ERR-EIA"} | {
    LEARNED + name: label for name, label in LEARNED_LABELS.items()
}

MOST_LANGUAGES = 20
"""More than these are stray guesses of a detector rather than audiences, and each would cost as much as the metric."""


def user_label(name: str) -> str:
    """Return what ERR with a user of this name is called.

    >>> user_label("err_ia"), user_label("learned:eia")
    ('ERR-IA', 'ERR-EIA, learned')
    """
    return _LABELS.get(name, name)


def user_named(text: str) -> str | None:
    """Return the name of the user whose ERR is called so, by name or by label; None if there is none."""
    wanted = text.strip().lower()
    return next((name for name, label in _LABELS.items() if wanted in (name, label.lower())), None)


def users_in_order(names: Iterable[str]) -> list[str]:
    """Return users by name: the default ones, then the learned ones, the best of the paper first, then any others."""
    return sorted(names, key=lambda name: list(_LABELS).index(name) if name in _LABELS else len(_LABELS))


@dataclass(frozen=True, eq=False)
class Audience:
    """Users by name, and the language of each document (None: not known).

    A user whose one language is `ANY` reads everything. The others need the language of every document. asks: metrics
    with other parameters than the usual ones that somebody wants to see too (`Measure.metric`).

    >>> from rulerank.metrics import err_ia_user, err_user
    >>> readers = Audience({"err": err_user(1), "err_ia": err_ia_user(1, ["de", "en"])}, ("de", "en"))
    >>> {name: found.mean for name, found in readers.measure([1, 0], [2.0, 1.0], ["q", "q"]).items()}
    {'err': 0.5, 'err_ia': 0.25}
    """

    users: Mapping[str, IntentUser]
    languages: tuple[str | None, ...]
    asks: tuple[str, ...] = ()

    def of(self, rows: ArrayLike) -> Audience:
        """Return the same users with the documents of these rows alone, in this order."""
        return replace(self, languages=tuple(self.languages[row] for row in np.asarray(rows, np.int64).tolist()))

    def asking(self, *metrics: str) -> Audience:
        """Return the same audience with a wish to see these metrics; the registered ones are seen anyhow."""
        return replace(self, asks=tuple(name for name in metrics if ":" in name))

    @cached_property
    def spoken(self) -> tuple[str, ...]:
        """The languages of the documents, by name."""
        return tuple(sorted({language for language in self.languages if language}))

    @cached_property
    def silent(self) -> int:
        """How many documents have no language."""
        return sum(not language for language in self.languages)

    @cached_property
    def lacking(self) -> str | None:
        """Why nobody to whom languages matter can read these documents, or None if they can."""
        if len(self.spoken) > MOST_LANGUAGES:
            return f"the documents have {len(self.spoken)} languages; at most {MOST_LANGUAGES} are distinguished"
        if self.silent == len(self.languages):
            return "the documents have no language"
        if self.silent:
            return f"{self.silent:,d} of {len(self.languages):,d} documents have no language"
        return None

    def why_not(self, name: str) -> str | None:
        """Say why a user cannot read these documents, or None if they can."""
        user = self.users[name]
        if user.languages == (ANY,):
            return None
        if self.lacking is not None:
            return self.lacking
        strange = [language for language in self.spoken if language not in user.languages]
        if strange:
            return f"the user knows {', '.join(user.languages)}, but there are documents in {', '.join(strange)}"
        return None

    @cached_property
    def able(self) -> dict[str, IntentUser]:
        """The users who can read these documents."""
        return {name: user for name, user in self.users.items() if self.why_not(name) is None}

    @cached_property
    def stamp(self) -> str:
        """A name for these users, languages and wishes, by which values measured with others are known."""
        about = [[name, user.to_dict()] for name, user in self.users.items()]
        return hashlib.sha256(json.dumps([about, self.languages, *self.asks]).encode()).hexdigest()[:16]

    def measure(
        self,
        grades: Any,
        scores: Any,
        qids: Iterable[Any],
        *,
        convention: str = "letor",
        docids: Iterable[Any] | None = None,
    ) -> dict[str, IntentERR]:
        """Return eq. 1 for every user who is able to read these documents: what `intent_err` gives for each."""
        checked = np.maximum(check_grades(grades), 0)
        if len(checked) != len(self.languages):
            raise InputError(f"there are {len(checked)} grades, but languages of {len(self.languages)} documents")
        levels = int(checked.max()) + 1
        for name, user in self.able.items():
            if user.max_grade < levels - 1:
                raise InputError(f"the data hold grade {levels - 1}, but the user {name} knows 0 to {user.max_grade}")
        if max(1, len(self._told_apart)) * levels > LARGEST_GRADE:
            raise InputError(
                f"{len(self._told_apart)} languages with {levels} grades each are too many: at most {LARGEST_GRADE} "
                "pairs of language and grade are counted"
            )
        rankings = rank(self._codes * levels + checked, scores, qids, convention=convention, docids=docids)
        return {
            name: mean_over_intents(rankings, user.prior, self._stops(user, levels)) for name, user in self.able.items()
        }

    @cached_property
    def _told_apart(self) -> tuple[str, ...]:
        """The languages that make a difference to anybody."""
        return self.spoken if any(user.languages != (ANY,) for user in self.able.values()) else ()

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        places = {language: place for place, language in enumerate(self._told_apart)}
        return np.array([places.get(language or "", 0) for language in self.languages], np.int64)

    def _stops(self, user: IntentUser, levels: int) -> NDArray[np.float64]:
        """Return the probability to stop at each pair of language and grade, a row for each intent."""
        whole = user.languages == (ANY,)
        columns = [0 if whole else user.languages.index(language) for language in self._told_apart or (ANY,)]
        return user.relevance[:, columns, :levels].reshape(len(user.intents), -1)

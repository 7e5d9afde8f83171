"""Who reads a campaign's rankings: the default users of ERR, ERR-IA and ERR-EIA, and users learned from a click log.

Learned users are kept with the campaign as plain JSON (a snapshot of the kind `KIND`), so that the screens and the
background worker measure by the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.campaign.opened import OpenCampaign
from rulerank.errors import InputError
from rulerank.metrics import Audience, IntentUser, err_eia_user, err_ia_user, err_user
from rulerank.metrics.audience import LEARNED

KIND = "users"


@dataclass(frozen=True)
class Learned:
    """A user learned from a click log: the log's name, and how many sessions it had."""

    user: IntentUser
    log: str
    sessions: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {"user": self.user.to_dict(), "log": self.log, "sessions": self.sessions}


def keep(users: Mapping[str, Learned]) -> dict[str, Any]:
    """Return learned users, by the name of their click model, as what is kept with a campaign."""
    return {"users": {name: each.to_dict() for name, each in users.items()}}


def kept(values: Mapping[str, Any]) -> dict[str, Learned]:
    """Return the learned users of what `keep` gave."""
    try:
        return {
            str(name): Learned(IntentUser.from_dict(each["user"]), str(each["log"]), int(each["sessions"]))
            for name, each in values["users"].items()
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"these are no users that were learned from a click log: {error}") from error


def measured_rows(opened: OpenCampaign) -> np.ndarray:
    """Return the collection's rows that a learning curve is measured on: the evaluation set, or else the pool."""
    return opened.evaluation_rows if opened.evaluation_rows.size else opened.pool_rows


def best_grade(opened: OpenCampaign) -> int:
    """Return the campaign's best grade, which all its users count with, whatever grades occur so far."""
    return len(opened.settings.grades) - 1


def audience(
    opened: OpenCampaign, languages: Sequence[str | None], learned: Mapping[str, Learned] | None = None
) -> Audience:
    """Return who reads a campaign's rankings; `languages` has one for each row of its collection.

    `err` reads everything; where documents of the pool or of the evaluation set have languages, `err_ia` and `err_eia`
    want each of these in equal shares. A learned user who does not know the campaign's grades is left out.
    """
    best = best_grade(opened)
    rows = np.concatenate([opened.pool_rows, opened.evaluation_rows])
    spoken = Audience({}, tuple(languages)).of(rows).spoken
    users = {"err": err_user(best)}
    if spoken:
        users |= {"err_ia": err_ia_user(best, spoken), "err_eia": err_eia_user(best, spoken)}
    for name, each in (learned or {}).items():
        if each.user.max_grade >= best:
            users[LEARNED + name] = each.user
    return Audience(users, tuple(languages))


def why_not_offered(readers: Audience) -> str:
    """Say why ERR-IA and ERR-EIA are not offered for these documents; nothing where they are."""
    if "err_ia" in readers.able:
        return ""
    return (
        f"ERR-IA and ERR-EIA, which ask for the reader's language, are not offered: {readers.lacking}. "
        "Import texts with one."
    )

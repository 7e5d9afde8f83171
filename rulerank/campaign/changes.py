"""Changes of a running campaign: how they stand in the log, and what they make of the campaign.

A change is an event of the kind `change`; its text is JSON that says what it is about, and what was before and after.
`Course` folds them. A new sort of change is a new word in `About` and a case in `Course.apply`; tables, backup, export
and every process know it then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from rulerank.campaign.events import LabelEvent
from rulerank.campaign.settings import GradeLevel, Settings
from rulerank.errors import InputError

TELLS_ANNOTATORS = ("guidelines", "grades")
"""Settings whose change every annotator has to see."""

STEERS = ("sampler", "seed", "max_antecedent", "aggregation")
"""Settings with which the sampler is started anew: what it would propose depends on them."""

FIXED = {
    "discretizer": "The intervals were fitted to the pool when the campaign was made, and every rule is made of them.",
    "grades_known": "Whether the grades of the file stay hidden was decided with the data.",
}
"""Settings that no change can reach, and why; the number of grades joins them with the first label."""

GRADES_STAY = "Labels exist, and each of them means a grade of this scale. Names, meanings and colours can change."


class About(StrEnum):
    """What a change is about.

    >>> [about.value for about in About]
    ['settings', 'state', 'read', 'pay']
    """

    SETTINGS = "settings"  # values of `Settings`, and the "name" of the campaign
    STATE = "state"  # "paused", "archived"
    READ = "read"  # "guidelines": up to which change the person has read them
    PAY = "pay"  # "rate": see `rulerank.campaign.pay.Rate`


@dataclass(frozen=True)
class Change:
    """What was changed, from what to what; `takes_back` is the number of an earlier change that this one undoes.

    >>> change = Change(About.SETTINGS, {"overlap": 1}, {"overlap": 2})
    >>> Change.read(change.text) == change
    True
    """

    about: About
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    takes_back: int | None = None

    @property
    def text(self) -> str:
        """The change as it stands in the log."""
        said: dict[str, Any] = {"about": self.about.value, "before": dict(self.before), "after": dict(self.after)}
        if self.takes_back is not None:
            said["takes_back"] = self.takes_back
        return json.dumps(said, ensure_ascii=False, sort_keys=True)

    @classmethod
    def read(cls, text: str) -> Change:
        """Return the change that a text of the log describes; whatever else it says is refused."""
        try:
            said = json.loads(text)
            change = cls(About(said["about"]), said["before"], said["after"], said.get("takes_back"))
            right = isinstance(change.before, dict) and isinstance(change.after, dict)
        except (ValueError, TypeError, KeyError) as error:
            words = f"the log has a change that cannot be read ({error}); was it made by a newer version?"
            raise InputError(words) from error
        if not right:
            raise InputError("the log has a change without values before and after")
        return change


@dataclass(frozen=True)
class Told:
    """What annotators are told from an event on: the guidelines, and what the grades mean.

    >>> Told(event=7, at=0.0, guidelines="Read twice.", grades=(GradeLevel("No"), GradeLevel("Yes"))).grades[1].name
    'Yes'
    """

    event: int
    at: float
    guidelines: str
    grades: tuple[GradeLevel, ...]


@dataclass
class Course:
    """What the changes so far have made of a campaign that was made with some settings.

    >>> from rulerank.campaign import Kind
    >>> course = Course(Settings(overlap=1))
    >>> course.apply(LabelEvent(Kind.CHANGE, -1, 1, text=Change(About.SETTINGS, {"overlap": 1}, {"overlap": 2}).text))
    >>> course.settings.overlap, course.paused
    (2, False)
    """

    made: Settings = field(default_factory=Settings)
    name: str = ""
    paused: bool = False
    archived: bool = False
    rate: dict[str, str] = field(default_factory=dict)  # what is paid, as it stands in the log; empty: never said
    history: list[tuple[LabelEvent, Change]] = field(default_factory=list)  # all but what was read, oldest first
    told: list[Told] = field(default_factory=list)  # the versions after the first, oldest first
    read: dict[int, int] = field(default_factory=dict)  # by person: the last version that they have read
    _changed: dict[str, Any] = field(default_factory=dict)  # plain values of settings, those of the last changes
    _settings: Settings | None = field(default=None, compare=False)

    @property
    def settings(self) -> Settings:
        """The settings as they are now.

        Worked out when asked for: a sampler of an outside package that is gone hurts only while it is the one in use.
        """
        if self._settings is None:
            now = {**self.made.to_dict(), **self._changed}
            self._settings = Settings.from_dict(now) if self._changed else self.made
        return self._settings

    @property
    def aggregation(self) -> str:
        """How several people's grades become one, now."""
        return str(self._changed.get("aggregation", self.made.aggregation))

    def apply(self, event: LabelEvent) -> None:
        """Take in the next event of the kind `change`."""
        change = Change.read(event.text)
        after = dict(change.after)
        if change.about is About.READ:
            if event.person is not None:
                self.read[event.person] = int(after["guidelines"])
            return
        self.history.append((event, change))
        if change.about is About.STATE:
            self.paused = bool(after.get("paused", self.paused))
            self.archived = bool(after.get("archived", self.archived))
            return
        if change.about is About.PAY:
            self.rate = dict(after["rate"])
            return
        self.name = after.pop("name", self.name)
        unknown = sorted(after.keys() - {each.name for each in fields(Settings)})
        if unknown:
            names = ", ".join(unknown)
            raise InputError(f"the log changes unknown settings: {names}; was this made by a newer version?")
        self._changed |= after
        self._settings = None
        if not after.keys().isdisjoint(TELLS_ANNOTATORS):
            plain = {**self.made.to_dict(), **self._changed}
            levels = tuple(GradeLevel(**level) for level in plain["grades"])
            self.told.append(Told(event.id, event.at, plain["guidelines"], levels))

    def known_to(self, person: int, began: int | None) -> Told | None:
        """Return what a person who began with event `began` was told last, if others are told something else now.

        Who has not begun yet reads the guidelines as they are, and needs no difference.
        """
        if not self.told or began is None:
            return None
        until = max(began, self.read.get(person, 0))
        first = Told(0, 0.0, self.made.guidelines, self.made.grades)
        known = [version for version in (first, *self.told) if version.event <= until][-1]
        now = self.told[-1]
        same = known.guidelines == now.guidelines and _meanings(known.grades) == _meanings(now.grades)
        return None if same else known


def _meanings(levels: tuple[GradeLevel, ...]) -> list[tuple[str, str, str]]:
    """Return what annotators read of grades; a colour needs no announcement."""
    return [(level.name, level.meaning, level.example) for level in levels]


def plain_values(settings: Settings) -> dict[str, Any]:
    """Return settings by name as they come back from the log: plain JSON, where tuples are lists."""
    values: dict[str, Any] = json.loads(json.dumps(settings.to_dict()))
    return values


def differing(before: Settings, after: Settings) -> dict[str, tuple[Any, Any]]:
    """Return the settings that differ, with their plain values before and after.

    >>> differing(Settings(overlap=1), Settings(overlap=2))
    {'overlap': (1, 2)}
    """
    old, new = plain_values(before), plain_values(after)
    return {name: (old[name], new[name]) for name in new if old[name] != new[name]}


def check_change(before: Settings, after: Settings, *, labelled: bool) -> None:
    """Raise an error, with the reason, if settings cannot be changed like this.

    labelled: whether the log holds a label, be it one that was taken back.
    """
    changed = differing(before, after)
    for name, reason in FIXED.items():
        if name in changed:
            raise InputError(f"the {name.replace('_', ' ')} cannot change any more. {reason}")
    if labelled and len(before.grades) != len(after.grades):
        raise InputError(f"the number of grades cannot change any more. {GRADES_STAY}")

"""Changes of a running campaign: its settings, pauses, archiving, and who has read the guidelines as they are."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from rulerank.campaign.changes import FIXED, GRADES_STAY, About, Change, check_change, differing, plain_values
from rulerank.campaign.events import NO_DOCUMENT, Kind, LabelEvent, LogSession, TooLateError, UsedTokenError
from rulerank.campaign.rate import Rate
from rulerank.campaign.settings import Settings
from rulerank.campaign.stepping import Stepping
from rulerank.errors import InputError


class Changing(Stepping):
    """The part of a campaign that changes it; every change is an event of the log, like a label."""

    def change(
        self,
        person: int | None,
        after: Settings,
        *,
        before: Settings | None = None,
        name: str | None = None,
        token: str | None = None,
    ) -> LabelEvent | None:
        """Change settings, and the name if one is given; return the event, None if nothing differs.

        before: the settings that the person saw. What somebody else changed meanwhile stays, unless both changed the
        same: then an error says so.
        """
        differ = differing(before or self.settings, after)
        expected, wanted = ({field: pair[side] for field, pair in differ.items()} for side in (0, 1))
        if name is not None:
            wanted["name"] = name
        return self._change(person, expected, wanted, token)

    def take_back(self, person: int | None, number: int, *, token: str | None = None) -> LabelEvent | None:
        """Take back a change of settings: what it changed is again as it was before; None if it is so already.

        A change that a later one has overwritten, in part or wholly, can no longer be taken back.
        """
        with self._step(reading=True):
            found = next((each for event, each in self.fold.course.history if event.id == number), None)
        if found is None or found.about is not About.SETTINGS:
            raise InputError(f"change {number} is not a change of settings that can be taken back")
        return self._change(person, found.after, found.before, token, takes_back=number)

    def set_state(self, person: int | None, **after: bool) -> LabelEvent | None:
        """Pause or resume (`paused`), archive or restore (`archived`); return the event, None if it is so already."""
        with self._step(reading=True) as session:
            course = self.fold.course
            before = {"paused": course.paused, "archived": course.archived}
            fresh = {field: value for field, value in after.items() if before[field] != value}
            if not fresh:
                return None
            change = Change(About.STATE, {field: before[field] for field in fresh}, fresh)
            return self._write_change(session, person, change)

    def set_rate(self, person: int | None, rate: Rate) -> LabelEvent | None:
        """Set what an hour or a label is paid; return the event, None if it is so already."""
        with self._step(reading=True) as session:
            before = self.fold.course.rate
            if before == rate.to_dict():
                return None
            return self._write_change(session, person, Change(About.PAY, {"rate": before}, {"rate": rate.to_dict()}))

    def fixed(self) -> dict[str, str]:
        """Return what cannot be changed any more, with the reason; "levels" is the number of grades."""
        return {**FIXED, **({"levels": GRADES_STAY} if self.fold.has_labels else {})}

    def acknowledge(self, person: int, number: int) -> bool:
        """Note that a person has read the guidelines as of change `number`; False if that is known already."""
        with self._step(reading=True) as session:
            read = self.fold.course.read.get(person, 0)
            if number <= read or all(version.event != number for version in self.fold.course.told):
                return False
            change = Change(About.READ, {"guidelines": read}, {"guidelines": number})
            self._write_change(session, person, change)
            return True

    def _change(
        self,
        person: int | None,
        expected: Mapping[str, Any],
        wanted: Mapping[str, Any],
        token: str | None,
        takes_back: int | None = None,
    ) -> LabelEvent | None:
        """Write a change of settings whose values before are the expected ones."""
        if not wanted:
            return None
        with self._step(act=token, leading=True) as session:
            known = self.fold.with_token(token)
            if known is not None:
                if known.kind is not Kind.CHANGE:
                    raise UsedTokenError
                return known
            now = self.settings
            current = {**plain_values(now), "name": self.fold.course.name}
            lost = sorted(field for field, value in expected.items() if current[field] != value)
            if lost:
                names = " and ".join(field.replace("_", " ") for field in lost)
                raise TooLateError(f"Somebody changed the {names} meanwhile; nothing was changed. Look again.")
            fields = {field: value for field, value in wanted.items() if field != "name"}
            after = Settings.from_dict({**now.to_dict(), **fields})
            check_change(now, after, labelled=self.fold.has_labels)
            if after.sampler != now.sampler or after.max_antecedent != now.max_antecedent:
                # A sampler that cannot start here must be refused now, not when somebody wants to label.
                after.make_sampler().start(self.pool.items, features=self.pool.features, qids=self.pool.qids)
            fresh = {field: value for field, value in wanted.items() if current[field] != value}
            if not fresh:
                return None
            change = Change(About.SETTINGS, {field: current[field] for field in fresh}, fresh, takes_back)
            return self._write_change(session, person, change, token)

    def _write_change(
        self, session: LogSession, person: int | None, change: Change, token: str | None = None
    ) -> LabelEvent:
        event = LabelEvent(
            Kind.CHANGE, NO_DOCUMENT, person, None, change.text, token or secrets.token_hex(16), at=self.clock()
        )
        written = session.append(event)
        if written is None:
            raise UsedTokenError
        self._sync(session)
        return written

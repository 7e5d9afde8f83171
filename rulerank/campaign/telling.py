"""What happened to an act that was not written, in words that an annotator reads once."""

from __future__ import annotations

from dataclasses import dataclass

from rulerank.campaign.events import Kind, LabelEvent
from rulerank.campaign.settings import Settings


@dataclass(frozen=True)
class Telling:
    """The words of one campaign at one moment."""

    settings: Settings
    now: float

    def name(self, act: LabelEvent) -> str:
        """Name an act: its grade, or what was pressed."""
        if act.grade is not None:
            return f"{act.grade} · {self.settings.grades[act.grade].name}"
        return {Kind.CANNOT_TELL: "can't tell", Kind.LATER: "later"}.get(act.kind, act.kind.value)

    def ago(self, act: LabelEvent) -> str:
        """Say how long ago an act was; not at which hour, which differs between a server and a browser."""
        minutes = max(0, round((self.now - act.at) / 60))
        if minutes < 1:
            return "a moment ago"
        if minutes < 120:
            return "a minute ago" if minutes == 1 else f"{minutes} minutes ago"
        return f"{round(minutes / 60)} hours ago"

    def otherwise(self, known: LabelEvent, decision: LabelEvent, *, undone: bool, last: bool) -> str:
        """Tell a tab that another one decided first."""
        lost = f"your “{self.name(decision)}” was not saved"
        if known.person is None:
            return f"This document could not be shown and was put aside; {lost}."
        there = f"This document got “{self.name(known)}” in another tab, {self.ago(known)}"
        if undone:
            return f"{there}, and that was taken back since; {lost}. Press the key again where the document is shown."
        return f"{there}; {lost}. " + ("Press Z to take that back." if last else "It stays as it is.")

    def given_away(self, decision: LabelEvent) -> str:
        """Tell somebody whose claim had ended that others have the document now."""
        minutes = f"{self.settings.claim_minutes:g} minute{'' if self.settings.claim_minutes == 1 else 's'}"
        return (
            f"You no longer held this document (it is kept for {minutes}), so it was given to somebody else; "
            f"your “{self.name(decision)}” was not saved. Here is the next one."
        )

    def not_last(self, undone: LabelEvent | None, last: LabelEvent | None) -> str:
        """Tell a tab that what it wanted to take back is not the last act."""
        if undone is not None:
            return f"“{self.name(undone)}” was taken back in another tab already; nothing more was taken back."
        if last is None:
            return "There is nothing to take back."
        since = f"In another tab you gave “{self.name(last)}” since, {self.ago(last)}"
        return f"{since}; nothing was taken back. Press Z again to take that one back."

    def cannot_revive(self) -> str:
        """Tell somebody why an act stays: without it a former grade would be one too many."""
        return "Others have graded this document since, so your former grade cannot come back; nothing was taken back."

    def not_held(self) -> str:
        """Tell a tab that its document is gone, and the note with it."""
        return "This document was decided in another tab, or went to somebody else; the note was not kept."

    def changed(self, event: LabelEvent, settled: int | None) -> str:
        """Tell who writes over something that they have not seen."""
        if event.kind is not Kind.ADJUDICATE:
            return "This note was changed in another tab; what is typed here will be saved with your next key only."
        if settled is None:
            return "Somebody withdrew the decision on this document meanwhile; yours was not saved. Decide again."
        level = f"{settled} · {self.settings.grades[settled].name}"
        return f"Somebody settled this document as “{level}” meanwhile; your decision was not saved."

    def enough(self, overlap: int) -> str:
        """Tell who would be one person too many."""
        asked = "One person is" if overlap == 1 else f"{overlap} people are"
        return f"{asked} asked for each document here, and others have graded or hold this one; nothing was saved."

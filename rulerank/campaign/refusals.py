"""Why an act was not written: each refusal leaves the log as it was, and says in words what happened instead."""

from __future__ import annotations

from rulerank.errors import RulerankError


class ActRefusedError(RulerankError):
    """An act was not written, and nothing else was."""


class NotYoursError(ActRefusedError):
    """A claim belongs to somebody else, or a document cannot be labelled by this person."""


class TooSoonError(ActRefusedError):
    """A grade came sooner than anybody can read: a bounced or held key. Nothing was written."""


class TooLateError(ActRefusedError):
    """The document went to somebody else, or the note was changed, before this act came."""


class DecidedOtherwiseError(ActRefusedError):
    """The same person decided something else about the document already, in another tab."""


class ArchivedError(ActRefusedError):
    """The campaign was archived."""

    words = "This campaign was archived; nothing more is taken"

    def __init__(self) -> None:
        super().__init__(f"{self.words}. What was saved before stays.")


class UsedTokenError(ActRefusedError):
    """The token of an act stands in the log already, with another act."""

    def __init__(self) -> None:
        super().__init__("this act was sent under the name of another one, and was not saved; reload the page")

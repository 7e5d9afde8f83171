"""The live loop of a campaign: next, submit, undo, refresh. Talks to a `LabelLog`, not to a database."""

from rulerank.campaign.changes import About, Change, Course, Told
from rulerank.campaign.choosing import Offer, Pause
from rulerank.campaign.events import (
    NO_DOCUMENT,
    ActRefusedError,
    ArchivedError,
    Claim,
    DecidedOtherwiseError,
    Kind,
    LabelEvent,
    LabelLog,
    LogSession,
    MemoryLog,
    NotYoursError,
    PausedError,
    TooLateError,
    TooSoonError,
    UsedTokenError,
)
from rulerank.campaign.fold import AGGREGATIONS, LogFold, aggregate
from rulerank.campaign.live import NOT_SHOWN, Campaign
from rulerank.campaign.opened import OpenCampaign, Setup, set_up
from rulerank.campaign.settings import DEFAULT_GRADES, GradeLevel, Settings
from rulerank.campaign.state import Pool

__all__ = [
    "AGGREGATIONS",
    "DEFAULT_GRADES",
    "NOT_SHOWN",
    "NO_DOCUMENT",
    "About",
    "ActRefusedError",
    "ArchivedError",
    "Campaign",
    "Change",
    "Claim",
    "Course",
    "DecidedOtherwiseError",
    "GradeLevel",
    "Kind",
    "LabelEvent",
    "LabelLog",
    "LogFold",
    "LogSession",
    "MemoryLog",
    "NotYoursError",
    "Offer",
    "OpenCampaign",
    "Pause",
    "PausedError",
    "Pool",
    "Settings",
    "Setup",
    "Told",
    "TooLateError",
    "TooSoonError",
    "UsedTokenError",
    "aggregate",
    "set_up",
]

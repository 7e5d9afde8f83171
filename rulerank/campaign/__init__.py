"""The live loop of a campaign: next, submit, undo, refresh. Talks to a `LabelLog`, not to a database."""

from rulerank.campaign.events import Claim, Kind, LabelEvent, LabelLog, LogSession
from rulerank.campaign.fold import AGGREGATIONS, Fold, aggregate
from rulerank.campaign.live import Campaign, NotYoursError, Offer, Pause, TooSoonError
from rulerank.campaign.memory import MemoryLog
from rulerank.campaign.opened import OpenCampaign, Plan, plan
from rulerank.campaign.settings import DEFAULT_GRADES, GradeLevel, Settings
from rulerank.campaign.state import Pool, make_sampler

__all__ = [
    "AGGREGATIONS",
    "DEFAULT_GRADES",
    "Campaign",
    "Claim",
    "Fold",
    "GradeLevel",
    "Kind",
    "LabelEvent",
    "LabelLog",
    "LogSession",
    "MemoryLog",
    "NotYoursError",
    "Offer",
    "OpenCampaign",
    "Pause",
    "Plan",
    "Pool",
    "Settings",
    "TooSoonError",
    "aggregate",
    "make_sampler",
    "plan",
]

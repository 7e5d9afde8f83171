"""The settings of a campaign, with defaults that work; checked on the way in, plain JSON on the way out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from rulerank.campaign.fold import AGGREGATIONS
from rulerank.errors import InputError
from rulerank.metrics.conventions import conventions
from rulerank.ranking.make import RECOMMENDED
from rulerank.registry import discretizers, rankers, samplers


@dataclass(frozen=True)
class GradeLevel:
    """One grade as annotators see it."""

    name: str
    meaning: str = ""
    example: str = ""
    colour: str = ""


DEFAULT_GRADES = (
    GradeLevel("Not relevant", "Does not help with the query."),
    GradeLevel("Partly relevant", "Touches the subject, or answers a part."),
    GradeLevel("Relevant", "Answers what the query asks for."),
)


@dataclass(frozen=True)
class Settings:
    """How a campaign chooses, learns and asks."""

    grades: tuple[GradeLevel, ...] = DEFAULT_GRADES
    guidelines: str = ""
    remote_pictures: bool = False
    """Whether pictures in the guidelines may be fetched from elsewhere."""
    discretiser: str = "tube"
    bins: int = 10
    sampler: str = "ssar"
    max_antecedent: int = 2
    partitions: int = 5
    ranker: str = RECOMMENDED
    overlap: int = 1
    aggregation: str = "majority"
    seed: int = 0
    convention: str = "letor"
    claim_minutes: float = 10.0
    later_after: int = 5
    dwell_milliseconds: int = 250
    grades_known: bool = False
    extra: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        named = {"discretiser": discretizers, "sampler": samplers, "ranker": rankers, "convention": conventions}
        for name, registry in named.items():
            registry[getattr(self, name)]  # raises with a hint where the name is unknown
        if not 2 <= len(self.grades) <= 10:
            raise InputError(f"a campaign needs 2 to 10 grades, not {len(self.grades)}: each has a digit key")
        if any(not level.name.strip() for level in self.grades):
            raise InputError("every grade needs a name")
        if self.aggregation not in AGGREGATIONS:
            raise InputError(f"no aggregation is named {self.aggregation!r}; there are: {', '.join(AGGREGATIONS)}")
        limits = {
            "bins": (2, 256),
            "overlap": (1, 20),
            "partitions": (1, 64),
            "max_antecedent": (1, 3),
            "later_after": (1, 1000),
            "dwell_milliseconds": (0, 10_000),
            "seed": (0, 2**63 - 1),
        }
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise InputError(f"{name} must be a whole number in {low} to {high}, not {value!r}")
        if not isinstance(self.remote_pictures, bool):
            raise InputError(f"remote_pictures must be true or false, not {self.remote_pictures!r}")
        if not isinstance(self.claim_minutes, int | float) or not 0.1 <= self.claim_minutes <= 24 * 60:
            raise InputError(f"claim_minutes must lie in 0.1 to 1440, not {self.claim_minutes!r}")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Self:
        """Rebuild what `to_dict` returned; settings of a newer version that are unknown here are refused by name."""
        known = {each.name for each in fields(cls)}
        unknown = sorted(set(saved) - known)
        if unknown:
            raise InputError(f"unknown campaign settings: {', '.join(unknown)}; was this made by a newer version?")
        grades = tuple(GradeLevel(**level) for level in saved.get("grades", ()))
        return cls(**{**saved, "grades": grades or DEFAULT_GRADES})

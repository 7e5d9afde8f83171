"""The settings of a campaign, with defaults that work; checked on the way in, plain JSON on the way out.

Guidelines are among them, and how they are shown: pictures from elsewhere only where they are allowed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from rulerank.agreement.aggregate import RULES
from rulerank.errors import InputError
from rulerank.metrics.conventions import conventions
from rulerank.ranking import RECOMMENDED
from rulerank.registry import Registry, discretizers, rankers, samplers
from rulerank.strategy import Strategy, with_new_spelling

_OWN = r"!\[[^\[\]\\!]*\]\(data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+\)"
"""A picture that the text itself holds; nothing is fetched for it. Plain enough to be read in one way only."""

_PICTURE = re.compile(rf"(!*{_OWN})|!+\[")
"""Every picture of Markdown begins like this, whether its address follows, or stands elsewhere under a name.

All exclamation marks before the bracket are taken: one that was left would make a picture of the link."""

NOTE = (
    "*Pictures from elsewhere are links here: they are not loaded unless whoever made the campaign allows it, for that "
    "tells another server who labels.*"
)


_COLOUR = re.compile("#(?:([0-9A-Fa-f]{3})|[0-9A-Fa-f]{6})", re.ASCII)


def has_pictures(text: str) -> bool:
    """Say whether guidelines would fetch pictures.

    >>> has_pictures("![a map](https://example.org/map.png)"), has_pictures("a [link](https://example.org)!")
    (True, False)
    """
    return any(not found[1] for found in _PICTURE.finditer(text))


def shown_guidelines(text: str, *, remote_pictures: bool = False) -> str:
    """Return guidelines as Markdown to be shown; pictures become links with their text unless they are allowed.

    What looks like a picture within code is changed too: so nothing that any reader of Markdown takes for one is left.

    >>> print(shown_guidelines("See ![a map](https://example.org/map.png)").splitlines()[0])
    See [Picture: a map](https://example.org/map.png)
    """
    if remote_pictures or not has_pictures(text):
        return text
    return f"{_PICTURE.sub(lambda found: found[1] or '[Picture: ', text)}\n\n{NOTE}"


@dataclass(frozen=True)
class GradeLevel:
    """One grade as annotators see it; `colour` is #rrggbb, or nothing for the usual one.

    >>> Settings(grades=(GradeLevel("No"), GradeLevel("Yes", "Answers the query."))).grades[1].meaning
    'Answers the query.'
    >>> GradeLevel("Yes", colour="#0a6").colour
    '#00aa66'
    """

    name: str
    meaning: str = ""
    example: str = ""
    colour: str = ""

    def __post_init__(self) -> None:
        if not self.colour:
            self.__dict__["colour"] = ""
            return
        found = _COLOUR.fullmatch(self.colour) if isinstance(self.colour, str) else None
        if found is None:
            raise InputError(f"{self.colour!r} is not a colour: write #rrggbb, for example #0072b2")
        if found[1]:
            self.__dict__["colour"] = "#" + "".join(2 * digit for digit in found[1])


DEFAULT_GRADES = (
    GradeLevel("Not relevant", "Does not help with the query."),
    GradeLevel("Partly relevant", "Touches the subject, or answers a part."),
    GradeLevel("Relevant", "Answers what the query asks for."),
)

STRATEGIES: dict[str, Registry[Any]] = {"discretizer": discretizers, "sampler": samplers, "ranker": rankers}

OLD = {"bins": "discretizer", "partitions": "sampler", "extra": "sampler"}
"""What 0.1.0 had as settings of their own, and the strategy whose parameters they are now."""


@dataclass(frozen=True)
class Settings:
    """How a campaign chooses, learns and asks.

    discretizer, sampler, ranker: a `Strategy` each, or its text ("ssarp:partitions=8"), with parameters of its own.
    seed, max_antecedent: for whatever has such a parameter and is given no other value for it.

    >>> Settings(sampler="ssarp:partitions=8").make_sampler()
    SSARP(partitions=8)
    """

    grades: tuple[GradeLevel, ...] = DEFAULT_GRADES
    guidelines: str = ""
    remote_pictures: bool = False
    """Whether pictures in the guidelines may be fetched from elsewhere."""
    discretizer: Strategy = Strategy("tube")  # noqa: RUF009 (frozen)
    sampler: Strategy = Strategy("ssar")  # noqa: RUF009
    ranker: Strategy = Strategy(RECOMMENDED)  # noqa: RUF009
    max_antecedent: int = 2
    overlap: int = 1
    aggregation: str = "majority"
    seed: int = 0
    convention: str = "letor"
    claim_minutes: float = 10.0
    later_after: int = 5
    dwell_milliseconds: int = 250
    grades_known: bool = False

    def __post_init__(self) -> None:
        for name, registry in STRATEGIES.items():
            strategy = Strategy.from_dict(getattr(self, name)).check(registry)
            if strategy.seeds is not None:
                raise InputError(f"{name} {strategy.key}: only simulations repeat a strategy with several seeds")
            self.__dict__[name] = strategy
        conventions[self.convention]  # raises with a hint where the name is unknown
        if not 2 <= len(self.grades) <= 10:
            raise InputError(f"a campaign needs 2 to 10 grades, not {len(self.grades)}: each has a digit key")
        if any(not level.name.strip() for level in self.grades):
            raise InputError("every grade needs a name")
        if self.aggregation not in RULES:
            raise InputError(f"no aggregation is named {self.aggregation!r}; there are: {', '.join(RULES)}")
        limits = {
            "overlap": (1, 20),
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

    def make_sampler(self) -> Any:
        """Make the sampler, with the campaign's seed and antecedent size where it takes them and has no own."""
        return self.sampler.make(samplers, {"seed": self.seed, "max_antecedent": self.max_antecedent})

    @property
    def rule_size(self) -> int:
        """The largest antecedent of the rules that the sampler counts."""
        return int(self.sampler.params.get("max_antecedent", self.max_antecedent))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Rebuild what `to_dict` returned, in this version or in an older one.

        Settings of a newer version that are unknown here are refused by name.
        """
        saved = with_new_spelling(saved)
        if OLD.keys() <= saved.keys():
            saved = _upgraded(saved)
        known = {each.name for each in fields(cls)}
        unknown = sorted(set(saved) - known)
        moved = [name for name in unknown if name in OLD]
        if moved:
            raise InputError(
                f"{moved[0]} is no setting of its own: give it with the {OLD[moved[0]]} as name:parameter=value, "
                "for example tube:bins=8 or ssarp:partitions=3"
            )
        if unknown:
            raise InputError(f"unknown campaign settings: {', '.join(unknown)}; was this made by a newer version?")
        grades = tuple(GradeLevel(**level) for level in saved.get("grades", ()))
        return cls(**{**saved, "grades": grades or DEFAULT_GRADES})


def _upgraded(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that 0.1.0 saved as they are now: its `bins`, `partitions` and `extra` become parameters.

    Of `extra` only `feature` and `scoring` ever had an effect; the rest was dropped, and is dropped here too. So is
    what stood in the place of a grade's colour and is none: nothing was drawn in it.
    """
    extra = saved["extra"] if isinstance(saved["extra"], Mapping) else {}
    offered = {
        "discretizer": {"bins": saved["bins"]},
        "sampler": {
            "partitions": saved["partitions"],
            "feature": extra.get("feature"),
            "scoring": extra.get("scoring"),
        },
        "ranker": {},
    }
    made = {name: value for name, value in saved.items() if name not in OLD}
    made["grades"] = [
        {**level, "colour": level["colour"] if _COLOUR.fullmatch(str(level.get("colour", ""))) else ""}
        for level in saved.get("grades", ())
    ]
    for name, values in offered.items():
        if name in saved:
            defaults = {param.name: param.default for param in STRATEGIES[name][saved[name]].params}
            used = {word: value for word, value in values.items() if word in defaults and value is not None}
            made[name] = Strategy(saved[name], {w: v for w, v in used.items() if v != defaults[w]})
    return made

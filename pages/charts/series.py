"""Samplers and rankers in figures: a short name each, and one colour, mark and dash that it has on every page."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from pages.charts.theme import SYMBOLS, Theme
from rulerank.errors import RulerankError
from rulerank.registry import Registry
from rulerank.strategy import Strategy

DASHES = ("solid", "dash", "dashdot")
"""Tell apart what has the same colour."""

COLOURS = len(SYMBOLS)

# Places among a theme's `lines`; from COLOURS on, the colours begin again with the next dash. The ranker that campaigns
# and the samplers that simulations begin with have different colours: they may lie in one figure.
RANKERS = {
    "weighted_items": 0,
    "lrar": 1,
    "stable_rules": 2,
    "query_level_rules": 3,
    "smooth_items": 4,
    "lrar_items": 5,
    "eager_rules": 6,
    "query_term_rules": COLOURS + 3,
    "threshold_rules": COLOURS + 4,
}
SAMPLERS = {
    "ssar": 1,
    "ssarp": 2,
    "cover": 3,
    "uncertainty": 4,
    "committee": 5,
    "elo_dcg": 6,
    "fewest_occurrences": 0,
    "k_center": COLOURS + 3,
    "top_feature": COLOURS + 4,
    "ssar_turns": COLOURS + 5,
    "ssar_even": COLOURS + 6,
    "ssar_queries": COLOURS + 1,
}
CHANCE = {"random": 0, "query_random": 1}
"""Samplers that choose by chance are grey everywhere, as the random replay of a campaign is; the number is the dash."""


@dataclass(frozen=True)
class LineStyle:
    """How a line is drawn."""

    colour: str
    symbol: str
    dash: str = "solid"

    def line(self, width: float = 2.5) -> go.scatter.Line:
        """Return the line itself."""
        return go.scatter.Line(color=self.colour, width=width, dash=self.dash)

    def marker(self, size: float | ArrayLike) -> go.scatter.Marker:
        """Return its marks, all of one size or each of its own."""
        return go.scatter.Marker(size=size, color=self.colour, opacity=1, line={"width": 0}, symbol=self.symbol)


def look_at(place: int, theme: Theme) -> LineStyle:
    """Return the look of a place: colours first, then the same colours with another dash."""
    turn, colour = divmod(place, len(theme.lines))
    return LineStyle(theme.lines[colour], SYMBOLS[colour], DASHES[turn % len(DASHES)])


def sampler_looks(keys: Iterable[str], theme: Theme) -> dict[str, LineStyle]:
    """Return the look of each sampler, by the key of its strategy; the same on every page.

    >>> from pages.charts.theme import LIGHT
    >>> looks = sampler_looks(["ssar", "random", "ssar:seed=3"], LIGHT)
    >>> looks["ssar"].colour == LIGHT.lines[1], looks["random"].colour == LIGHT.baseline
    (True, True)
    >>> looks["ssar:seed=3"].colour == looks["ssar"].colour, looks["ssar:seed=3"].dash
    (True, 'dash')
    """
    return _looks(keys, SAMPLERS, theme)


def ranker_looks(keys: Iterable[str], theme: Theme) -> dict[str, LineStyle]:
    """Return the look of each ranker, by the key of its strategy; the same on every page."""
    return _looks(keys, RANKERS, theme)


def _looks(keys: Iterable[str], places: Mapping[str, int], theme: Theme) -> dict[str, LineStyle]:
    """Give each key the look of its name; what would look like another one gets the next dash, then the next colour."""
    found: dict[str, LineStyle] = {}
    taken: set[tuple[str, str]] = set()
    for key in dict.fromkeys(keys):
        for look in _tries(key.partition(":")[0], places, theme):
            if (look.colour, look.dash) not in taken:
                break
        taken.add((look.colour, look.dash))
        found[key] = look
    return found


def _tries(name: str, places: Mapping[str, int], theme: Theme) -> list[LineStyle]:
    count = len(theme.lines)
    if name in CHANCE:
        dashes = DASHES[CHANCE[name] :] + DASHES[: CHANCE[name]]
        return [LineStyle(theme.baseline, "circle", dash) for dash in dashes]
    # A name from an outside package has a place too, which depends on nothing but the name.
    place = places.get(name, zlib.crc32(name.encode()) % count)
    turn, colour = divmod(place, count)
    return [
        look_at((turn + dash) % len(DASHES) * count + (colour + more) % count, theme)
        for more in range(count)
        for dash in range(len(DASHES))
    ]


def short_name(key: str, registry: Registry[Any]) -> str:
    """Leave out what a label explains in brackets; a name that this version does not know stays as it is."""
    try:
        strategy = Strategy.parse(key)
        bare = Strategy(strategy.name).label(registry)
        return bare.partition(" (")[0] + strategy.label(registry)[len(bare) :]
    except RulerankError:
        return key

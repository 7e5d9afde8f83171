"""LETOR 3.0's collections by name: which one a file, a folder or a person speaks of."""

from __future__ import annotations

import re
from pathlib import Path

LOOK_UP = 3
"""How many folders upwards a collection's name is looked for: `2003_td_dataset`, `OHSUMED/QueryLevelNorm`."""

_SPOKEN = re.compile(
    r"(?<![a-z])(?P<short>td|np|hp)[^a-z0-9]*(?P<year>2003|2004)(?!\d)"
    r"|(?<!\d)(?P<year2>2003|2004)[^a-z0-9]*(?P<short2>td|np|hp)(?![a-z])"
)


def spoken(text: str) -> list[str]:
    """Return the collections that a name speaks of, as the papers write them: `2003_td_dataset` is TD2003."""
    lower = text.lower()
    found = ["OHSUMED"] if "ohsumed" in lower else []
    for match in _SPOKEN.finditer(lower):
        name = (match["short"] or match["short2"]).upper() + (match["year"] or match["year2"])
        if name not in found:
            found.append(name)
    return found


def spoken_by(folder: Path) -> tuple[Path, list[str]]:
    """Return the nearest of a folder and those it is in whose name speaks of a collection, and of which; or itself."""
    place = folder.resolve()
    for part in [place, *place.parents][:LOOK_UP]:
        found = spoken(part.name)
        if found:
            return part, found
    return place, []

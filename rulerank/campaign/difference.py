"""Changes in words: what was changed from what to what, and texts with what went and what came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from rulerank.agreement import LABELS as RULE_LABELS
from rulerank.campaign.changes import Change, Told
from rulerank.campaign.rate import Rate
from rulerank.registry import rankers, samplers
from rulerank.strategy import Strategy

Span = tuple[str, str]
"""A piece of text, and whether it is "same", "gone" or "new"."""

Line = list[Span]

LABELS = {
    "name": "Name",
    "guidelines": "Guidelines",
    "remote_pictures": "Pictures from elsewhere",
    "sampler": "Sampler",
    "ranker": "Ranker",
    "max_antecedent": "Largest antecedent",
    "overlap": "People per pair",
    "aggregation": "If grades differ",
    "seed": "Seed",
    "convention": "Convention",
    "claim_minutes": "Minutes a document is held",
    "later_after": "“Later” comes back after",
    "dwell_milliseconds": "Least milliseconds per document",
    "paused": "Paused",
    "archived": "Archived",
    "rate": "Pay",
}
"""Settings as people know them."""

AROUND = 1
"""Unchanged lines that are shown before and after a changed one."""

ALIKE = 0.5
"""The share of the shorter line's letters that must stay for the words to be compared one by one."""

GAP: Line = [("same", "…")]


def text_difference(before: str, after: str) -> list[Line]:
    r"""Return the lines of a text with what went and what came, word by word; unchanged lines far from both are a gap.

    >>> text_difference("Read.\nDecide.", "Read twice.\nDecide.")
    [[('same', 'Read'), ('new', ' twice'), ('same', '.')], [('same', 'Decide.')]]
    """
    old, new = before.splitlines(), after.splitlines()
    lines: list[Line] = []
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for place, (what, a, b, c, d) in enumerate(steps):
        if what == "equal":
            lines += _context(new[c:d], first=place == 0, last=place == len(steps) - 1)
            continue
        for line, other in zip_longest(old[a:b], new[c:d]):
            lines += _lines(line, other)
    return lines


def _lines(before: str | None, after: str | None) -> list[Line]:
    """Return a line that became another: word by word where they have much in common, else one after the other."""
    if before is not None and after is not None:
        words = _words(before, after)
        same = sum(len(text) for kind, text in words if kind == "same")
        if same >= ALIKE * min(len(before), len(after)):
            return [words]
    return [[(kind, line)] for kind, line in (("gone", before), ("new", after)) if line]


def _context(lines: list[str], *, first: bool, last: bool) -> Iterator[Line]:
    """Yield unchanged lines next to a change, and a gap for those between."""
    head, tail = (0 if first else AROUND), (0 if last else AROUND)
    if len(lines) <= head + tail + 1:
        yield from ([("same", line)] for line in lines)
        return
    yield from ([("same", line)] for line in lines[:head])
    yield GAP
    yield from ([("same", line)] for line in lines[len(lines) - tail :])


def _words(before: str, after: str) -> Line:
    """Compare two lines word by word; a space between two changed words belongs to what changed."""
    old, new = (re.findall(r"\w+|\s+|[^\w\s]", line) for line in (before, after))
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    spans: Line = []
    gone = came = ""
    for place, (what, a, b, c, d) in enumerate(steps):
        left, right = "".join(old[a:b]), "".join(new[c:d])
        if what != "equal" or (right.isspace() and 0 < place < len(steps) - 1):
            gone, came = gone + left, came + right
            continue
        spans += [*_changed(gone, came), ("same", right)]
        gone = came = ""
    return [*spans, *_changed(gone, came)]


def _changed(gone: str, came: str) -> Line:
    return [(kind, text) for kind, text in (("gone", gone), ("new", came)) if text]


def told_difference(known: Told, now: Told) -> list[tuple[str, list[Line]]]:
    """Return what changed between two versions of what annotators are told, under a title each.

    >>> from rulerank.campaign import GradeLevel
    >>> old = Told(0, 0.0, "Read.", (GradeLevel("No"), GradeLevel("Yes")))
    >>> told_difference(old, Told(7, 0.0, "Read.", (GradeLevel("No"), GradeLevel("Surely"))))
    [('Grade 1', [[('gone', 'Yes')], [('new', 'Surely')]])]
    """
    parts = []
    if known.guidelines != now.guidelines:
        parts.append(("Guidelines", text_difference(known.guidelines, now.guidelines)))
    for grade in range(max(len(known.grades), len(now.grades))):
        texts = [_level(told, grade) for told in (known, now)]
        if texts[0] != texts[1]:
            parts.append((f"Grade {grade}", text_difference(*texts)))
    return parts


def _level(told: Told, grade: int) -> str:
    if grade >= len(told.grades):
        return ""
    level = told.grades[grade]
    example = f"For example: {level.example}" if level.example else ""
    return "\n".join(part for part in (level.name, level.meaning, example) if part)


def change_in_words(change: Change) -> list[tuple[str, str, str]]:
    """Return what was changed, as it was before, and as it is after; grades one by one.

    >>> from rulerank.campaign import About
    >>> change_in_words(Change(About.SETTINGS, {"overlap": 1}, {"overlap": 2}))
    [('People per pair', '1', '2')]
    """
    rows = []
    for name in sorted(change.after, key=lambda name: list(LABELS).index(name) if name in LABELS else -1):
        before, after = change.before.get(name), change.after[name]
        if name != "grades":
            rows.append((LABELS.get(name, name), _said(name, before), _said(name, after)))
            continue
        for grade in range(max(len(before or ()), len(after))):
            pair = [levels[grade] if grade < len(levels) else {} for levels in (before or (), after)]
            if pair[0] != pair[1]:
                rows.append((f"Grade {grade}", _grade(*pair), _grade(*reversed(pair))))
    return rows


def _grade(level: dict[str, str], other: dict[str, str]) -> str:
    """Return a grade's name, and of the rest what differs."""
    rest = [level.get(part, "") for part in ("meaning", "example", "colour") if level.get(part) != other.get(part)]
    return " · ".join(part for part in (level.get("name", ""), *rest) if part) or "none"


def _said(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "rate":
        return str(Rate.from_dict(value)) if value else "none"
    if name == "aggregation":
        return RULE_LABELS.get(value, str(value))
    registry = {"sampler": samplers, "ranker": rankers}.get(name)
    if registry is not None and value is not None:
        strategy = Strategy.from_dict(value)
        return strategy.label(registry) if strategy.name in registry.names() else strategy.key
    return f"{value:g}" if isinstance(value, float) else str(value if value not in (None, "") else "none")

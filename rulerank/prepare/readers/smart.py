"""SMART's format (Cranfield, CISI, MED, CACM, TIME, ADI): `.I 12` begins a record, `.T`, `.A`, `.W`... its parts.

Parts: `.T` title, `.W` text, `.A` authors, `.K` keywords; `.X` lists other documents (cited, or cited together).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulerank.prepare.files import TextLines
from rulerank.prepare.gathered import Gatherer

LINKS = "links"

_RECORD = re.compile(r"\.I\s+(\S+)\s*")
_PART = re.compile(r"\.([A-Z])\s*")
_BLANKS = re.compile(r"\s+")


def read_documents(lines: TextLines, into: Gatherer) -> None:
    """Read documents; authors and keywords follow the text, and a text that repeats its title loses it."""
    for line, docid, parts in _records(lines):
        title = _flat(parts.get("T", []))
        body = _without_title("\n".join(parts.get("W", [])).strip(), title)
        beside = [_flat(parts[name]) for name in ("K", "A") if name in parts]
        links = _links(docid, parts["X"]) if "X" in parts else None
        whole = "\n\n".join(part for part in (body, *beside) if part)
        into.document(lines, line, docid, title, whole, numbers=None if links is None else {LINKS: links})


def read_queries(lines: TextLines, into: Gatherer) -> None:
    """Read queries: what they ask is the title, if there is one, with the text as the need; else the text."""
    for line, qid, parts in _records(lines):
        title, text = _flat(parts.get("T", [])), _flat(parts.get("W", []))
        into.query(lines, line, qid, title or text, text if title else "")


def plain_id(text: str) -> str:
    """Return an id without leading zeros: `.I 004` is `4` in the judgements."""
    return text.lstrip("0") or "0" if text.isascii() and text.isdigit() else text


def _records(lines: TextLines) -> Iterator[tuple[int, str, dict[str, list[str]]]]:
    """Give each record's line, id and parts."""
    begun, key = 0, ""
    parts: dict[str, list[str]] = {}
    part: list[str] | None = None
    for line in lines:
        if found := _RECORD.fullmatch(line):
            if begun:
                yield begun, key, parts
            begun, key, parts, part = lines.line, plain_id(found.group(1)), {}, None
        elif found := _PART.fullmatch(line):
            if not begun:
                lines.complain(line, "a part before the first record: a record begins with a line such as '.I 12'")
                return
            part = parts.setdefault(found.group(1), [])
        elif part is not None:
            part.append(line)
        elif line.strip():
            where = "before its first part, such as .T or .W" if begun else "before the first record, such as .I 1"
            lines.complain(line, f"text {where}")
    if begun:
        yield begun, key, parts
    else:
        lines.complain("", "no record: a record begins with a line such as '.I 12'", 1)


def _flat(rows: list[str]) -> str:
    return _BLANKS.sub(" ", " ".join(rows)).strip()


def _without_title(body: str, title: str) -> str:
    """Cut the title off the beginning of a text that repeats it, however its lines are broken."""
    if not title:
        return body
    again = re.compile(r"\s+".join(map(re.escape, title.split())))
    found = again.match(body)
    return body[found.end() :].strip() if found else body


def _links(docid: str, rows: list[str]) -> float:
    """Count the other documents that `.X` names."""
    return float(len({plain_id(row.split()[0]) for row in rows if row.strip()} - {docid}))

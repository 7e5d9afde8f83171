"""TREC's formats: documents as SGML (`<DOC><DOCNO>...`), and topics (`<top><num>...`, or `<topic number=...>`)."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from rulerank.prepare.files import TextLines
from rulerank.prepare.gathered import Gatherer

TITLES = ("title", "headline", "hl", "ttl", "head")
LONGEST_RECORD = 1 << 26

_DOCNO = re.compile(r"<docno>(.*?)</docno>", re.I | re.S)
_TEXTS = re.compile(r"<(text|body|abstract)\b[^>]*>(.*?)</\1>", re.I | re.S)
_TITLES = re.compile(rf"<({'|'.join(TITLES)})\b[^>]*>(.*?)</\1>", re.I | re.S)
_HIDDEN = re.compile(r"<(docno|docid|docoldno|dochdr|fileid|script|style)\b[^>]*>.*?</\1>|<!--.*?-->", re.I | re.S)
_TAG = re.compile(r"</?[a-z!][^<>]*>", re.I)
_SPACES = re.compile(r"[^\S\n]+")
_GAPS = re.compile(r"\s*\n\s*\n\s*")
_NUMBER = re.compile(r"<num>\s*(?:number\s*:)?\s*([^\s<]+)", re.I)
_ATTRIBUTE = re.compile(r"<topic\b[^>]*\bnumber\s*=\s*[\"']?([^\"'\s>]+)", re.I)
_LABELS = re.compile(r"\s*(?:topic|description|narrative)\s*:", re.I)


def read_documents(lines: TextLines, into: Gatherer) -> None:
    """Read documents: the title from TITLE, HEADLINE, HL, TTL or HEAD, the text from TEXT (or from all the rest)."""
    for line, record in _records(lines, "doc"):
        number = _DOCNO.search(record)
        if not number:
            lines.complain(_first_words(record), "the document has no <DOCNO>...</DOCNO>", line)
            continue
        title = " ".join(_plain(found.group(2)) for found in _TITLES.finditer(record))
        texts = [found.group(2) for found in _TEXTS.finditer(record)]
        body = "\n\n".join(texts) if texts else _TITLES.sub(" ", record)
        into.document(lines, line, number.group(1).strip(), _SPACES.sub(" ", title.replace("\n", " ")), _plain(body))


def read_queries(lines: TextLines, into: Gatherer) -> None:
    """Read topics: the title (or query) is what is asked, the description the need; the narrative if there is none."""
    for line, record in _records(lines, "top|topic"):
        number = _NUMBER.search(record) or _ATTRIBUTE.search(record)
        if not number:
            lines.complain(_first_words(record), "the topic has no number: <num> Number: 301", line)
            continue
        title = _part(record, "title") or _part(record, "query")
        need = _part(record, "desc") or _part(record, "description") or _part(record, "narr")
        into.query(lines, line, number.group(1), title, need)


def _records(lines: TextLines, names: str) -> Iterator[tuple[int, str]]:
    """Give each record's line and its text, tags included."""
    begin, end = re.compile(rf"<(?:{names})\b[^>]*>", re.I), re.compile(rf"</(?:{names})\s*>", re.I)
    shown = f"<{names.split('|', maxsplit=1)[0].upper()}>"
    begun, any_record = 0, False
    kept: list[str] = []
    size = 0
    for line in lines:
        rest = line
        while True:
            if not begun:
                found = begin.search(rest)
                if not found:
                    break
                begun, any_record = lines.line, True
                # The opening tag of a topic may hold its number.
                kept, size = [found.group()], 0
                rest = rest[found.end() :]
            found = end.search(rest)
            if not found:
                if begin.search(rest) or size > LONGEST_RECORD:
                    lines.complain(rest, f"the record that began in line {begun} has no closing tag {shown}", begun)
                    begun = 0
                    continue
                kept.append(rest)
                size += len(rest)
                break
            yield begun, "\n".join([*kept, rest[: found.start()]])
            begun = 0
            rest = rest[found.end() :]
    if begun:
        lines.complain("", f"the record that began in line {begun} has no closing tag {shown}", begun)
    elif not any_record:
        lines.complain("", f"no record: a record begins with {shown}", 1)


def _part(record: str, name: str) -> str:
    """Return one part of a topic; the old topics close none of their tags."""
    found = re.search(rf"<{name}\b[^>]*>(.*?)(?=<(?:num|title|query|desc|description|narr|/)|\Z)", record, re.I | re.S)
    return " ".join(_LABELS.sub("", _plain(found.group(1)), count=1).split()) if found else ""


def _plain(markup: str) -> str:
    """Return text without tags and with its entities resolved; paragraphs stay apart."""
    text = html.unescape(_TAG.sub(" ", _HIDDEN.sub(" ", markup)))
    return _GAPS.sub("\n\n", _SPACES.sub(" ", text)).strip()


def _first_words(record: str) -> str:
    return " ".join(record.split()[:10])

"""A table of query-document pairs as people really have it: 38 rows, semicolons, a byte order mark, quotes and gaps."""

from __future__ import annotations

import codecs
import csv
import io

HEADER = ("Query", "Title", "Text", "URL", "Label", "Author")
SUBJECTS = (
    "password", "invoice", "printer", "holiday", "laptop", "meeting room", "parking", "travel", "contract", "badge",
    "phone", "backup",
)  # fmt: skip
QUERIES = ("reset my password", "where is my invoice", 'printer says "paper jam"', "book; cancel a holiday")
ROWS = 38
PAIRS = 36  # two rows repeat a pair
DOCUMENTS = 12


def rows() -> list[tuple[str, ...]]:
    """36 pairs of four queries and twelve documents, and two rows that stand there twice; some cells are empty."""
    found = []
    for number in range(PAIRS):
        query, subject = QUERIES[number % 4], SUBJECTS[(number // 4 + number % 4 * 5) % DOCUMENTS]
        place = SUBJECTS.index(subject)
        title = "" if place == 3 else f"About the {subject}"
        text = f'How to get a {subject}; "quickly".\nSecond line, with a comma.'
        url = "" if place % 4 == 1 else f"https://help.example/{place}"
        grade = "" if number % 6 == 5 else str(number % 3)
        found.append((query, title, text, url, grade, "Ann" if number % 2 else ""))
    return [*found[:20], found[3], *found[20:], (*found[7][:4], "", "Bob")]


def table(*, bad: bool = False) -> bytes:
    """The table as Excel writes it where commas divide decimals."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", lineterminator="\r\n")
    writer.writerow(HEADER)
    told = rows()
    if bad:
        told[1] = ("", *told[1][1:])
        told[4] = (*told[4][:1], "", "", "", *told[4][4:])
        told[9] = (*told[9][:4], "good", told[9][5])
    writer.writerows(told)
    return codecs.BOM_UTF8 + out.getvalue().encode()

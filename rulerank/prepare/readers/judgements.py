"""Judgements and runs: TREC's and BEIR's qrels, SMART's lists of relevant documents, and TREC's run files."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rulerank.foreign.numbers import NumberError, finite_number, whole_number
from rulerank.memory import MemoryMeter
from rulerank.prepare.files import TextLines
from rulerank.prepare.readers.smart import plain_id

Judgement = tuple[str, str, int]  # qid, docid, grade
Row = tuple[int, list[str]]

LARGEST_GRADE = 999
BYTES_PER_ROW = 200  # of a line beside its texts: a list, a tuple, and places in tables
BYTES_PER_CELL = 60

_HEADS = ("query-id", "query_id", "qid", "topic")


def read_judgements(lines: TextLines) -> list[Judgement]:
    """Read judgements, whichever way they are written.

    | columns | whose |
    | --- | --- |
    | qid 0 docid grade | TREC's qrels |
    | query-id corpus-id score, with these names first | BEIR's qrels |
    | qid docid grade | Cranfield's |
    | qid docid 0 0.0 | SMART's: all are relevant (grade 1) |
    | qid docid docid docid... | SMART's for TIME: all are relevant |
    """
    meter = MemoryMeter(f"{lines.name}: the judgements up to here")
    rows: list[Row] = []
    for line in lines:
        cells = line.replace(",", " ").split()
        if cells:
            meter.add(BYTES_PER_ROW + BYTES_PER_CELL * len(cells) + len(line))
            rows.append((lines.line, cells))
    if rows and rows[0][1][0].lower() in _HEADS:
        rows = rows[1:]
    if not rows:
        lines.complain("", "the file holds no judgements", 1)
        return []
    read = _form_of(rows)
    found = []
    for number, cells in rows:
        judged = list(read(cells))
        if not judged:
            lines.complain(" ".join(cells), "not a judgement such as '301 0 FBIS3-1 2' (qid, 0, docid, grade)", number)
        found += judged
    return found


def _form_of(rows: list[Row]) -> Callable[[list[str]], Iterator[Judgement]]:
    """Detect from all rows how they are written."""
    widths = {len(cells) for _, cells in rows}
    full = [cells for _, cells in rows if len(cells) >= 4]
    if full and len(full) * 2 > len(rows) and all(cells[1] in ("0", "Q0") for cells in full):
        return _trec
    if full and len(full) * 2 > len(rows) and all(_is_zero(cells[2]) and _is_zero(cells[3]) for cells in full):
        return _smart
    threes = sum(len(cells) == 3 for _, cells in rows)
    if threes * 2 > len(rows) and widths <= {1, 2, 3, 4}:
        return _three
    return _list


def _is_zero(text: str) -> bool:
    grade = _grade(text)
    return grade == 0


def _grade(text: str) -> int | None:
    try:
        value = finite_number(text)
    except NumberError:
        return None
    return int(value) if value.is_integer() and abs(value) <= LARGEST_GRADE else None


def _trec(cells: list[str]) -> Iterator[Judgement]:
    grade = _grade(cells[3]) if len(cells) == 4 else None
    if grade is not None:
        yield cells[0], cells[2], grade


def _three(cells: list[str]) -> Iterator[Judgement]:
    grade = _grade(cells[2]) if len(cells) == 3 else None
    if grade is not None:
        yield cells[0], cells[1], grade


def _smart(cells: list[str]) -> Iterator[Judgement]:
    if len(cells) == 4:
        yield plain_id(cells[0]), plain_id(cells[1]), 1


def _list(cells: list[str]) -> Iterator[Judgement]:
    for docid in cells[1:]:
        yield plain_id(cells[0]), plain_id(docid), 1


def read_run(lines: TextLines) -> dict[str, list[str]]:
    """Read a run (`qid Q0 docid rank score tag`): the docids of each query by falling score, ties by rank."""
    ranked: dict[str, list[tuple[float, int, str]]] = {}
    meter = MemoryMeter(f"{lines.name}: the lines of the run up to here")
    for line in lines:
        cells = line.split()
        if not cells:
            continue
        try:
            qid, _, docid, rank, score = cells[:5]
            place = -finite_number(score), whole_number(rank), docid
        except ValueError:  # too few columns, or no numbers
            lines.complain(line, "not a line of a run such as '301 Q0 FBIS3-1 1 14.2 name'")
            continue
        meter.add(BYTES_PER_ROW + 2 * len(line))
        ranked.setdefault(qid, []).append(place)
    return {qid: [docid for *_, docid in sorted(entries)] for qid, entries in ranked.items()}

"""The compiled part of the LETOR reader: whole lines of bytes into rows of arrays.

`parse_rows` goes on from line to line until it needs something that only its caller can give (a wider matrix, more
rows, room for codes) and then returns with the reason, standing at the start of the line that asked for it. So no
step needs to know the number of rows or features beforehand, and no line is read by two different parsers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rulerank.collection.fields import ABSENT, MAX_GRADE, NULL, PRESENT, UNLABELLED, Array
from rulerank.kernels import Scalar, kernel
from rulerank.letor.numbers import (
    EXACT,
    NOT_A_NUMBER,
    SETTLED,
    TOO_BIG,
    ends_token,
    is_blank,
    quick_digits,
    scan_number,
    to_float,
)

# What a cell of the matrix holds.

# Why `parse_rows` returned.
DONE, MORE_ROWS, WIDER, CODES, MORE_LEFTOVERS, MORE_RUNS, ENOUGH_PROBLEMS = range(7)

# What is wrong with a line.
(
    FINE,
    BAD_GRADE,
    FRACTIONAL_GRADE,
    NEGATIVE_GRADE,
    LARGE_GRADE,
    NO_QUERY,
    EMPTY_QUERY,
    BAD_PAIR,
    BAD_FEATURE,
    LOW_FEATURE,
    HIGH_FEATURE,
    REPEATED_FEATURE,
    NO_VALUE,
    BAD_VALUE,
    HUGE_VALUE,
    NUL_BYTE,
) = range(16)

# Places in the array `state`, which outlives the calls.
(
    AT,  # position in the text
    LINE,  # number of the line that begins there
    ROWS,  # rows stored so far
    ATTEMPT,  # serial number of the last row that was begun
    NEEDED,  # features that the line at hand needs
    PROBLEMS,  # problems, leftovers, runs and bytes of notes stored in this call's arrays
    LEFTOVERS,
    RUNS,
    NOTES,
    MAX_FEATURES,
    MOST,  # the highest feature of any row; the matrix may have columns to spare
) = range(11)
STATE_SIZE = 11

QUICK_DIGITS = 16  # digits below this many are an exact float, and so is their power of ten
_NEWLINE, _HASH, _POINT, _COLON = 10, 35, 46, 58


@kernel(error_model="numpy")
def _token_end(text: Array, at: int) -> int:
    while not ends_token(text[at]):
        at += 1
    return at


@kernel(error_model="numpy")
def _starts_with(text: Array, at: int, a: int, b: int, c: int, d: int) -> bool:
    """Compare four bytes; no byte past a line's end is looked at, since none of the four is a line's end."""
    return text[at] == a and text[at + 1] == b and text[at + 2] == c and text[at + 3] == d


@kernel(error_model="numpy")
def _grade(text: Array, at: int) -> tuple[Any, ...]:
    """Read a grade: (problem, grade)."""
    kind, negative, digits, exponent, _ = scan_number(text, at)
    if kind == NOT_A_NUMBER:
        return BAD_GRADE, 0
    if digits == 0:
        return FINE, 0
    while exponent < 0 and digits % np.uint64(10) == 0:
        digits //= np.uint64(10)
        exponent += 1
    if exponent < 0 or (kind != EXACT and exponent == 0):
        return FRACTIONAL_GRADE, 0
    while exponent > 0 and digits <= np.uint64(MAX_GRADE):
        digits *= np.uint64(10)
        exponent -= 1
    if negative:
        return (FINE, UNLABELLED) if digits == 1 else (NEGATIVE_GRADE, 0)
    if digits > np.uint64(MAX_GRADE):
        return LARGE_GRADE, 0
    return FINE, np.int64(digits)


@kernel(error_model="numpy")
def _feature(text: Array, at: int, limit: int) -> tuple[Any, ...]:
    """Read the number of a feature up to its colon: (problem, feature, position of the colon)."""
    start = at
    feature: Scalar = 0
    if text[at] == 45 or text[at] == 43:
        at += 1
    first = at
    while 48 <= text[at] <= 57:
        feature = min(feature * 10 + np.int64(text[at]) - 48, limit + 1)
        at += 1
    if text[at] != _COLON:
        colon = at
        while not ends_token(text[colon]) and text[colon] != _COLON:
            colon += 1
        return (BAD_FEATURE if text[colon] == _COLON else BAD_PAIR), 0, at
    if at == first:
        return BAD_FEATURE, 0, at
    if feature < 1 or text[start] == 45:
        return LOW_FEATURE, 0, at
    if feature > limit:
        return HIGH_FEATURE, 0, at
    return FINE, feature, at


@kernel(error_model="numpy")
def _new_query(text: Array, start: int, stop: int, runs: Array, count: int) -> bool:
    """Say whether the query at start..stop differs from that of the row before."""
    if count == 0:
        return True
    begin = runs[count - 1, 1]
    if runs[count - 1, 2] - begin != stop - start:
        return True
    for i in range(stop - start):  # noqa: SIM110 (compiled loop)
        if text[begin + i] != text[start + i]:
            return True
    return False


@kernel(error_model="numpy")
def parse_rows(
    text: Array,
    tens: Array,
    fives: Array,
    state: Array,
    features: Array,
    codes: Array,
    seen: Array,
    grades: Array,
    runs: Array,
    notes: Array,
    problems: Array,
    leftovers: Array,
) -> int:
    """Store the rows of `text` (whole lines) from `state[AT]` on, and return why it stopped.

    Row r gets `features[r]` (0.0 where missing), `codes[r]` (if `codes` has rows at all) and `grades[r]`.
    `runs` gets (first row, start and end of the qid, line) for each run of rows with one qid; `notes` the comments,
    each ended by a newline; `leftovers` the values that Python must read: (row, column, start, end, line, start
    of the line); `problems` (line, start of the line, start, end, kind). `seen` holds the attempt that last met each
    feature, which detects repeated and absent ones without clearing anything between the lines.
    """
    at, line, row = state[AT], state[LINE], state[ROWS]
    width = features.shape[1]
    limit = state[MAX_FEATURES]
    reason = DONE
    while at < text.size:
        line_start = at
        while is_blank(text[at]):
            at += 1
        is_row = text[at] != _NEWLINE and text[at] != _HASH
        if is_row and row == grades.size:
            reason = MORE_ROWS
        elif is_row and state[RUNS] == len(runs):
            reason = MORE_RUNS
        if reason != DONE:
            at = line_start
            break

        problem = FINE
        where = at
        grade = UNLABELLED
        leftovers_before = state[LEFTOVERS]
        query_start = query_stop = at
        found = 0
        nulls = 0
        needed = 0
        state[ATTEMPT] += 1
        attempt = state[ATTEMPT]
        if is_row:
            if not _starts_with(text, at, 113, 105, 100, 58):
                problem, grade = _grade(text, at)
                if problem == FINE:
                    at = _token_end(text, at)
                    while is_blank(text[at]):
                        at += 1
                    where = at
                    if not _starts_with(text, at, 113, 105, 100, 58):
                        problem = NO_QUERY
            if problem == FINE:
                query_start = at + 4
                query_stop = at = _token_end(text, query_start)
                if query_start == query_stop:
                    problem = EMPTY_QUERY
        while problem == FINE:
            while is_blank(text[at]):
                at += 1
            if text[at] == _NEWLINE or text[at] == _HASH:
                break
            where = at
            feature, at = quick_digits(text, where, 0)
            if not (text[at] == _COLON and 0 < feature <= limit and at - where < QUICK_DIGITS):
                problem, feature, at = _feature(text, where, limit)
                if problem != FINE:
                    break
            at += 1
            if ends_token(text[at]):
                problem = NO_VALUE
                break
            value = 0.0
            column = feature - 1
            is_null = False
            # Nearly all values are short and plain; `scan_number` reads every other form.
            number, after = quick_digits(text, at, 0)
            has_whole = after > at
            decimals = 0
            if text[after] == _POINT:
                point = after + 1
                number, after = quick_digits(text, point, number)
                decimals = after - point
            if has_whole and after - at < QUICK_DIGITS and ends_token(text[after]):
                value = np.float64(number) / tens[decimals]
                at = after
            elif _starts_with(text, at, 78, 85, 76, 76) and ends_token(text[at + 4]):
                nulls += 1
                is_null = True
                at += 4
            else:
                kind, negative, digits, exponent, after = scan_number(text, at)
                if kind == NOT_A_NUMBER:
                    problem = BAD_VALUE
                    break
                outcome, value = to_float(kind, negative, digits, exponent, tens, fives)
                if outcome == TOO_BIG:
                    problem = HUGE_VALUE
                    break
                if outcome != SETTLED:
                    if state[LEFTOVERS] == len(leftovers):
                        reason = MORE_LEFTOVERS
                        break
                    k = state[LEFTOVERS]
                    leftovers[k, 0], leftovers[k, 1], leftovers[k, 2] = row, column, where
                    leftovers[k, 3], leftovers[k, 4], leftovers[k, 5] = after, line, line_start
                    state[LEFTOVERS] += 1
                at = after
            if feature > width:
                needed = max(needed, feature)
                continue
            if seen[column] == attempt:
                problem = REPEATED_FEATURE
                break
            seen[column] = attempt
            found += 1
            features[row, column] = value
            if len(codes) > 0:
                codes[row, column] = NULL if is_null else PRESENT

        note_start = at
        if problem == FINE and reason == DONE:
            # The rest of the line is a comment, or nothing.
            while text[at] != _NEWLINE and text[at] != 0:
                at += 1
            if text[at] == 0:
                problem = NUL_BYTE
                where = at
        if is_row and problem == FINE and reason == DONE:
            if needed > width:
                reason = WIDER
                state[NEEDED] = needed
            elif len(codes) == 0 and (nulls > 0 or found < width):
                reason = CODES
        if reason != DONE:
            at = line_start
            state[LEFTOVERS] = leftovers_before
            break

        if problem != FINE:
            state[LEFTOVERS] = leftovers_before
            k = state[PROBLEMS]
            problems[k, 0], problems[k, 1], problems[k, 2] = line, line_start, where
            problems[k, 3] = where + 1 if problem == NUL_BYTE else _token_end(text, where)
            problems[k, 4] = problem
            state[PROBLEMS] += 1
            while text[at] != _NEWLINE:
                at += 1
            at += 1
            line += 1
            if state[PROBLEMS] == len(problems):
                reason = ENOUGH_PROBLEMS
                break
            continue

        if is_row:
            most = width
            if found < width:
                most = 0
                for column in range(width):
                    if seen[column] == attempt:
                        most = column + 1
                    else:
                        features[row, column] = 0.0
                        codes[row, column] = ABSENT
            state[MOST] = max(state[MOST], most)
            grades[row] = grade
            if _new_query(text, query_start, query_stop, runs, state[RUNS]):
                k = state[RUNS]
                runs[k, 0], runs[k, 1], runs[k, 2], runs[k, 3] = row, query_start, query_stop, line
                state[RUNS] += 1
            note_stop = at
            while note_stop > note_start and text[note_stop - 1] == 13:
                note_stop -= 1
            k = state[NOTES]
            for i in range(note_start + 1, note_stop):
                notes[k] = text[i]
                k += 1
            notes[k] = _NEWLINE
            state[NOTES] = k + 1
            row += 1
        at += 1
        line += 1
    state[AT], state[LINE], state[ROWS] = at, line, row
    return reason

"""Decimal text to float and back, bit for bit as Python's `float` and `repr`, in compiled code.

Reading: up to 19 significant digits are gathered into an integer and a power of ten. Small ones take one
correctly rounded operation (Clinger, "How to read floating point numbers accurately", PLDI 1990); the others the
128-bit product of Lemire ("Number parsing at a gigabyte per second", SPE 51, 2021, sections 5 to 8). What neither
settles for certain is left to Python's `float`.

Writing: a float with a decimal form of at most 15 digits has exactly one such form, and it is the shortest; it is
found by scaling with an exact power of ten. Of 16 digits the nearest form is tried, and if it does not read back, the
nearest of 17, which does. What lies outside the exact powers of ten is left to Python's `repr`.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from rulerank.collection.fields import Array
from rulerank.kernels import Scalar, kernel

NOT_A_NUMBER, EXACT, INEXACT = 0, 1, 2  # how the scanned digits stand to the text
SETTLED, UNSETTLED, TOO_BIG = 0, 1, 2  # what became of digits and exponent
LEFT_TO_PYTHON = -1  # in place of a count of decimals

MAX_DIGITS = 19  # the most decimal digits that always fit into 64 bits
EXACT_POWER = 22  # 10**22 is the largest power of ten that is a float
LEAST_POWER, MOST_POWER = -342, 308  # outside these, 19 digits give zero or infinity
FIFTEEN_DIGITS = 1e15

_EXACT_INTEGER = np.uint64(1 << 53)
_ONE = np.uint64(1)
_TEN = np.uint64(10)
_HALF_BITS = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_SPLITTER = 134217729.0  # 2**27 + 1 cuts a float into two halves of 26 bits
_ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)


@cache
def tens() -> Array:
    """Return the powers of ten from 10**0 to 10**22, all of them exact floats."""
    return np.array([float(10**k) for k in range(EXACT_POWER + 1)])


@cache
def fives() -> Array:
    """Return the leading 128 bits (high and low word) of 5**q for q from -342 to 308.

    All are cut off, except the reciprocals down to 5**-27, which are rounded up so that exact ties can be detected
    (Lemire, sections 5 and 8).
    """
    table = np.empty((MOST_POWER - LEAST_POWER + 1, 2), dtype=np.uint64)
    for q in range(LEAST_POWER, MOST_POWER + 1):
        power = 5 ** abs(q)
        if q >= 0:
            shift = 128 - power.bit_length()
            bits = power << shift if shift >= 0 else power >> -shift
        else:
            bits = (1 << (power.bit_length() + 127)) // power + (q >= -27)
        table[q - LEAST_POWER] = bits >> 64, bits & 0xFFFFFFFFFFFFFFFF
    return table


@kernel(error_model="numpy")
def is_blank(char: int) -> bool:
    """Say whether a byte separates tokens within a line."""
    return char == 32 or (9 <= char <= 13 and char != 10)


@kernel(error_model="numpy")
def ends_token(char: int) -> bool:
    """Say whether a byte ends a token: a blank, the end of the line, or the `#` of a comment."""
    return char == 32 or 9 <= char <= 13 or char == 35


@kernel(error_model="numpy")
def _scan_long(text: Array, at: int, stop: int) -> tuple[Any, ...]:
    """Gather the first 19 significant digits of text[at:stop]: (digits, exponent, whether others were dropped)."""
    digits = np.uint64(0)
    count = 0
    exponent = 0
    dropped = False
    after_point = False
    for i in range(at, stop):
        digit = np.int64(text[i]) - 48
        if digit < 0:
            after_point = True
        elif count < MAX_DIGITS:
            digits = digits * _TEN + np.uint64(digit)
            count += digits != 0
            exponent -= after_point
        else:
            dropped = dropped or digit != 0
            exponent += not after_point
    return digits, exponent, dropped


@kernel(inline="always")
def quick_digits(text: Array, at: int, number: Scalar) -> tuple[Any, ...]:
    """Append the digits at `at` to a number (which wraps round if they are too many): (number, position after)."""
    digit = np.int64(text[np.uint64(at)]) - 48  # an unsigned index needs no check for a negative one
    while 0 <= digit <= 9:
        number = number * 10 + digit
        at += 1
        digit = np.int64(text[np.uint64(at)]) - 48
    return number, at


@kernel(error_model="numpy")
def scan_number(text: Array, at: int) -> tuple[Any, ...]:
    """Read the decimal number at `at`: (kind, negative, digits, exponent, position after it).

    The number is digits * 10**exponent; INEXACT says that digits after the 19th were dropped.
    """
    negative = text[at] == 45
    if negative or text[at] == 43:
        at += 1
    start = at
    number, at = quick_digits(text, at, 0)
    count = at - start
    exponent = 0
    if text[at] == 46:
        point = at + 1
        number, at = quick_digits(text, point, number)
        exponent = point - at
        count -= exponent
    digits = np.uint64(number)
    kind = EXACT
    if count == 0:
        return NOT_A_NUMBER, negative, digits, exponent, at
    if count > MAX_DIGITS:
        digits, exponent, dropped = _scan_long(text, start, at)
        if dropped:
            kind = INEXACT
    if text[at] == 101 or text[at] == 69:
        at += 1
        sign: Scalar = 1
        if text[at] == 45 or text[at] == 43:
            sign = 44 - np.int64(text[at])
            at += 1
        if not 48 <= text[at] <= 57:
            return NOT_A_NUMBER, negative, digits, exponent, at
        power: Scalar = 0
        while 48 <= text[at] <= 57:
            # A cap far beyond any line's length: the sum with `exponent` keeps its sign and cannot overflow.
            power = min(power * 10 + np.int64(text[at]) - 48, 1 << 50)
            at += 1
        exponent += sign * power
    if not ends_token(text[at]):
        kind = NOT_A_NUMBER
    return kind, negative, digits, exponent, at


@kernel(error_model="numpy")
def _product(a: int, b: int) -> tuple[Any, ...]:
    """Return the high and the low word of the 128-bit product of two 64-bit words."""
    a_high, a_low = a >> _HALF_BITS, a & _LOW_HALF
    b_high, b_low = b >> _HALF_BITS, b & _LOW_HALF
    low = a_low * b_low
    middle = a_high * b_low + (low >> _HALF_BITS)
    other = a_low * b_high + (middle & _LOW_HALF)
    high = a_high * b_high + (middle >> _HALF_BITS) + (other >> _HALF_BITS)
    return high, (other << _HALF_BITS) | (low & _LOW_HALF)


@kernel(error_model="numpy")
def _by_product(digits: Scalar, exponent: int, fives: Array) -> tuple[Any, ...]:
    """Round digits * 10**exponent (digits > 0) to a float by Lemire's product, where that is certain."""
    if exponent > MOST_POWER:
        return TOO_BIG, 0.0
    if exponent < LEAST_POWER:
        return SETTLED, 0.0
    lead = 0
    while digits >> np.uint64(63) == 0:
        digits <<= _ONE
        lead += 1
    row = exponent - LEAST_POWER
    high, low = _product(digits, fives[row, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        extra, _ = _product(digits, fives[row, 1])
        low += extra
        if low < extra:
            high += _ONE
    if low == _ALL_ONES and not -27 <= exponent <= 55:
        return UNSETTLED, 0.0
    top = np.int64(high >> np.uint64(63))
    shift = np.uint64(top + 9)
    mantissa = high >> shift
    binary: Scalar = ((217706 * exponent) >> 16) + 63 + top - lead  # 217706 / 2**16 is log2(10), near enough here
    if binary <= -1022:
        return UNSETTLED, 0.0  # subnormal, or next to it
    halfway = low <= _ONE and -4 <= exponent <= 23 and mantissa & np.uint64(3) == _ONE
    if halfway and mantissa << shift == high:
        mantissa -= _ONE  # an exact tie goes to the even neighbour
    mantissa = (mantissa + (mantissa & _ONE)) >> _ONE
    value = math.ldexp(np.float64(np.int64(mantissa)), binary - 52)
    if value == np.inf:
        return TOO_BIG, 0.0
    return SETTLED, value


@kernel(error_model="numpy")
def to_float(kind: int, negative: bool, digits: int, exponent: int, tens: Array, fives: Array) -> tuple[Any, ...]:
    """Turn what `scan_number` found into (outcome, float); UNSETTLED asks for Python's `float`."""
    sign = -1.0 if negative else 1.0
    if kind == EXACT and digits <= _EXACT_INTEGER and -EXACT_POWER <= exponent <= 0:
        # Zero goes this way too: a branch of its own would be mispredicted all the time.
        return SETTLED, sign * (np.float64(np.int64(digits)) / tens[-exponent])
    if kind == INEXACT:
        return UNSETTLED, 0.0
    if digits == np.uint64(0):
        return SETTLED, sign * 0.0
    if digits <= _EXACT_INTEGER and 0 < exponent <= EXACT_POWER:
        return SETTLED, sign * (np.float64(np.int64(digits)) * tens[exponent])
    outcome, value = _by_product(digits, exponent, fives)
    return outcome, sign * value


@kernel(error_model="numpy")
def _nearest_whole(a: float, b: float) -> Scalar:
    """Return the whole number nearest to a * b (below 2**57), from the exact product in two parts (Dekker 1971)."""
    product = a * b
    a_high = a * _SPLITTER - (a * _SPLITTER - a)
    b_high = b * _SPLITTER - (b * _SPLITTER - b)
    a_low, b_low = a - a_high, b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    whole = np.floor(product)
    return np.int64(whole) + np.int64(np.rint((product - whole) + error))


@kernel(error_model="numpy")
def _long_form(value: float, decimals: int, tens: Array, fives: Array) -> tuple[Any, ...]:
    """Try 16 digits (`decimals` of them after the point), then 17, and see whether they read back as `value`."""
    for k in range(decimals, min(decimals + 2, EXACT_POWER + 1)):
        mantissa = _nearest_whole(value, tens[k])
        outcome, back = to_float(EXACT, False, np.uint64(mantissa), -k, tens, fives)
        if outcome == SETTLED and back == value:
            return mantissa, k
    return 0, LEFT_TO_PYTHON


@kernel(error_model="numpy")
def _shortest(value: float, tens: Array, fives: Array) -> tuple[Any, ...]:
    """Return (mantissa, decimals) of the shortest decimal form of `value` >= 0, or leave it to Python."""
    # Up to 15 digits the scaled value lies within a quarter of the whole number sought, so rounding finds it.
    decimals = 0
    while decimals <= EXACT_POWER:
        scaled = np.rint(value * tens[decimals])
        if scaled >= FIFTEEN_DIGITS:
            return _long_form(value, decimals, tens, fives) if decimals > 0 else (0, LEFT_TO_PYTHON)
        if scaled / tens[decimals] == value:
            return np.int64(scaled), decimals
        decimals += 1
    return 0, LEFT_TO_PYTHON


@kernel(error_model="numpy")
def _fixed(value: float, decimals: int, tens: Array) -> tuple[Any, ...]:
    """Return (mantissa, decimals) of `value` >= 0 rounded to that many decimals, where no tie is in doubt."""
    scaled = value * tens[decimals]
    if scaled >= FIFTEEN_DIGITS or abs(scaled - np.floor(scaled) - 0.5) <= 1e-15 * scaled:
        return 0, LEFT_TO_PYTHON
    return np.int64(np.rint(scaled)), decimals


@kernel(error_model="numpy")
def scale(values: Array, wanted: int, tens: Array, fives: Array, mantissas: Array, decimals: Array) -> int:
    """Write every value as mantissa / 10**decimals and return how many are left to Python.

    `wanted` < 0 asks for the shortest form, otherwise it is the fixed number of decimals. The sign is the value's.
    """
    left = 0
    for i in range(values.size):
        size = abs(values[i])
        six = np.rint(size * 1e6)
        if wanted < 0 and six < FIFTEEN_DIGITS and six / 1e6 == size:
            # LETOR's own files have six decimals: this is nearly every value of theirs.
            mantissa = np.uint64(six)
            count = 6
            while count > 0:
                tenth = mantissa // _TEN
                if tenth * _TEN != mantissa:
                    break
                mantissa = tenth
                count -= 1
            mantissas[i], decimals[i] = np.int64(mantissa), count
        elif wanted < 0:
            mantissas[i], decimals[i] = _shortest(size, tens, fives)
        else:
            mantissas[i], decimals[i] = _fixed(size, wanted, tens)
        left += decimals[i] == LEFT_TO_PYTHON
    return left

"""Written and read again, a Collection is the same to the last bit; numbers are as short as they can be."""

from __future__ import annotations

import io
import random
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rulerank.collection import Collection
from rulerank.errors import InputError
from rulerank.letor import read_letor, write_letor


def written(collection: Collection, **options) -> bytes:
    out = io.BytesIO()
    write_letor(collection, out, **options)
    return out.getvalue()


def again(collection: Collection) -> Collection:
    return read_letor(io.BytesIO(written(collection)))


def of_values(values) -> Collection:
    return Collection.from_arrays(np.array([values], dtype=np.float64), ["q"], [1])


def tokens(data: bytes) -> list[str]:
    return [pair.split(":")[1] for pair in data.decode().split("#")[0].split()[2:]]


def bits(values) -> list[bytes]:
    return [struct.pack("<d", v) for v in values]


FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-1000, 1000, places=6).map(float),
    st.integers(-(2**70), 2**70).map(float),
    st.builds(lambda m, e: m * 10.0**e, st.integers(-999, 999), st.integers(-25, 25)),
)
SPECIAL = [
    -0.0,
    0.0,
    5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    1e308,
    0.1 + 0.2,
    1e22,
    1e23,
    1e15,
    1e16,
    9007199254740993.0,
    123456789012345.6,
    0.0001,
    0.00001,
    0.00012,
    9.999999e-5,
    1 / 3,
    4.35,
    999999.9999995,
]


@given(st.lists(FLOATS, min_size=1, max_size=20))
@example(SPECIAL)
def test_numbers_read_back_and_are_the_shortest(values):
    data = written(of_values(values))
    for text, value in zip(tokens(data), values, strict=True):
        assert bits([float(text)]) == bits([value])
        assert text == repr(value).removesuffix(".0")
    assert bits(read_letor(io.BytesIO(data)).features[0]) == bits(values)


@given(
    st.lists(
        st.from_regex(r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True),
        min_size=1,
    )
)
def test_every_number_is_read_as_python_reads_it(texts):
    texts = [text for text in texts if np.isfinite(float(text))]
    line = "0 qid:1 " + " ".join(f"{j}:{text}" for j, text in enumerate(texts, 1))
    assert bits(read_letor(io.StringIO(line)).features[0]) == bits(map(float, texts))


def test_many_numbers_at_the_edges_of_rounding():
    rng = random.Random(5)
    texts = []
    for _ in range(20_000):
        odd = 2 * (rng.getrandbits(53) | 1 << 52) + 1  # halfway between two floats
        texts.append(str(odd << rng.randrange(10)))
        texts.append(f"{odd + rng.choice([-1, 1])}e{rng.randrange(-330, 290)}")
        texts.append(f"{rng.getrandbits(63)}e{rng.randrange(-330, 285)}")
        texts.append(repr(struct.unpack("<d", struct.pack("<Q", rng.getrandbits(62)))[0]))
    line = "0 qid:1 " + " ".join(f"{j}:{text}" for j, text in enumerate(texts, 1))
    assert bits(read_letor(io.StringIO(line)).features[0]) == bits(map(float, texts))


@given(st.lists(FLOATS.filter(lambda v: abs(v) < 1e20), min_size=1, max_size=20), st.integers(0, 22))
@example([0.5, 1.5, 2.5, 0.125, 0.375, 2.675, 1.005, -0.0, -0.001, 1e-9, 0.285, 1e15 + 0.5], 2)
@example([0.5, 1.5, 2.5, -0.5, 0.49999999999999994], 0)
def test_fixed_decimals_are_those_of_python(values, decimals):
    assert tokens(written(of_values(values), decimals=decimals)) == [f"{v:.{decimals}f}" for v in values]


TEXT = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=12).map(
    lambda text: text.rstrip("\r")
)
QID = st.text(st.characters(exclude_characters=" \t\r\n\v\f#\0", exclude_categories=["Cs"]), min_size=1, max_size=5)
ROW = st.tuples(
    st.sampled_from(["", "-1 ", "0 ", "3 ", "32767 "]),
    st.one_of(st.sampled_from(["1", "2", "q:x"]), QID),
    st.dictionaries(st.integers(1, 9), st.one_of(FLOATS.map(repr), st.just("NULL"))),
    TEXT,
)


@given(st.lists(ROW, min_size=1, max_size=15))
def test_any_collection_comes_back(rows):
    lines = [f"{g}qid:{q} " + " ".join(f"{k}:{v}" for k, v in f.items()) + f" #{c}\n" for g, q, f, c in rows]
    collection = read_letor(io.BytesIO("".join(lines).encode()))
    assert len(collection) == len(rows)
    assert sorted(collection.comments) == sorted(row[3] for row in rows)
    back = again(collection)
    assert back == collection
    assert back.content_hash == collection.content_hash
    assert written(back) == written(collection)
    assert not back.warnings


def test_texts_of_all_scripts_come_back():
    data = "0 qid:café 1:1 #日本 😀 \u202e \x01\x1b\x85\u2028\n0 qid:\ufeff٣ 1:1 #\ufffd\n".encode()
    assert written(read_letor(io.BytesIO(data))) == data


def test_the_written_form():
    data = b"qid:b 1:1.50 3:NULL\n2.0 qid:a 2:1e3#docid = x\n0 qid:b 3:-0.0 1:1e-5 #\n"
    assert written(read_letor(io.BytesIO(data))) == (
        b"-1 qid:b 1:1.5 3:NULL\n0 qid:b 1:1e-05 3:-0\n2 qid:a 2:1000 #docid = x\n"
    )


@pytest.mark.parametrize("name", ["letor3-ohsumed", "letor4-mq2008"])
@pytest.mark.parametrize("fold", range(1, 6))
def test_real_files_come_back(letor_folder, name, fold):
    collection = read_letor(letor_folder(name) / f"S{fold}.txt")
    assert again(collection) == collection


def test_six_decimals_give_the_real_file_again(letor_folder):
    """MQ2008 has six decimals throughout, so that its very bytes come back."""
    path = letor_folder("letor4-mq2008") / "S1.txt"
    assert written(read_letor(path), decimals=6).split() == path.read_bytes().split()


@pytest.mark.parametrize("decimals", [-1, 23, 1.5, True, "6"])
def test_bad_decimals(decimals):
    with pytest.raises(InputError, match="decimals"):
        written(of_values([1.0]), decimals=decimals)


def test_only_collections_are_written():
    with pytest.raises(InputError, match="list"):
        write_letor([1], io.BytesIO())  # type: ignore[arg-type]

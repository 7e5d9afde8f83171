"""Texts that were broken by hand, put together for reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.text import reflow

CRANFIELD = """\
experimental investigation of the aerodynamics of a
wing in a slipstream .
  an experimental study of a wing in a propeller slipstream was
made in order to determine the spanwise distribution of the lift
increase due to slipstream at different angles of attack of the wing
and at different free stream to slipstream velocity ratios .  the
results were intended in part as an evaluation basis .
  the comparative span loading curves, together with
supporting evidence, showed that a substantial part of the lift increment
produced by the slipstream was due to a /destalling/ or boundary-layer-control
effect ."""

KEPT = {
    "code": "def area(width, height):\n    size = width * height\n    return size",
    "code at the margin": "first = read(path_of_the_first_file_there_is);\nsecond = read(path_of_the_second_file);\n"
    "print(first, second, the_rest_of_the_files);",
    "table": "name of a person     town of birth\nAda Lovelace         London\nEmmy Noether         Erlangen",
    "table with bars": "| name of the person | town it was |\n|---|---|\n| Ada, of whom more below | London |",
    "tabs": "the first cell of a row\tthe second cell\nthe first cell of a row\tthe second cell",
    "list": "- the first point, which is about as long as a line\n- the second point, which is as long as that one",
    "numbers": "1. the first point, which is about as long as a line\n2. the second point, which is as long as that",
    "head of a mail": "From: somebody <somebody@example.org>\nSubject: a letter that is about something",
    "verse": "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate:\n"
    "Rough winds do shake the darling buds of May,",
    "address": "Ada Lovelace\nSt James's Square\nLondon",
    "paragraphs of one line": f"{'A long line of words that was never broken. ' * 5}\n{'And another one. ' * 9}",
    "blank": " \n\n \n",
    "quoted": "  an indented paragraph, set apart from the text\n  around it, keeps the lines that it came with",
}


def test_paragraphs_become_lines():
    title, first, second = reflow(CRANFIELD).split("\n")
    assert title == "experimental investigation of the aerodynamics of a wing in a slipstream ."
    assert first.startswith("  an experimental study of a wing in a propeller slipstream was made in order")
    assert first.endswith("velocity ratios .  the results were intended in part as an evaluation basis .")
    assert second.endswith("was due to a /destalling/ or boundary-layer-control effect .")


@pytest.mark.parametrize("kind", KEPT)
def test_lines_that_mean_something_stay(kind):
    assert reflow(KEPT[kind]) == KEPT[kind]


def test_prose_around_code_is_put_together_and_the_code_is_not():
    prose = "This function returns the area of a rectangle, which\nis the product of its two sides.\n\n"
    made = reflow(prose + KEPT["code"] + "\n\n" + prose)
    assert KEPT["code"] in made
    assert made.count("which is the product of its two sides.") == 2


def test_words_broken_at_a_hyphen_and_wide_characters_get_no_blank():
    assert "boundary-layer thickness" in reflow("solutions for the laminar two-dimensional boundary-\nlayer thickness")
    wide = "这是很长的段落，它被手工分成了几行，因此应该重新连接起来，各行都差不多长，\n这样读者就可以轻松地阅读。"
    assert reflow(wide) == wide.replace("\n", "")


def test_line_ends_of_windows_are_line_ends():
    assert reflow(CRANFIELD.replace("\n", "\r\n")) == reflow(CRANFIELD)


lines = st.lists(
    st.one_of(st.text("ab .,-|\t=;:(){}", max_size=60), st.text(max_size=20), st.sampled_from(CRANFIELD.split("\n"))),
    max_size=12,
)


@given(lines.map("\n".join))
def test_only_blanks_change_and_once_is_enough(text):
    made = reflow(text)
    assert "".join(made.split()) == "".join(text.split())
    assert made.count("\n") <= text.count("\n")
    assert reflow(made) == made

"""Differences that people read: nothing is lost of either text, and words say what changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.campaign import About, Change, GradeLevel, Settings
from rulerank.campaign.changes import differing
from rulerank.campaign.difference import GAP, change_in_words, text_difference

lines = st.lists(st.text("ab .,", min_size=1, max_size=12).filter(str.strip), max_size=8)


@given(before=lines, after=lines)
@examples(200)
def test_both_texts_can_be_read_from_their_difference(before, after):
    found = text_difference("\n".join(before), "\n".join(after))
    for kind, text in (("gone", before), ("new", after)):
        read = ["".join(part for what, part in line if what in ("same", kind)) for line in found if line != GAP]
        rest = iter(text)
        assert all(line in rest for line in read if line)  # in their order; what is left out is unchanged
        assert set(text) - set(read) <= set(before) & set(after)


def test_a_space_between_two_changed_words_changes_with_them():
    found = text_difference("It does not help with the question.", "It does not help at all.")
    assert found == [[("same", "It does not help "), ("gone", "with the question"), ("new", "at all"), ("same", ".")]]


def test_lines_with_little_in_common_follow_each_other_whole():
    assert text_difference("Judge by the text.", "Ask if unsure") == [
        [("gone", "Judge by the text.")],
        [("new", "Ask if unsure")],
    ]


def test_far_unchanged_lines_are_a_gap():
    text = [f"Rule {number}." for number in range(9)]
    found = text_difference("\n".join(text), "\n".join([*text, "One more."]))
    assert found == [GAP, [("same", "Rule 8.")], [("new", "One more.")]]


def test_changes_in_words_name_grades_strategies_and_nothing():
    before = Settings()
    levels = (GradeLevel("Never"), *before.grades[1:])
    after = Settings(grades=levels, sampler="ssarp:partitions=3", remote_pictures=True, guidelines="Read.")
    changed = differing(before, after)
    change = Change(About.SETTINGS, *({name: pair[side] for name, pair in changed.items()} for side in (0, 1)))
    said = {what: (old, new) for what, old, new in change_in_words(change)}
    assert said["Grade 0"] == ("Not relevant · Does not help with the query.", "Never")
    assert said["Guidelines"] == ("none", "Read.")
    assert said["Pictures from elsewhere"] == ("no", "yes")
    assert "partitions 3" in said["Sampler"][1]
    gone = {"name": "left_the_house", "params": {}}
    assert change_in_words(Change(About.SETTINGS, {"sampler": gone}, {"sampler": gone})) == [
        ("Sampler", "left_the_house", "left_the_house")
    ]

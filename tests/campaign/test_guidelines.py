"""Guidelines: no picture is fetched from elsewhere unless that is allowed, however it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.campaign import Settings
from rulerank.campaign.settings import NOTE, has_pictures, shown_guidelines
from rulerank.errors import InputError

ELSEWHERE = [
    "![a map](https://example.org/map.png)",
    "![](https://example.org/map.png)",
    '![a map](<https://example.org/a map.png> "title")',
    "![a map][1]\n\n[1]: https://example.org/map.png",
    "![a map][]\n\n[a map]: https://example.org/map.png",
    "![a map]\n\n[a map]: https://example.org/map.png",
    "[![a map](https://example.org/map.png)](https://example.org)",
    "![a ![map](http://x)](https://example.org/map.png)",
    "\\\\![a map](https://example.org/map.png)",
    "![a map](//example.org/map.png)",
    "![a map](/media/file.png)",
    "![a map](data:image/svg+xml;base64,PHN2Zz4=)",
    "![a\\](data:image/png;base64,AA==)](https://example.org/map.png)",
    "![![x](data:image/png;base64,AA==)](https://example.org/map.png)",
    "| a | b |\n| - | - |\n| ![m](https://example.org/map.png) | c |",
    ":red[![m](https://example.org/map.png)]",
    "Look!![m](https://example.org/map.png)",
    "!!![m][1]\n\n[1]: https://example.org/map.png",
]
OWN = "![a dot](data:image/png;base64,iVBORw0KGgo=)"


@pytest.mark.parametrize("text", ELSEWHERE)
def test_a_picture_from_elsewhere_becomes_a_link_with_its_text(text):
    assert has_pictures(text)
    found = shown_guidelines(text)
    assert "![" not in found.replace("![x](data:image/png;base64,AA==)", "")
    assert "[Picture: " in found
    assert found.endswith(NOTE)
    assert shown_guidelines(text, remote_pictures=True) == text


def test_what_the_text_itself_holds_stays():
    assert not has_pictures(OWN)
    assert shown_guidelines(OWN) == OWN
    assert shown_guidelines(f"Look!{OWN}") == f"Look!{OWN}"
    both = shown_guidelines(f"{OWN} ![m](https://example.org/m.png)")
    assert both.startswith(f"{OWN} [Picture: m](https://example.org/m.png)")


@given(st.text(alphabet=st.sampled_from("![]()\\a:/` \n<>\"'"), max_size=30))
def test_nothing_is_left_that_begins_a_picture(text):
    assert "![" not in shown_guidelines(text)
    if "![" not in text:
        assert shown_guidelines(text) == text


def test_settings_say_whether_pictures_may_be_fetched():
    assert not Settings().remote_pictures
    older = {"guidelines": "![a](https://example.org/b.png)"}
    assert not Settings.from_dict(older).remote_pictures
    assert Settings.from_dict(Settings(remote_pictures=True).to_dict()).remote_pictures
    with pytest.raises(InputError, match="remote_pictures must be true or false"):
        Settings(remote_pictures="yes")


def test_campaigns_keep_the_ranker_they_were_made_with():
    before = {**Settings().to_dict(), "ranker": "lrar"}
    del before["remote_pictures"]  # as settings were stored before it
    assert Settings.from_dict(before).ranker.key == "lrar"
    assert Settings().ranker.key == "weighted_items"

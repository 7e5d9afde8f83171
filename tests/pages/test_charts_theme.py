"""Colours: contrast by WCAG 2.2, distance for colour-blind readers by the matrices of Machado et al. (2009)."""

from __future__ import annotations

import tomllib
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.charts import theme as t
from pages.shared.browser import readable_css
from rulerank.campaign.sight import SIGHT, alike, distance
from rulerank.errors import InputError

THEMES = [t.LIGHT, t.DARK]
CONFIG = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def nearest(colours, sight):
    return min(distance(first, second, sight) for first, second in combinations(colours, 2))


def test_contrast_is_that_of_the_standard():
    assert t.contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert t.contrast("#FFFFFF", "#767676") == pytest.approx(4.54, abs=0.005)  # the best known borderline grey
    assert t.contrast("#0072B2", "#0072B2") == 1


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_text_and_marks_stand_out_from_the_page(theme):
    for ground in (theme.background, theme.surface):
        assert t.contrast(theme.text, ground) >= 7
        assert t.contrast(theme.muted, ground) >= 4.5
    assert t.contrast(theme.primary, "#FFFFFF") >= 4.5
    assert t.contrast(theme.primary, theme.background) >= 3
    for colour in (*theme.lines, theme.baseline):
        assert t.contrast(colour, theme.background) >= 3


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_colours_differ_for_every_kind_of_sight(theme, sight):
    assert nearest(theme.lines, sight) >= 0.07
    assert nearest(theme.grades, sight) >= 0.09
    for middle in theme.competence:
        assert nearest([theme.silent, middle], sight) >= 0.05
    assert len(theme.lines) == len(t.SYMBOLS)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_order_is_visible_without_hue(theme):
    competence = [t.luminance(colour) for colour in theme.competence]
    assert competence == sorted(competence, reverse=True)  # light is competent, on either page
    if theme.dark:
        assert min(t.contrast(colour, theme.background) for colour in theme.competence) > 3  # a far cell is no hole
    strength = [t.contrast(colour, theme.background) for colour in theme.grades]
    assert strength == sorted(strength)


@given(st.integers(0, 0xFFFFFF))
def test_some_ink_reads_on_every_colour(number):
    colour = f"#{number:06X}"
    assert t.contrast(t.text_on(colour), colour) >= 4.5
    assert t.text_on(colour) in (t.INK, t.PAPER)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("levels", [1, 2, 3, 5, 7])
def test_grades_have_colours_that_carry_text(theme, levels):
    colours = t.grade_colours(levels, theme)
    assert len(set(colours)) == levels
    assert all(t.contrast(t.text_on(colour), colour) >= 4.5 for colour in colours)
    if levels == 5:
        assert colours == theme.grades
    if levels > 1:
        assert (colours[0], colours[-1]) == (theme.grades[0], theme.grades[-1])


def test_no_grades_and_no_colours_are_refused():
    with pytest.raises(InputError, match="at least one grade"):
        t.grade_colours(0)
    for bad in ("red", "#12345", "#GGGGGG", "#123456;}", None):
        with pytest.raises(InputError, match="#RRGGBB"):
            t.text_on(bad)


def test_chips_are_styled_and_escaped():
    css = t.grade_chip_css(["#D5D9DE", "#6A1B3A"])
    assert ".grade-chip-0{background-color:rgba(213,217,222,1);color:#000000}" in css
    assert ".grade-chip-1{background-color:rgba(106,27,58,1);color:#FFFFFF}" in css
    chip = t.grade_chip(2, "<script>alert(1)</script>")
    assert "<script" not in chip
    assert "2 &lt;script&gt;" in chip
    with pytest.raises(InputError):
        t.grade_chip_css(["red;} body{display:none"])


def test_every_dark_colour_has_the_light_one_of_its_meaning():
    found = t.light_of_dark()
    for name in ("baseline", "background", "surface", "text", "muted", "grid", "silent", "accent"):
        assert found[getattr(t.DARK, name)] == getattr(t.LIGHT, name), name
    for name in ("lines", "competence", "diverging"):
        assert [found[colour] for colour in getattr(t.DARK, name)] == list(getattr(t.LIGHT, name))


def test_theme_by_name():
    assert t.theme_named("dark") is t.DARK
    assert t.theme_named("light") is t.LIGHT
    assert t.theme_named(None) is t.LIGHT
    assert (t.DARK.dark, t.LIGHT.dark) == (True, False)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_config_has_the_same_colours(theme):
    section = CONFIG["theme"][theme.name]
    assert section["primaryColor"] == theme.primary
    assert section["backgroundColor"] == theme.background
    assert section["secondaryBackgroundColor"] == theme.surface
    assert section["textColor"] == theme.text
    assert tuple(section["chartCategoricalColors"]) == theme.lines
    assert t.contrast(section["linkColor"], theme.background) >= 4.5
    assert {section["sidebar"]["backgroundColor"], section["sidebar"]["secondaryBackgroundColor"]} == {
        theme.surface,
        theme.background,
    }


def test_pages_and_figures_have_one_font():
    assert CONFIG["theme"]["font"] == t.FONT
    assert CONFIG["theme"]["baseFontSize"] == t.TYPE["body"]
    assert CONFIG["theme"]["headingFontSizes"][0] == f"{t.TYPE['title'] / t.TYPE['body']:.1f}rem"
    for theme in THEMES:
        layout = t.plotly_template(theme).layout
        assert layout.font.family == layout.hoverlabel.font.family == t.FONT
        assert "<svg" in t.logo(theme)
        assert theme.text in t.logo(theme)


def test_config_is_safe_by_default_and_known_to_streamlit():
    from streamlit import config

    assert CONFIG["server"]["address"] == "localhost"
    assert CONFIG["runner"]["postScriptGC"] is False
    assert CONFIG["client"]["showErrorDetails"] == "none"
    options = config.get_config_options()
    for section, values in CONFIG.items():
        for name, value in values.items():
            inner = (
                [f"{name}.{key}" for key, held in value.items() if not isinstance(held, dict)]
                if isinstance(value, dict)
                else [name]
            )
            for key in inner:
                assert f"{section}.{key}" in options


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_captions_and_what_is_chosen_can_be_read_on_every_ground(theme):
    """Of the page, the sidebar and fields; the style sheet of the pages' heads sets these colours."""
    for ground in (theme.background, theme.surface):
        assert t.contrast(theme.muted, ground) >= 4.5
        assert t.contrast(theme.accent, ground) >= 3  # the ring around what has the keyboard's focus
    # A chosen segment lies on a tenth of the button's colour.
    for ground in (theme.background, t.mix(theme.background, theme.primary, 0.1)):
        assert t.contrast(theme.accent_text, ground) >= 4.5
    css = readable_css(theme)
    assert f"color: {theme.muted}; opacity: 1" in css
    assert f"color: {theme.accent_text}" in css
    assert "focus-visible" in css


@pytest.mark.parametrize("theme", [t.LIGHT, t.DARK])
@pytest.mark.parametrize("levels", range(2, 11))
def test_grades_have_a_campaigns_own_colours_or_the_usual_ones_and_text_on_them_is_read(theme, levels):
    own = ["#123456", *[""] * (levels - 1)]
    shown = t.colours_of_grades(own, theme)
    assert shown[0] == "#123456"
    assert shown[1:] == t.grade_colours(levels, theme)[1:]
    assert all(t.contrast(colour, t.text_on(colour)) >= 4.5 for colour in shown)


def test_colours_of_grades_that_look_alike_are_named_with_those_who_see_them_so():
    usual = t.grade_colours(3)
    assert alike(usual, [""] * 3) is None
    assert alike(t.grade_colours(10), [""] * 10) is None
    told = alike(["#FFFFFF", "#C83C1E", "#788C1E"], ["", "#C83C1E", "#788C1E"])
    assert told == (
        "The colours of grades 1 and 2 look alike to people who do not tell red from green: "
        "make one clearly lighter or darker."
    )
    assert alike(["#101010", "#111111"], ["#101010", "#111111"]).startswith("The colours of grades 0 and 1 look alike:")
    assert alike(["#FFFFFF", "#000000"], ["#FFFFFF", "#000000"]) is None

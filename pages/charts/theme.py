"""Colours and type: one palette for screens and figures, safe for colour-blind readers, on light and on dark.

Lines differ in lightness as well as in hue, and grades run from faint to strong against the page, so every figure
survives a black-and-white print. `tests/pages/test_charts_theme.py` measures contrast and colour-blind distance.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import plotly.graph_objects as go

from rulerank.errors import InputError

FONT = 'Arial, "Liberation Sans", Helvetica, "Source Sans", sans-serif'
"""Of pages and figures alike. A downloaded figure carries no type along, and names that were measured in one type and
are shown in another overlap: the first three have the same widths, and one of them is nearly everywhere. Streamlit
brings the fourth along, for browsers without any of them."""
TYPE = {"title": 22, "section": 18, "figure": 16, "body": 15, "axis": 14, "caption": 13}
"""Sizes in pixels, of pages and figures; the browser scales pages with its own setting."""
INK, PAPER = "#000000", "#FFFFFF"
"""Black, not a softer ink: only with it does every colour that a campaign may choose carry text at 4.5 or better."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "triangle-down")
"""Marker shapes, in the order of a theme's `lines`: shape tells apart what colour may not."""


@dataclass(frozen=True)
class Theme:
    """The colours of one appearance; every colour is written #RRGGBB.

    `primary` is for buttons with white text, `lines` are for series (the first is the accent), `baseline` for what they
    are compared with, `silent` for where there is no value. `grades` are the anchors of the grades' colours from 0
    upwards, `competence` runs from competent to not (light is competent, as in the figure of the query-level paper, and
    the far end stands out from the page), `diverging` from -1 to 1.
    """

    name: str
    primary: str
    background: str
    surface: str
    text: str
    muted: str
    grid: str
    baseline: str
    silent: str
    lines: tuple[str, ...]
    grades: tuple[str, ...]
    competence: tuple[str, ...]
    diverging: tuple[str, ...]

    @property
    def accent(self) -> str:
        """The colour of what a figure is about."""
        return self.lines[0]

    @property
    def accent_text(self) -> str:
        """The colour of what is chosen, where it is text: on dark pages `primary` would be too dark."""
        return self.accent if self.dark else self.primary

    @property
    def dark(self) -> bool:
        """Whether the page is dark."""
        return self.name == "dark"


LIGHT = Theme(
    name="light",
    primary="#0072B2",
    background="#FFFFFF",
    surface="#F5F6F7",
    text="#22272E",
    muted="#5B6470",
    grid="#E3E6EA",
    baseline="#6B7480",
    silent="#B4B4B4",
    lines=("#0072B2", "#D55E00", "#5D3A9B", "#009E73", "#882255", "#431903", "#08084F"),
    grades=("#D5D9DE", "#F0C75E", "#E08A2E", "#B0472F", "#6A1B3A"),
    competence=("#FFF9E3", "#BFD9E6", "#72A9CF", "#2F6DA8", "#15396B", "#0A1B38"),
    diverging=("#8C510A", "#D8B365", "#F4F1EA", "#5AA8BF", "#01508A"),
)

DARK = Theme(
    name="dark",
    primary="#2079B5",
    background="#14181D",
    surface="#1E242B",
    text="#E6E9ED",
    muted="#A3ACB7",
    grid="#313943",
    baseline="#9DA6B2",
    silent="#454B53",
    lines=("#56B4E9", "#E69F00", "#CC79A7", "#009E73", "#DDCC77", "#9434E9", "#ADF1FE"),
    grades=("#565E69", "#A4532F", "#DB8431", "#F2B84B", "#FBEA9C"),
    competence=("#FFF9E3", "#CFE3EE", "#9CC7EA", "#6FA8E8", "#5588E0", "#4A6BD6"),
    diverging=("#E0A458", "#8A6A3C", "#3A4149", "#3F7FA3", "#7CC7F2"),
)


def theme_named(name: str | None) -> Theme:
    """Return the theme that Streamlit calls `name` (`st.context.theme.type`); light where it is not known."""
    return DARK if name == "dark" else LIGHT


MOST_GRADES = 10
"""Of a scale: one key each, 0 to 9."""


def light_of_dark() -> dict[str, str]:
    """Return the light theme's colour of every colour that a figure of the dark one may have, by what it means.

    >>> light_of_dark()[DARK.background], light_of_dark()[DARK.accent] == LIGHT.accent
    ('#FFFFFF', True)
    """
    found: dict[str, str] = {}
    for name in ("baseline", "background", "surface", "text", "muted", "grid", "silent"):
        found[getattr(DARK, name)] = getattr(LIGHT, name)
    for name in ("lines", "competence", "diverging"):
        found.update(zip(getattr(DARK, name), getattr(LIGHT, name), strict=True))
    for levels in range(1, MOST_GRADES + 1):
        found.update(zip(grade_colours(levels, DARK), grade_colours(levels, LIGHT), strict=True))
    return found


def _channels(colour: str) -> tuple[int, int, int]:
    if not isinstance(colour, str) or not re.fullmatch(r"#[0-9A-Fa-f]{6}", colour):
        raise InputError(f"{colour!r} is not a colour: write #RRGGBB, for example #0072B2")
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def with_alpha(colour: str, alpha: float) -> str:
    """Return the colour with an opacity, as CSS and plotly read it."""
    red, green, blue = _channels(colour)
    return f"rgba({red},{green},{blue},{alpha:g})"


def luminance(colour: str) -> float:
    """Return the relative luminance (WCAG 2.2): 0 is black, 1 white."""
    shares = [channel / 255 for channel in _channels(colour)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2), 1 to 21; text wants 4.5, lines and marks 3."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def text_on(colour: str) -> str:
    """Return the ink, dark or white, that reads better on the colour."""
    return max((INK, PAPER), key=lambda ink: contrast(ink, colour))


def mix(first: str, second: str, share: float) -> str:
    """Return the colour that lies `share` of the way from the first to the second."""
    pairs = zip(_channels(first), _channels(second), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def ink_of(colour: str, theme: Theme) -> str:
    """Return the colour of a line where it is text: as near to it as can be read on the page (contrast 4.5).

    >>> ink_of("#0072B2", LIGHT), contrast(ink_of("#D55E00", LIGHT), LIGHT.background) >= 4.5
    ('#0072B2', True)
    """
    inks = (mix(colour, theme.text, step / 10) for step in range(11))
    return next(ink for ink in inks if contrast(ink, theme.background) >= 4.5)


def grade_colours(levels: int, theme: Theme = LIGHT) -> tuple[str, ...]:
    """Return one colour per grade, 0 first, spread over the theme's anchors: faint is low, strong is high."""
    if levels < 1:
        raise InputError(f"a scale of {levels} grades has no colours: give at least one grade")
    anchors = theme.grades
    if levels == 1:
        return (anchors[-1],)
    colours = []
    for grade in range(levels):
        place = grade * (len(anchors) - 1) / (levels - 1)
        left = min(int(place), len(anchors) - 2)
        colours.append(mix(anchors[left], anchors[left + 1], place - left))
    return tuple(colours)


def colours_of_grades(own: Sequence[str], theme: Theme = LIGHT) -> tuple[str, ...]:
    """Return the colours of a campaign's grades: its own (`GradeLevel.colour`), and the theme's where it has none."""
    return tuple(chosen or usual for chosen, usual in zip(own, grade_colours(len(own), theme), strict=True))


def grade_chip_css(colours: Sequence[str]) -> str:
    """Return the style sheet of the grades' chips: once on a page, with `grade_chip` wherever a grade is named."""
    rules = [
        ".grade-chip{display:inline-block;min-width:1.6em;padding:0.05em 0.6em;border-radius:0.9em;text-align:center;"
        "font-weight:600;line-height:1.6;border:1px solid rgba(127,127,127,0.45);overflow-wrap:anywhere}"
    ]
    for grade, colour in enumerate(colours):
        rules.append(f".grade-chip-{grade}{{background-color:{with_alpha(colour, 1)};color:{text_on(colour)}}}")
    return "<style>" + "\n".join(rules) + "</style>"


def grade_chip(grade: int, name: str = "") -> str:
    """Return the HTML of one chip ("2 answers it"); the name is escaped."""
    number = int(grade)
    return f'<span class="grade-chip grade-chip-{number}">{html.escape(f"{number} {name}".strip())}</span>'


def colour_scale(colours: Sequence[str]) -> list[list[float | str]]:
    """Return evenly spaced colours as a plotly colour scale."""
    return [[place / (len(colours) - 1), colour] for place, colour in enumerate(colours)]


@lru_cache(maxsize=4)
def plotly_template(theme: Theme) -> go.layout.Template:
    """Return the plotly template of a theme: no boxes, a quiet grid, and the page's ground.

    A downloaded figure has no page below it, and could not be read without a ground of its own.
    """
    axis = {
        "showgrid": True,
        "gridcolor": theme.grid,
        "gridwidth": 1,
        "zeroline": False,
        "showline": True,
        "linecolor": theme.muted,
        "linewidth": 1,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": theme.muted,
        "tickfont": {"size": TYPE["caption"], "color": theme.muted},
        "title": {"font": {"size": TYPE["axis"], "color": theme.text}, "standoff": 10},
        "automargin": True,
        "ticklabelstandoff": 2,
    }
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": TYPE["axis"], "color": theme.text},
            "title": {"font": {"size": TYPE["figure"], "color": theme.text, "weight": 600}},
            "paper_bgcolor": theme.background,
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(theme.lines),
            "xaxis": axis,
            "yaxis": axis,
            "legend": {"font": {"size": TYPE["caption"], "color": theme.text}, "bgcolor": "rgba(0,0,0,0)"},
            "hoverlabel": {
                "bgcolor": theme.surface,
                "bordercolor": theme.muted,
                "font": {"family": FONT, "size": TYPE["caption"], "color": theme.text},
                "align": "left",
                "namelength": -1,
            },
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.accent},
        }
    )


ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
<rect width="16" height="16" rx="3" fill="#0072B2"/>
<path d="M4 4h8M4 8h6M4 12h4" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>"""
"""The icon of the browser's tab, drawn here, so that it is there without a network."""


def logo(theme: Theme) -> str:
    """Return the mark and the name of the app, as SVG for the head of the side bar."""
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 124 24" width="124" height="24">
<rect y="1" width="22" height="22" rx="4" fill="{LIGHT.primary}"/>
<path d="M5.5 6.5h11M5.5 12h8M5.5 17.5h5" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/>
<text x="30" y="18" font-family="{html.escape(FONT)}" font-size="19" font-weight="700" fill="{theme.text}"
>rulerank</text></svg>"""

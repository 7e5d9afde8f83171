"""Colours that everybody can read, on every page."""

from __future__ import annotations

from pages.charts.theme import Theme


def readable_css(theme: Theme) -> str:
    """Return the style sheet for what Streamlit shows too faintly (WCAG 2.2: text at 4.5, a visible focus).

    Captions are the text at an opacity of 60% there, which on a light page is 4.1. On a dark one a button's colour,
    which must carry white text, is too dark for chosen tabs, pills and segments. Links, switches and tables hardly
    show the keyboard's focus.
    """
    ring = f"outline: 2px solid {theme.accent}; outline-offset: 2px;"
    return f"""<style>
.stApp [data-testid="stCaptionContainer"] {{ color: {theme.muted}; opacity: 1; }}
.stApp [data-testid="stTab"][aria-selected="true"] p,
.stApp button:is([data-variant="segmented_control"], [data-variant="pills"])[data-selected="true"] p {{
  color: {theme.accent_text};
}}
.stApp :is(a, canvas, [data-testid="stBaseButton-elementToolbar"]):focus-visible {{ {ring} }}
.stApp :is([data-testid="stCheckbox"], [data-testid="stDataFrame"]):has(:focus-visible) {{ {ring} }}
</style>"""

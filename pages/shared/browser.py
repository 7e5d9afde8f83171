"""What every page has: colours that can be read, room, and a browser that has the page drawn again where it must be.

After a server restart, or some minutes of sleep, Streamlit reconnects to a new session that does not know the parts of
the page that are redrawn alone, and every key would fall on deaf ears. Running the whole page once makes it whole. So
does it when the theme changes, at dusk or by hand: charts and captions are coloured by the server. And who was signed
out meanwhile is led to the sign-in page, because Streamlit would try to connect for ever.
"""

from __future__ import annotations

import streamlit as st

from pages.charts.render import current_theme
from pages.charts.theme import Theme

AGAIN = "rr-again"

# Streamlit's own CSV of a table would hand formulas in foreign text to a spreadsheet: exports are defused, and say
# which file is for what. Less empty space above a page, and beside it on a small laptop. On a tablet, what helps to
# judge a document stands below it, not beside it; on a telephone, so do the buttons of a row.
_STYLE = """<style>
.st-key-rr-browser { display: none; }
.stMainBlockContainer { padding-top: 3.5rem; }
[data-testid="stElementToolbarButton"]:has(button[aria-label^="Download as CSV"]) { display: none; }
@media (min-width: 1101px) and (max-width: 1500px) {
  .stMainBlockContainer { padding-left: 3rem; padding-right: 3rem; }
}
@media (max-width: 640px) {
  [class*="st-key-rr-row-"] { flex-wrap: wrap; > :first-child { min-width: 100%; } }
}
@media (max-width: 1100px) {
  .st-key-rr-labelling > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] {
    flex-wrap: wrap;
    > [data-testid="stColumn"] { min-width: 100%; }
  }
}
</style>"""

SCRIPT = f"""
if (!window.rulerank) {{
  window.rulerank = {{ lost: false, woken: 0, ground: "" }};
  const again = () => document.querySelector(".st-key-{AGAIN} button")?.click();
  const state = "data-test-connection-state";
  const ask = async () => {{
    if (!window.rulerank.lost) return;
    const answer = await fetch(location.href, {{ method: "HEAD", cache: "no-store" }}).catch(() => null);
    if (answer && answer.status === 401) location.reload();
    else setTimeout(ask, 5000);
  }};
  const look = () => {{
    const now = document.querySelector(`[${{state}}]`)?.getAttribute(state);
    if (now && now !== "CONNECTED" && !window.rulerank.lost) {{
      window.rulerank.lost = true;
      ask();
    }}
    if (now !== "CONNECTED" || !window.rulerank.lost) return;
    window.rulerank.lost = false;
    window.rulerank.woken += 1;
    again();
  }};
  new MutationObserver(look).observe(document.body, {{ subtree: true, attributes: true, attributeFilter: [state] }});
  const app = document.querySelector(".stApp");
  const repaint = () => {{
    const ground = getComputedStyle(app).backgroundColor;
    if (window.rulerank.ground && ground !== window.rulerank.ground) again();
    window.rulerank.ground = ground;
  }};
  if (app) {{
    repaint();
    new MutationObserver(() => setTimeout(repaint, 100)).observe(app, {{ attributeFilter: ["class"] }});
  }}
}}
"""
"""The only script that stands in a page; the content security policy names it (see `pages/gate/headers.py`)."""


def prepare_browser() -> None:
    """Put what the browser needs on the page, out of sight."""
    st.html(readable_css(current_theme()) + _STYLE)
    with st.container(key="rr-browser"):
        st.button("Draw the page again", key=AGAIN)
        st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)


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

"""What every page has: readable colours, room, who is signed in, and a browser that redraws the page where it must."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.charts.figure import current_theme
from pages.charts.theme import DARK, Theme, light_of_dark
from pages.shared.layout import plain

if TYPE_CHECKING:
    from db.people.person import Person


AGAIN = "rr-again"

FIGURES = f"""const DARK = "{DARK.background}";
const LIGHT_OF = {json.dumps(light_of_dark())};
{(Path(__file__).parent / "assets" / "figures.js").read_text("utf-8")}"""

NARROW = 1000
"""Pixels of a window below which the side bar is folded away."""

# Streamlit's own CSV of a table would hand formulas in foreign text to a spreadsheet: exports are defused, and say
# which file is for what. A slim head and numbers; no empty space above a page, and little beside it on a small
# laptop. On a tablet, what helps to judge a document stands below it, not beside it; on a telephone, so do the
# buttons of a row. Headings below a page's own are those of sections: `st.header`, never a level lower.
_STYLE = """<style>
.st-key-rr-browser { display: none; }
.stMainBlockContainer { padding-top: 1.5rem; }
.stApp:has([data-testid="stExpandSidebarButton"]) .stMainBlockContainer { padding-top: 3.25rem; }
.st-key-rr-head :is(h1, p, [data-testid="stMarkdownContainer"], [data-testid="stCaptionContainer"]) {
  margin: 0; padding: 0;
}
.stMainBlockContainer h2 { padding: .5rem 0 .75rem; }
.st-key-rr-pages { gap: .5rem; }
.rr-section { margin: .375rem 0 0 .5rem; font-weight: 600; font-size: .8rem; letter-spacing: .03em; }
.st-key-rr-pages > :first-child .rr-section { margin-top: 0; }
.st-key-rr-numbers [data-testid="stMetric"] > div { display: flex; align-items: baseline; gap: .5rem; }
.st-key-rr-numbers { column-gap: 1.75rem; row-gap: .25rem; }
[class*="st-key-rr-files-"] { row-gap: 0; min-height: 2rem; }
.rr-files { display: inline-flex; gap: .25rem; align-items: center; font-size: .8125rem; }
.rr-files button { font: inherit; padding: .125rem .5rem; background: none; cursor: pointer; border-radius: .4rem; }
[class*="st-key-rr-csv-"] button { min-height: 0; padding: .125rem .5rem; font-size: .8125rem; line-height: 1.5; }
[class*="st-key-rr-csv-"] button p { font-size: inherit; }
.rr-cite { display: flex; gap: .5rem; flex-wrap: wrap; }
.rr-play button { padding: .25rem .75rem; font-size: .9375rem; }
.st-key-rr-figure-replay .updatemenu-container { display: none; }
.rr-key { display: flex; gap: 1rem; align-items: center; flex-wrap: wrap; }
.rr-key img { flex: none; max-width: none; }
.rr-key p { flex: 1 1 20rem; margin: 0; }
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
{FIGURES}
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
  const narrow = matchMedia("(max-width: {NARROW - 1}px)");
  const fold = () => document.querySelector(
    '[data-testid="stSidebarCollapseButton"] button[aria-expanded="true"]')?.click();
  const unfold = () => document.querySelector('[data-testid="stExpandSidebarButton"]')?.click();
  if (narrow.matches) fold();
  narrow.addEventListener("change", () => narrow.matches ? fold() : unfold());
  const reach = () => document.querySelectorAll('[data-testid="stCode"][tabindex="0"] > pre').forEach((lines) => {{
    lines.tabIndex = 0;
    lines.parentElement.tabIndex = -1;
  }});
  let held = null;
  document.addEventListener("focusin", ({{ target }}) => {{
    held = target.matches(":focus-visible") ? target : null;
  }});
  const keep = () => {{
    if (!held || held.isConnected || document.activeElement !== document.body) return;
    document.querySelector('[data-testid="stMain"]')?.focus({{ preventScroll: true }});
  }};
  const press = (plot, name) => [...plot?.querySelectorAll(".updatemenu-button") ?? []].find(
    (button) => button.textContent === name)?.dispatchEvent(new MouseEvent("click", {{ bubbles: true }}));
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const start = () => document.querySelectorAll(".st-key-rr-figure-replay .js-plotly-plot").forEach((plot) => {{
    if (plot.dataset.rrPlayed || still.matches || !plot.querySelector(".updatemenu-button")) return;
    plot.dataset.rrPlayed = "1";
    setTimeout(() => press(plot, "Play"), 600);
  }});
  reach();
  const drawn = () => {{ reach(); keep(); start(); }};
  new MutationObserver(drawn).observe(document.body, {{ subtree: true, childList: true }});
  const save = (button) => saveFigure(
    button.closest('[class*="st-key-rr-figure-"]')?.querySelector(".js-plotly-plot"), button.dataset.rrSave);
  const copy = (button) => {{
    const line = button.parentElement.querySelector(".rr-cited"), words = button.textContent;
    navigator.clipboard?.writeText(line.textContent).then(() => {{
      button.style.minWidth = `${{button.offsetWidth}}px`;
      button.textContent = "Copied";
      setTimeout(() => {{ button.textContent = words; }}, 2000);
    }}, () => getSelection().selectAllChildren(line));
  }};
  document.addEventListener("click", (event) => {{
    const button = event.target.closest?.("[data-rr-save], [data-rr-copy], [data-rr-play]");
    const replay = ".st-key-rr-figure-replay .js-plotly-plot";
    if (button?.dataset.rrPlay) press(document.querySelector(replay), button.dataset.rrPlay);
    else if (button) ("rrSave" in button.dataset ? save : copy)(button);
    if (narrow.matches && event.target.closest?.('[data-testid="stSidebar"] a')) fold();
  }});
}}
"""
"""The only script that stands in a page; the content security policy names it (see `pages/gate/headers.py`).

`reach`: lines of code that are longer than the page are scrolled by keys, so they, and not the box around them, are
what Tab stops at. `keep`: a button that goes with its press leaves the keyboard's focus to the page, not to nothing.
`start`: a replay begins by itself once it is drawn, unless the reader's system asks for less motion; plotly's own
buttons cannot be reached by keys, so those of the page press them (`press`), and they are out of sight.
"""


# What is drawn around the element that has the focus, which itself is small, without a frame or out of sight.
_BOXES = """
[data-testid="stCheckbox"], [data-testid="stRadioOption"], [data-testid="stDataFrame"],
[data-testid="stTextInputRootElement"], [data-testid="stTextAreaRootElement"], [data-testid="stNumberInputContainer"],
[data-testid="stSelectbox"] [role="group"], [data-testid="stMultiSelect"] [role="group"]
"""


def prepare_browser() -> None:
    """Put what the browser needs on the page, out of sight."""
    st.html(readable_css(current_theme()) + _STYLE)
    with st.container(key="rr-browser"):
        st.button("Draw the page again", key=AGAIN)
        st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)


def readable_css(theme: Theme) -> str:
    """Return the style sheet for what Streamlit shows too faintly (WCAG 2.2: text at 4.5, a visible focus).

    Captions are the text at an opacity of 60% there, which on a light page is 4.1. On a dark one a button's colour,
    which must carry white text, is too dark for chosen tabs, pills and segments. Links, switches, fields and tables
    hardly show the keyboard's focus, and the page itself, which keys scroll, shows it as a line through its title.
    """
    ring = f"outline: 2px solid {theme.accent}; outline-offset: 2px;"
    return f"""<style>
.stApp [data-testid="stCaptionContainer"] {{ color: {theme.muted}; opacity: 1; }}
.stApp [data-testid="stTab"][aria-selected="true"] p,
.stApp button:is([data-variant="segmented_control"], [data-variant="pills"])[data-selected="true"] p {{
  color: {theme.accent_text};
}}
.stApp :is(a, canvas, pre, [data-testid="stBaseButton-elementToolbar"]):focus-visible {{ {ring} }}
.stApp :is(.rr-files, [class*="st-key-rr-csv-"]) button {{ color: {theme.text}; border: 1px solid {theme.grid}; }}
.stApp .rr-files button:hover {{ color: {theme.accent_text}; border-color: {theme.accent_text}; }}
.stApp :is(.rr-cite, .rr-section) {{ color: {theme.muted}; }}
.stApp .rr-files button:focus-visible {{ {ring} }}
.stApp [data-testid="stMain"]:focus-visible {{ {ring} outline-offset: -2px; }}
.stApp [data-testid="stMain"]::before {{ box-shadow: none; }}
.stApp :is({_BOXES}):has(:focus-visible) {{ {ring} }}
</style>"""


WHO = "rr-who"

_SIGNED_IN_STYLE = """<style>
.rr-sign-out button {{
  font: inherit; font-size: .875rem; min-height: 2.5rem; padding: .25rem .75rem; border-radius: .4rem; cursor: pointer;
  color: {text}; background: {background}; border: 1px solid {border};
}}
.rr-sign-out button:hover {{ color: {accent}; border-color: {accent}; }}
.rr-sign-out :focus-visible {{ outline: 2px solid {accent}; outline-offset: 2px; }}
</style>"""


def show_person(person: Person, sign_in: str) -> None:
    """Say at the foot of the sidebar who is signed in, and how to leave.

    The form is the browser's own: it posts to a route, which ends the session and takes the cookie away.
    """
    with st.sidebar:
        if sign_in == "open":
            st.caption("Single-user mode: no sign-in, this machine only.")
            return
        st.caption(f"Signed in as **{plain(person.name)}** ({person.role})")
        st.html(_style(current_theme()))
        action = context.address("/leave")
        st.html(f'<form action="{action}" method="post" class="rr-sign-out"><button>Sign out</button></form>')


def keep_apart(person: Person) -> None:
    """Forget what a page has kept of somebody else who was signed in in it before."""
    if st.session_state.setdefault(WHO, person.id) != person.id:
        st.session_state.clear()
        st.session_state[WHO] = person.id


def tell_signed_out() -> None:
    """Say that the session has ended while the page was open; the address of the page leads to the sign-in."""
    st.info("You are signed out. Nothing that was saved is lost.", icon=":material/lock:")
    st.html(f'<a href="{context.address("/")}" target="_self">Sign in</a>')


def _style(theme: Theme) -> str:
    border = st.get_option(f"theme.{theme.name}.borderColor") or theme.grid
    return _SIGNED_IN_STYLE.format(text=theme.text, background=theme.background, border=border, accent=theme.accent)

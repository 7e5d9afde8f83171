"""What the browser must do by itself: stop keys that were not meant, and wake the page after a lost connection.

A held key repeats itself, and a worn one bounces. Shortcuts are Streamlit's, and to a button that has just appeared a
repeated key is a new one. So repeats are stopped here, by the time that the keyboard itself gives them: however slow
the page or the server, only a key that went down anew counts. Typing into a field is left alone; a switch that was
clicked last takes no text, and would only keep the keys from the page.

After a server restart, or some minutes of sleep, Streamlit reconnects to a new session that does not know the parts of
the page that are redrawn alone, and every key would fall on deaf ears. Running the whole page once makes it whole.
"""

from __future__ import annotations

import streamlit as st

BOUNCE_MILLISECONDS = 300
"""Nobody reads a document and grades it with the same key in so short a time."""

AGAIN = "rr-again"

# Less empty space above a page; and on a tablet, what helps to judge a document stands below it, not beside it.
_STYLE = """<style>
.st-key-rr-browser { display: none; }
.stMainBlockContainer { padding-top: 3.5rem; }
@media (max-width: 1100px) {
  .st-key-rr-labelling > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] {
    flex-wrap: wrap;
    > [data-testid="stColumn"] { min-width: 100%; }
  }
}
</style>"""

_SCRIPT = f"""<script>
if (!window.rulerank) {{
  window.rulerank = {{ pressed: {{}}, lost: false, woken: 0 }};
  window.addEventListener("keydown", (event) => {{
    if (event.key.length !== 1 || event.key === " " || event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target instanceof Element && event.target.closest("input, textarea, [contenteditable=true]");
    if (field && (field.type === "checkbox" || field.type === "radio")) {{
      event.stopImmediatePropagation();
      if (event.repeat) return;
      field.blur();
      document.body.dispatchEvent(new KeyboardEvent("keydown", event));
      return;
    }}
    if (field) return;
    const before = window.rulerank.pressed[event.key];
    const bounced = before !== undefined && event.timeStamp - before < {BOUNCE_MILLISECONDS};
    if (!event.repeat) window.rulerank.pressed[event.key] = event.timeStamp;
    if (event.repeat || bounced) event.stopImmediatePropagation();
  }}, true);
  const state = "data-test-connection-state";
  const look = () => {{
    const now = document.querySelector(`[${{state}}]`)?.getAttribute(state);
    if (now && now !== "CONNECTED") window.rulerank.lost = true;
    if (now !== "CONNECTED" || !window.rulerank.lost) return;
    window.rulerank.lost = false;
    window.rulerank.woken += 1;
    document.querySelector(".st-key-{AGAIN} button")?.click();
  }};
  new MutationObserver(look).observe(document.body, {{ subtree: true, attributes: true, attributeFilter: [state] }});
}}
</script>"""


def prepare_browser() -> None:
    """Put what the browser needs on the page, out of sight."""
    st.html(_STYLE)
    with st.container(key="rr-browser"):
        st.button("Draw the page again", key=AGAIN)
        st.html(_SCRIPT, unsafe_allow_javascript=True)

"""How the sign-in form looks: a form of the browser's own, in the colours and measures of Streamlit's."""

from __future__ import annotations

import streamlit as st

from pages.widgets.theme import Theme, mix

_STYLE = """<style>
.rr-sign-in {{ display: flex; flex-direction: column; color: {text}; }}
.rr-sign-in label {{ font-size: .875rem; margin: .75rem 0 .25rem; }}
.rr-sign-in p {{ font-size: .875rem; color: {muted}; margin: .25rem 0 0; }}
.rr-sign-in input:not([type=checkbox]) {{
  font: inherit; color: {text}; background: {surface}; border: 1px solid {border}; border-radius: .4rem;
  min-height: 2.5rem; padding: .25rem .75rem; width: 100%; color-scheme: {name};
}}
.rr-sign-in .rr-show {{ display: flex; align-items: center; gap: .5rem; cursor: pointer; width: fit-content; }}
.rr-sign-in .rr-show input {{ width: 1rem; height: 1rem; accent-color: {primary}; color-scheme: {name}; }}
.rr-sign-in button, .rr-sign-out button {{
  font: inherit; font-size: .875rem; min-height: 2.5rem; padding: .25rem .75rem; border-radius: .4rem; cursor: pointer;
}}
.rr-sign-in button {{ margin-top: 1.25rem; color: #FFFFFF; background: {primary}; border: 1px solid {primary}; }}
.rr-sign-in button:hover {{ background: {darker}; border-color: {darker}; }}
.rr-sign-out button {{ color: {text}; background: {background}; border: 1px solid {border}; }}
.rr-sign-out button:hover {{ color: {accent}; border-color: {accent}; }}
.rr-sign-in :focus-visible, .rr-sign-out :focus-visible {{ outline: 2px solid {accent}; outline-offset: 2px; }}
.rr-sign-in input:not([type=checkbox]):focus {{ border-color: {accent}; outline-width: 1px; outline-offset: 0; }}
</style>"""

SHOW_PASSWORD = """<script>
if (!window.rulerankDoor) {
  window.rulerankDoor = true;
  const field = (form) => form && form.querySelector("input[name=password]");
  document.addEventListener("change", (event) => {
    const box = event.target;
    if (box.matches(".rr-show input")) field(box.form).type = box.checked ? "text" : "password";
  });
  // A browser keeps what was typed into a plain field.
  document.addEventListener("submit", (event) => {
    if (event.target.matches(".rr-sign-in")) field(event.target).type = "password";
  }, true);
}
[...document.querySelectorAll(".rr-sign-in input")].find((field) => !field.value)?.focus();
</script>"""
"""Shows the password on demand; without it the form works as well."""


def style(theme: Theme) -> str:
    """Return the style sheet of the forms for signing in and out."""
    return _STYLE.format(
        name=theme.name,
        text=theme.text,
        muted=theme.muted,
        surface=theme.surface,
        background=theme.background,
        border=st.get_option(f"theme.{theme.name}.borderColor") or theme.grid,
        primary=theme.primary,
        accent=theme.accent,
        darker=mix(theme.primary, "#000000", 0.15),
    )

"""The frame of every screen: sign-in, navigation by role, and who you are."""

import streamlit as st

from pages import context
from pages.widgets.browser import prepare_browser
from pages.widgets.sign_in import ask, show_person

# Drawn here, so that the tab has its icon without a network.
ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
<rect width="16" height="16" rx="3" fill="#0072B2"/>
<path d="M4 4h8M4 8h6M4 12h4" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>"""
st.set_page_config(page_title="rulerank", page_icon=ICON, layout="wide")

# What one must be allowed to do, the file, the title, the icon, and the address; the first page is the first.
PAGES = (
    ("label", "home.py", "Home", "home", ""),
    ("label", "label.py", "Label", "edit_note", "label"),
    ("research", "progress.py", "Progress", "trending_up", "progress"),
    ("research", "competence.py", "Competence", "grid_on", "competence"),
    ("research", "ranking.py", "Ranking", "format_list_numbered", "ranking"),
    ("research", "agreement.py", "Agreement", "handshake", "agreement"),
    ("research", "simulate.py", "Simulate", "science", "simulate"),
    ("research", "clicks.py", "Clicks", "ads_click", "clicks"),
    ("research", "export.py", "Export", "download", "export"),
    ("research", "new_campaign.py", "New campaign", "add", "new"),
    ("administer", "people.py", "People", "group", "people"),
)


def refuse() -> None:
    """Say at the address of a page that it is not for this person."""
    context.require(next(act for act, *_, path in PAGES if path == chosen.url_path))


person = context.signed_in()
may = context.workspace().may
pages = []
for act, file, title, icon, path in PAGES:
    # Streamlit covers what it does not know as an address with a dialog; so every address is known to everybody.
    if person is None:
        pages.append(st.Page(ask, title="Sign in", url_path=path, default=not path))
    elif may(person, act):
        pages.append(st.Page(file, title=title, icon=f":material/{icon}:", url_path=path, default=not path))
    else:
        pages.append(st.Page(refuse, title=title, url_path=path, visibility="hidden"))

chosen = st.navigation(pages, position="sidebar" if person else "hidden")
if person is not None:
    show_person(person, context.wiring().sign_in)
    prepare_browser()
chosen.run()

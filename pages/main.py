"""The frame of every screen: navigation by role, and who you are. Who gets here at all is decided in `pages/gate/`."""

import streamlit as st

from pages import context
from pages.charts.theme import ICON
from pages.shared.browser import prepare_browser
from pages.shared.markdown import plain
from pages.shared.signed_in import keep_apart, show_person, tell_signed_out
from rulerank.errors import StoreError

st.set_page_config(page_title="rulerank", page_icon=ICON, layout="wide")

# What one must be allowed to do, the folder of the screen, its title, icon and address; the first page is the first.
# Pages without an icon are not in the menu.
PAGES = (
    ("label", "home", "Home", "home", ""),
    ("label", "label", "Label", "edit_note", "label"),
    ("research", "progress", "Progress", "trending_up", "progress"),
    ("research", "competence", "Competence", "grid_on", "competence"),
    ("research", "ranking", "Ranking", "format_list_numbered", "ranking"),
    ("research", "agreement", "Agreement", "handshake", "agreement"),
    ("research", "simulate", "Simulate", "science", "simulate"),
    ("research", "clicks", "Clicks", "ads_click", "clicks"),
    ("research", "export", "Export", "download", "export"),
    ("research", "new_campaign", "New campaign", "add", "new"),
    ("administer", "people", "People", "group", "people"),
    ("label", "sessions", "Your sessions", "", "sessions"),
)


def refuse() -> None:
    """Say at the address of a page that it is not for this person."""
    context.require(next(act for act, *_, path in PAGES if path == chosen.url_path))


def tell_trouble() -> None:
    """Say at every address why nothing can be shown."""
    st.error(plain(trouble), icon=":material/error:")


try:
    person = context.signed_in()
except StoreError as error:
    trouble = str(error)
    # Without a navigation Streamlit would show an empty page.
    told = [st.Page(tell_trouble, title="rulerank", url_path=path, default=not path) for *_, path in PAGES]
    st.navigation(told, position="hidden").run()
    st.stop()
may = context.workspace().may
pages, links = [], []
for act, screen, title, icon, path in PAGES:
    # Streamlit covers what it does not know as an address with a dialog; so every address is known to everybody.
    if person is None:
        pages.append(st.Page(tell_signed_out, title="Signed out", url_path=path, default=not path))
    elif may(person, act):
        look = f":material/{icon}:" if icon else None
        pages.append(st.Page(context.script(screen), title=title, icon=look, url_path=path, default=not path))
        if icon:
            links.append((screen, title, icon))
    else:
        pages.append(st.Page(refuse, title=title, url_path=path, visibility="hidden"))

# Streamlit's own links would drop the campaign from the address.
chosen = st.navigation(pages, position="hidden")
if person is not None:
    keep_apart(person)
    with st.sidebar.container(key="rr-pages", gap="xsmall"):
        for screen, title, icon in links:
            context.link(screen, title, icon)
    show_person(person, context.wiring().sign_in)
    prepare_browser()
chosen.run()

"""The frame of every screen: navigation by role, and who you are. Who gets here at all is decided in `pages/gate/`."""

import streamlit as st

from pages import context
from pages.widgets.browser import prepare_browser
from pages.widgets.icon import ICON
from pages.widgets.plain import plain
from pages.widgets.signed_in import keep_apart, show_person, tell_signed_out
from rulerank.errors import StoreError

st.set_page_config(page_title="rulerank", page_icon=ICON, layout="wide")

# What one must be allowed to do, the file, the title, the icon, and the address; the first page is the first. Pages
# without an icon are not in the menu.
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
    ("label", "sessions.py", "Your sessions", "", "sessions"),
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
for act, file, title, icon, path in PAGES:
    # Streamlit covers what it does not know as an address with a dialog; so every address is known to everybody.
    if person is None:
        pages.append(st.Page(tell_signed_out, title="Signed out", url_path=path, default=not path))
    elif may(person, act):
        look = f":material/{icon}:" if icon else None
        pages.append(st.Page(file, title=title, icon=look, url_path=path, default=not path))
        if icon:
            links.append((pages[-1], title, icon))
    else:
        pages.append(st.Page(refuse, title=title, url_path=path, visibility="hidden"))

# Streamlit's own links would drop the campaign from the address.
chosen = st.navigation(pages, position="hidden")
if person is not None:
    keep_apart(person)
    with st.sidebar.container(key="rr-pages", gap="xsmall"):
        for page, title, icon in links:
            context.link(page, title, icon)
    show_person(person, context.wiring().sign_in)
    prepare_browser()
chosen.run()

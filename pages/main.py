"""The frame of every screen: navigation by role, and who you are. Who gets here at all is decided in `pages/gate/`."""

import streamlit as st

from pages import context
from pages.charts.figure import current_theme
from pages.charts.theme import ICON, logo
from pages.shared.browser import keep_apart, prepare_browser, show_person, tell_signed_out
from pages.shared.layout import page_title, plain
from rulerank.errors import StoreError

st.set_page_config(page_title="rulerank", page_icon=ICON, layout="wide", initial_sidebar_state="auto")
st.logo(logo(current_theme()), icon_image=ICON, size="large")

# By section of the menu: what one must be allowed to do, the folder of the screen, its title, icon and address; the
# first page is the first.
MENU = {
    "Work": (
        ("label", "home", "Home", "home", ""),
        ("label", "label", "Label", "edit_note", "label"),
        ("label", "my_labels", "My labels", "checklist", "mine"),
    ),
    "Watch": (
        ("research", "progress", "Progress", "trending_up", "progress"),
        ("research", "replay", "Replay", "slow_motion_video", "replay"),
        ("research", "competence", "Competence", "grid_on", "competence"),
        ("research", "ranking", "Ranking", "format_list_numbered", "ranking"),
        ("research", "agreement", "Agreement", "handshake", "agreement"),
        ("research", "discussions", "Discussions", "forum", "discussions"),
    ),
    "Study": (
        ("research", "simulate", "Simulate", "science", "simulate"),
        ("research", "clicks", "Clicks", "ads_click", "clicks"),
    ),
    "Set up": (
        ("research", "new_campaign", "New campaign", "add", "new"),
        ("research", "export", "Export", "download", "export"),
        ("research", "settings", "Settings", "tune", "settings"),
        ("administer", "people", "People", "group", "people"),
        ("label", "sessions", "Your sessions", "devices", "sessions"),
    ),
}
PAGES = tuple(page for section in MENU.values() for page in section)
# Addresses of pages that are about one campaign, which the browser's title names.
OF_A_CAMPAIGN = {
    "label", "mine", "progress", "replay", "competence", "ranking", "agreement", "discussions", "export",
    "settings",
}  # fmt: skip


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
    notices = [st.Page(tell_trouble, title="rulerank", url_path=path, default=not path) for *_, path in PAGES]
    st.navigation(notices, position="hidden").run()
    st.stop()
may = context.workspace().may
# Without a sign-in there are no sessions to look at.
unseen = {"sessions"} if context.wiring().sign_in == "open" else set()
pages: dict[str, list[st.Page]] = {section: [] for section in MENU}
links: dict[str, list[tuple[str, str, str]]] = {section: [] for section in MENU}
for section, found in MENU.items():
    for act, screen, title, icon, path in found:
        # Streamlit covers what it does not know as an address with a dialog; so every address is known to everybody.
        if person is None:
            page = st.Page(tell_signed_out, title="Signed out", url_path=path, default=not path)
        elif may(person, act):
            look = f":material/{icon}:"
            page = st.Page(context.script(screen), title=title, icon=look, url_path=path, default=not path)
            if screen not in unseen:
                links[section].append((screen, title, icon))
        else:
            page = st.Page(refuse, title=title, url_path=path, visibility="hidden")
        pages[section].append(page)

# Streamlit's own links would drop the campaign from the address.
chosen = st.navigation(pages, position="hidden")
if person is not None:
    keep_apart(person)
    about = context.campaign_name() if chosen.url_path in OF_A_CAMPAIGN else ""
    st.set_page_config(page_title=page_title(chosen.title, about))
    with st.sidebar.container(key="rr-pages", gap=None):
        for section, entries in links.items():
            if entries:
                st.html(f'<div class="rr-section">{section}</div>')
            for screen, title, icon in entries:
                context.link(screen, title, icon)
    show_person(person, context.wiring().sign_in)
    prepare_browser()
chosen.run()

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

person = context.signed_in()
if person is None:
    st.navigation([st.Page(ask, title="Sign in")], position="hidden").run()
    st.stop()

may = context.workspace().may
pages = [st.Page("home.py", title="Home", icon=":material/home:", default=True)]
if may(person, "label"):
    pages.append(st.Page("label.py", title="Label", icon=":material/edit_note:", url_path="label"))
if may(person, "research"):
    pages += [
        st.Page("progress.py", title="Progress", icon=":material/trending_up:", url_path="progress"),
        st.Page("competence.py", title="Competence", icon=":material/grid_on:", url_path="competence"),
        st.Page("ranking.py", title="Ranking", icon=":material/format_list_numbered:", url_path="ranking"),
        st.Page("agreement.py", title="Agreement", icon=":material/handshake:", url_path="agreement"),
        st.Page("export.py", title="Export", icon=":material/download:", url_path="export"),
        st.Page("new_campaign.py", title="New campaign", icon=":material/add:", url_path="new"),
    ]
if may(person, "administer"):
    pages.append(st.Page("people.py", title="People", icon=":material/group:", url_path="people"))

chosen = st.navigation(pages)
show_person(person, context.wiring().sign_in)
prepare_browser()
chosen.run()

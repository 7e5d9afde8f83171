"""Label: the query stays on top, the document below, one key grades, saves and moves on."""

from __future__ import annotations

import streamlit as st

from pages import context
from pages.label.panel import LABELLING, show_help, show_panel
from pages.label.service import View, panel_data
from pages.shared.markdown import named

person = context.require("label")
opened = context.choose_campaign()
with st.container(key=LABELLING):
    main, side = st.columns([5, 2], gap="medium")
    with side:
        show_help(opened)
    with main:
        st.caption(f"Label {named(opened.name)}")
        show_panel(panel_data(context.workspace(), opened, person, View()), context.address("/act"))

"""Label: the query stays on top, the document below, one key grades, saves and moves on."""

from __future__ import annotations

import streamlit as st

from pages import context
from pages.widgets.labelling import LABELLING, labelling, show_help

person = context.require("label")
opened = context.choose_campaign()
with st.container(key=LABELLING):
    main, side = st.columns([5, 2], gap="large")
    with side:
        show_help(opened)
    with main:
        labelling(context.workspace(), opened, person)

"""Label: the query stays on top, the document below, one key grades, saves and moves on."""

from __future__ import annotations

from pages import context
from pages.widgets.labelling import labelling

person = context.require("label")
labelling(context.workspace(), context.choose_campaign(), person)

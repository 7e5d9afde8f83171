"""What runs beside the Clicks page: one task for each part of it, which a newer one takes the place of."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.shared.layout import plain
from pages.shared.task import BackgroundTask, JobTask
from rulerank.errors import RulerankError

LOG, FITS, TABLES = "clicks-log", "clicks-fits", "clicks-tables"
DOCUMENTS, MEASURED = "clicks-documents", "clicks-measured"


def begin(
    part: str, wish: Any, task: BackgroundTask[Any] | JobTask[Any]
) -> tuple[Any, BackgroundTask[Any] | JobTask[Any]]:
    """Keep a task with what was wished for; the part's earlier one is of no use any more, and ends."""
    forget(part)
    kept = st.session_state[part] = (wish, task)
    return kept


def forget(part: str) -> None:
    """End a part's task, if there is one, and forget its result."""
    earlier = st.session_state.pop(part, None)
    if earlier is not None:
        earlier[1].close()


def tell(task: BackgroundTask[Any] | JobTask[Any]) -> None:
    """Say why a task has no result."""
    error = task.error or RulerankError("there is no result")
    (st.info if task.cancelled else st.error)(sentence(str(error)))


def sentence(text: str) -> str:
    """Return a message as a sentence, to be shown as plain text; a name of a file at its beginning stays as it is."""
    first = text.partition(" ")[0].rstrip(",;")
    return plain(text[:1].upper() + text[1:] if first.isalpha() else text) + "."

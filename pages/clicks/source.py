"""Where the log of the Clicks page comes from: an upload in our layout or CLARA2's, or a simulation."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages import context
from pages.clicks.tasks import sentence
from pages.new_campaign.given import Given
from pages.shared.layout import plain
from pages.shared.task import BackgroundTask, JobTask
from rulerank.clicks import ClickLog, ClickLogError, study
from rulerank.errors import RulerankError
from rulerank.importing.clicks import error_from_dict, load_log

EXAMPLE = """\
query,documents,grades,clicks,languages
q1,d7 d2 d9,4 0 2,1 0 0,en de en
q1,d7 d2 d9,4 0 2,0 0 1,en de en
q2,d4 d1,1 3,0 0,de en"""
SOURCES = {"upload": "Upload a log", "clara2": "Upload a log in CLARA2's layout", "simulate": "Simulate a log"}
UNJUDGED = {"drop": "leave the session out", "zero": "count it as grade 0"}
LINES = {"Line": st.column_config.NumberColumn(width=80), "What is wrong": st.column_config.TextColumn(width="large")}
LogTask = BackgroundTask[ClickLog] | JobTask[ClickLog]


def ask_log() -> tuple[str, LogTask] | None:
    """Ask for a log; returns its name and the task that makes it once the button is pressed."""
    kind = st.segmented_control(
        "Log", list(SOURCES), default="upload", required=True, format_func=SOURCES.__getitem__, key="clicks-source",
        label_visibility="collapsed",
    )  # fmt: skip
    if kind == "simulate":
        return _ask_simulation()
    return _ask_upload(clara=kind == "clara2")


def _ask_upload(*, clara: bool) -> tuple[str, LogTask] | None:
    if clara:
        left, right = st.columns(2, gap="large")
        log = left.file_uploader("Log", key="clicks-clara-log", help="Rows with `Q` and `C`, separated by tabs.")
        table = right.file_uploader("Grades", key="clicks-clara-grades", help="Query, url and grade, by tabs.")
    else:
        log = st.file_uploader(
            "Click log",
            key="clicks-file",
            help="CSV, JSON lines or parquet, by the name's ending (.csv, .jsonl, .parquet); gz, xz or bz2 around it.",
        )
        table = None
    options = _ask_options()
    if log is None or (clara and table is None):
        if not clara:
            st.markdown("One session per row: the query, its results from the top with their grades, and the clicks.")
            st.code(EXAMPLE, language=None)
        st.caption(
            "Both files of CLARA2 are needed: the log and the table of grades."
            if clara
            else "Languages are optional. A column `sessions` may say how many equal sessions a row stands for."
        )
        return None
    if not st.button("Read the log", type="primary", icon=":material/upload_file:", key="clicks-read"):
        return None
    return log.name, _read(Given.sent(log), None if table is None else Given.sent(table), options)


def _read(log: Given, table: Given | None, options: dict[str, Any]) -> JobTask[ClickLog]:
    """Let the worker read an uploaded log; what comes back are counts, which are small."""
    uploads = context.workspace().uploads
    token = uploads.begin()
    try:
        arguments = {
            "token": token,
            "log": log.placed(token).to_dict(),
            "grades": None if table is None else table.placed(token).to_dict(),
            "options": options,
        }
    except BaseException:
        uploads.remove(token)
        raise

    def finish(result: dict[str, Any]) -> ClickLog:
        if "bad" in result:
            raise error_from_dict(result["bad"])
        return load_log(uploads.path(token))

    return JobTask("read_clicks", arguments, "Reading the log", finish=finish, token=token)


def _ask_options() -> dict[str, Any]:
    first, second, third = st.columns(3, gap="medium", vertical_alignment="bottom")
    depth = first.number_input(
        "Positions", 1, 62, 5, key="clicks-depth", help="Results that count; clicks below are ignored (the paper: 5)."
    )
    unjudged = second.selectbox(
        "A result without a grade", list(UNJUDGED), format_func=UNJUDGED.__getitem__, key="clicks-unjudged"
    )
    skip = third.toggle("Skip bad rows", key="clicks-skip", help="They are counted and reported by line in any case.")
    return {"depth": int(depth), "unjudged": unjudged, "skip_bad": skip}


def _ask_simulation() -> tuple[str, LogTask] | None:
    kind = st.selectbox(
        "Who clicks", list(study.USERS), format_func=study.USERS.__getitem__, key="clicks-users",
        help="Made-up result lists in two languages, grades 0 to 4, read by users of this model.",
    )  # fmt: skip
    columns = st.columns(4 if kind == "bilingual" else 3, gap="medium")
    sessions = columns[0].number_input("Sessions", 100, 5_000_000, 100_000, step=10_000, key="clicks-sessions")
    depth = columns[1].number_input("Positions", 2, 20, 5, key="clicks-simulated-depth", help="Results of a list.")
    seed = columns[2].number_input("Seed", 0, 2**31 - 1, 0, key="clicks-seed", help="The same seed, the same log.")
    foreign = 0.0
    if kind == "bilingual":
        foreign = columns[3].number_input(
            "Other language", 0.0, 1.0, 0.35, 0.05, key="clicks-foreign",
            help="How often a document in the other language satisfies, against one's own.",
        )  # fmt: skip
    if not st.button("Simulate", type="primary", icon=":material/casino:", key="clicks-simulate"):
        return None
    user = study.user_named(kind, float(foreign))
    return f"simulated, seed {seed}", BackgroundTask(
        lambda progress: study.simulate(user, int(sessions), int(depth), int(seed), progress), "Drawing sessions"
    )


def show_problem(error: RulerankError) -> None:
    """Say why there is no log; bad rows by line."""
    if not isinstance(error, ClickLogError):
        st.error(sentence(str(error)), icon=":material/error:")
        return
    rows = "1 row" if error.total == 1 else f"{error.total:,d} rows"
    more = f" The first {len(error.rows)} are listed." if error.total > len(error.rows) else ""
    st.error(
        f"{rows} of {plain(error.source)} cannot be used.{more} Fix them, or switch on **Skip bad rows** and read "
        "again.",
        icon=":material/error:",
    )
    st.dataframe(bad_table(error.rows), hide_index=True, key="clicks-bad", column_config=LINES)


def show_skipped(log: ClickLog) -> None:
    """Say what was left out of a log, and what was noticed."""
    reading = log.reading
    if reading.bad:
        rows = "1 bad row was" if reading.bad == 1 else f"{reading.bad:,d} bad rows were"
        with st.expander(f"{rows} skipped", icon=":material/warning:"):
            st.dataframe(bad_table(reading.bad_rows), hide_index=True, key="clicks-skipped", column_config=LINES)
            if reading.bad > len(reading.bad_rows):
                st.caption(f"The first {len(reading.bad_rows)} are listed.")
    if reading.unjudged:
        st.caption(f"{reading.unjudged:,d} sessions were left out, because a result has no grade.")
    for note in reading.notes:
        st.caption(sentence(note))


def bad_table(rows: Any) -> pd.DataFrame:
    """Return bad rows as a table: the line, and what is wrong there."""
    return pd.DataFrame({"Line": [row.line for row in rows], "What is wrong": [row.message for row in rows]})

"""Backup of the whole database, and a restore that never touches the one in use."""

from __future__ import annotations

import io
import os
import re
import shlex
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from pages import context
from pages.export.preview import size_text
from pages.shared.layout import plain
from rulerank.audit import audit
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.people.person import Person
    from db.workspace import Workspace

OTHERS = (
    "FORWARDED_ALLOW_IPS",
    "STREAMLIT_SERVER_ADDRESS",
    "STREAMLIT_SERVER_BASE_URL_PATH",
    "STREAMLIT_SERVER_MAX_UPLOAD_SIZE",
    "STREAMLIT_SERVER_PORT",
)
"""Settings of the app that are not named after it; README.md and docs/security.md list them."""
SECRET = re.compile("SECRET|PASSWORD|TOKEN|KEY")


def show_backup(workspace: Workspace, person: Person) -> None:
    """Offer a backup file and a restore from one."""
    st.header("Backup and restore")
    st.caption(
        "One file with every campaign, label and account, and with checksums of all that, made while people go on "
        "labelling. It also holds password hashes: keep it where only you can read it. A plain copy of the database "
        "file is no backup."
    )
    left, right = st.columns(2, gap="large")
    with left:
        offer_backup(workspace, person)
    with right:
        _offer_restore(workspace, person)


def offer_backup(workspace: Workspace, person: Person) -> None:
    """Make a backup when asked, and offer it as a file."""
    if st.button("Make a backup", icon=":material/save:", key="backup-make"):
        with st.spinner("Making a backup..."):
            name = time.strftime("rulerank-backup-%Y%m%dT%H%M%SZ.zip", time.gmtime())
            data = workspace.backup_bytes()
            st.session_state["backup"] = (name, data)
            audit("backup", by=person.name, file=name, bytes=len(data))
    kept = st.session_state.get("backup")
    if kept is not None:
        name, data = kept
        st.download_button(
            f"Download {name} ({size_text(len(data))})",
            data,
            name,
            "application/zip",
            icon=":material/download:",
            key="backup-download",
            on_click="ignore",
        )
        fault = workspace.backup_fault(io.BytesIO(data))
        if fault:
            words = "The database holds something that is not right, and restoring this backup will be refused"
            st.warning(plain(f"{words}: {fault}."), icon=":material/warning:")


def _offer_restore(workspace: Workspace, person: Person) -> None:
    file = st.file_uploader(
        "Restore a backup",
        key="backup-file",
        help="Every byte and every value is proven; then it becomes a new database file beside the one in use, which "
        "stays as it is.",
    )
    if file is not None and st.button("Check and restore", icon=":material/settings_backup_restore:"):
        try:
            with st.spinner("Checking the backup..."):
                file.seek(0)  # it may have been read before
                made = st.session_state["restored"] = workspace.restore_backup(file, file.name)
                audit("restore", by=person.name, file=file.name, database=f"sqlite:///{made.path}")
        except RulerankError as error:
            audit("refused", why="bad-backup", by=person.name, file=file.name)
            st.session_state.pop("restored", None)
            st.error(plain(str(error)), icon=":material/error:")
    restored = st.session_state.get("restored")
    if restored is not None:
        path = restored.path
        found = "No fault was found in this backup, which" if restored.remark else "The backup is whole and"
        st.success(f"{found} is now the database `{path}`.", icon=":material/check_circle:")
        if restored.remark:
            st.warning(plain(restored.remark), icon=":material/warning:")
        st.write("To work with it, stop the app and start it with:")
        st.code(start_command(context.wiring().sign_in, f"sqlite:///{path}", os.environ), language="bash")


def start_command(sign_in: str, database: str, environment: Mapping[str, str]) -> str:
    """Return the line for a shell that starts the app on another database as it runs now.

    Settings that were left out would fall back to their defaults: no sign-in, for one.
    """
    kept = {name: value for name, value in sorted(environment.items()) if _is_setting(name)}
    settings = {"RULERANK_SIGN_IN": sign_in, "RULERANK_DATABASE": database}
    words = [f"{name}={shlex.quote(value)}" for name, value in (settings | (kept | settings)).items()]
    return " ".join([*words, "python3 run.py"])


def _is_setting(name: str) -> bool:
    return (name.startswith("RULERANK_") or name in OTHERS) and not SECRET.search(name)

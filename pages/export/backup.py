"""Backup of the whole database, and a restore that never touches the one in use."""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING

import streamlit as st

from pages.export.preview import size_text
from pages.shared.markdown import plain
from rulerank.errors import RulerankError

if TYPE_CHECKING:
    from db.workspace import Workspace


def show_backup(workspace: Workspace) -> None:
    """Offer a backup file and a restore from one."""
    st.subheader("Backup and restore")
    st.caption(
        "One file with every campaign, label and account, and with checksums of all that, made while people go on "
        "labelling. It also holds password hashes: keep it where only you can read it. A plain copy of the database "
        "file is no backup."
    )
    left, right = st.columns(2, gap="large")
    with left:
        _offer_backup(workspace)
    with right:
        _offer_restore(workspace)


def _offer_backup(workspace: Workspace) -> None:
    if st.button("Make a backup", icon=":material/save:", key="backup-make"):
        with st.spinner("Making a backup..."):
            name = time.strftime("rulerank-backup-%Y%m%dT%H%M%SZ.zip", time.gmtime())
            st.session_state["backup"] = (name, workspace.backup_bytes())
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


def _offer_restore(workspace: Workspace) -> None:
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
                st.session_state["restored"] = workspace.restore_backup(file, file.name)
        except RulerankError as error:
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
        st.code(f"RULERANK_DATABASE='sqlite:///{path}' python3 run.py", language="bash")

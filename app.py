"""Wiring: settings, the database, the sign-in routes, the worker beside the server, and the Streamlit app.

Settings come from the environment:
  RULERANK_DATABASE   sqlite:///path/to/file.db (default: rulerank.db in the current folder) or postgresql://...
  RULERANK_SIGN_IN    open (default: one person, this machine only), accounts, or oidc (Streamlit's own login)
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from db.passwords import TooManyTriesError
from db.worker import start_worker, stop_worker
from db.workspace import Workspace
from pages import context
from pages.widgets.labelling import RefusedError, answer
from rulerank.errors import RulerankError

SIGN_IN = ("open", "accounts", "oidc")
LOCAL = ("localhost", "127.0.0.1", "::1")
LONGEST_QUESTION = 200_000  # bytes: the longest note and what goes with it
log = logging.getLogger("rulerank")


def sign_in_mode() -> str:
    """Return how people sign in; without accounts the server must not be reachable from other machines."""
    mode = os.environ.get("RULERANK_SIGN_IN", "open").strip().lower()
    if mode not in SIGN_IN:
        raise RulerankError(f"RULERANK_SIGN_IN must be one of {', '.join(SIGN_IN)}, not {mode!r}")
    address = st.get_option("server.address") or ""
    if mode == "open" and address not in LOCAL:
        raise RulerankError(
            f"without sign-in the app must listen on localhost only, not on {address or 'all addresses'!r}; "
            "set server.address to localhost, or RULERANK_SIGN_IN=accounts"
        )
    return mode


async def enter(request: Request) -> Response:
    """Check a name and password, and set the signed cookie that the pages read."""
    form = await request.form()
    people = context.workspace().people
    try:
        person = people.check(str(form.get("person", "")), str(form.get("password", "")))
    except TooManyTriesError as error:
        return RedirectResponse(f"/?wait={max(1, round(error.seconds))}", status_code=303)
    if person is None:
        return RedirectResponse("/?refused=1", status_code=303)
    answer = RedirectResponse("/", status_code=303)
    secure = request.url.scheme == "https"
    answer.set_cookie(context.COOKIE, people.sign(person), httponly=True, samesite="strict", secure=secure)
    return answer


async def leave(request: Request) -> Response:
    """Sign out."""
    answer = RedirectResponse("/", status_code=303)
    answer.delete_cookie(context.COOKIE)
    return answer


async def act(request: Request) -> Response:
    """Do what the labelling panel asks for; see `pages.widgets.labelling`."""
    if int(request.headers.get("content-length") or LONGEST_QUESTION + 1) > LONGEST_QUESTION:
        return JSONResponse({"problem": "This note is too long to be saved; shorten it."}, status_code=413)
    try:
        asked = await request.json()
        if not isinstance(asked, dict):
            raise ValueError("not an object")
    except ValueError:
        return JSONResponse({"problem": "This question cannot be read; reload the page."}, status_code=400)
    try:
        return JSONResponse(await run_in_threadpool(answer, workspace, asked))
    except RefusedError as error:
        return JSONResponse({"problem": str(error)}, status_code=error.status)
    except RulerankError as error:
        return JSONResponse({"problem": str(error)}, status_code=409)
    except Exception:
        log.exception("the labelling panel failed")
        problem = "Something went wrong here. Nothing that was saved is lost; the server's log says more."
        return JSONResponse({"problem": problem}, status_code=500)


async def health(request: Request) -> Response:
    """Say whether the database answers."""
    with context.workspace().database.read() as connection:
        connection.exec_driver_sql("SELECT 1")
    return JSONResponse({"status": "ok"})


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Keep a worker beside the server for long work; it ends with the server."""
    worker = start_worker(workspace.database.url.render_as_string(hide_password=False))
    try:
        yield {}
    finally:
        stop_worker(worker)
        workspace.close()


def tell(error: Exception) -> bool:
    """Show an error of ours as a message; note any other in the log, and say so without a traceback."""
    if isinstance(error, RulerankError):
        st.error(str(error), icon=":material/error:")
    else:
        log.error("a page failed", exc_info=error)
        st.error("Something went wrong here. Nothing that was saved is lost; the server's log says more.")
    return True


try:
    workspace = Workspace(os.environ.get("RULERANK_DATABASE", "sqlite:///rulerank.db"))
    context.wire(workspace, sign_in_mode())
except RulerankError as problem:
    sys.exit(f"rulerank: {problem}")

app = st.App(
    "pages/main.py",
    routes=[
        Route("/enter", enter, methods=["POST"]),
        Route("/leave", leave, methods=["GET", "POST"]),
        Route("/act", act, methods=["POST"]),
        Route("/health", health),
    ],
    lifespan=lifespan,
    on_script_error=tell,
)

"""Wiring: settings, the database, the gate before Streamlit, the workers beside the server, and the Streamlit app.

Settings come from the environment:
  RULERANK_DATABASE     sqlite:///path/to/file.db (default: rulerank.db in the current folder) or postgresql://...
  RULERANK_SIGN_IN      open (default: one person, this machine only), accounts, or oidc (a sign-in provider)
  RULERANK_ADMINS       with oidc: addresses that are administrators, for example ada@example.org
  RULERANK_ANNOTATORS   with oidc: addresses, or @domains, that may join as annotators without being added
  RULERANK_ORIGIN       https://host[:port] by which people reach the app, where a proxy does not pass on its name
  RULERANK_SESSION_HOURS, RULERANK_IDLE_MINUTES  how long a sign-in lasts at most (12), and without use (120)
  RULERANK_UPLOAD_MEGABYTES  what the uploads of one person may hold in memory at a time (1000)
  RULERANK_WORKER_NICE  how much the background worker lets others go first: 0 to 19 (default)
  RULERANK_UPLOADS      a folder for uploads until they are read; every server and worker of a database must see it
                        (default: beside the SQLite file, or below the folder for temporary files)
  RULERANK_LOG          a file to which the log of who did what goes as well (else it goes to standard error alone)
  RULERANK_TRUST_EMAIL  with oidc: 1 trusts a provider that does not say whether it has verified an address
The sign-in provider itself stands in .streamlit/secrets.toml; see .streamlit/secrets.example.toml. What each of these
is for, and how the app stands behind a reverse proxy, is described in docs/security.md.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from db.jobs.supervisor import Supervisor
from db.people.openid import Admission, Welcome
from db.people.sessions import HOURS, IDLE_MINUTES, Limits
from db.store.errors import store_error
from db.workspace import Health, Workspace
from pages import context
from pages.gate.gate import Gate, Rules, note_refused
from pages.gate.headers import Headers, app_policy, check_origin, streamlit_scripts
from pages.gate.index import StartScript, start_script
from pages.gate.provider import Provider, check_provider
from pages.gate.routes import SignIn
from pages.gate.transfers import MEGABYTES, UploadLimits
from pages.label.service import RefusedError, answer, encode
from pages.shared.browser import SCRIPT
from pages.shared.layout import plain
from rulerank import __version__
from rulerank.audit import audit
from rulerank.errors import RulerankError

SIGN_IN = ("open", "accounts", "oidc")
LONGEST_QUESTION = 200_000  # bytes: the longest note and what goes with it
log = logging.getLogger("rulerank")


# Settings ------------------------------------------------------------------------------------------------------------


def sign_in_mode() -> str:
    """Return how people sign in; without accounts the server must not be reachable from other machines."""
    mode = os.environ.get("RULERANK_SIGN_IN", "open").strip().lower()
    if mode not in SIGN_IN:
        raise RulerankError(f"RULERANK_SIGN_IN must be one of {', '.join(SIGN_IN)}, not {mode!r}")
    address = st.get_option("server.address") or ""
    if mode == "open" and not context.is_local("127.0.0.1", address):
        raise RulerankError(
            f"without sign-in the app must listen on localhost only, not on {address or 'all addresses'!r}; "
            "set server.address to localhost, or RULERANK_SIGN_IN=accounts"
        )
    return mode


def number(name: str, default: float) -> float:
    """Return a setting that is a number."""
    text = os.environ.get(name, "").strip()
    try:
        return float(text) if text else default
    except ValueError as error:
        raise RulerankError(f"{name} must be a number, not {text!r}") from error


def session_limits() -> Limits:
    """Return how long a sign-in lasts; a session that is shorter than the usual pause ends with it."""
    hours = number("RULERANK_SESSION_HOURS", HOURS)
    return Limits(hours, number("RULERANK_IDLE_MINUTES", min(IDLE_MINUTES, 60 * hours)))


def make_rules(workspace: Workspace, sign_in: SignIn | None) -> Rules:
    """Return whom the gate lets through."""
    origin = os.environ.get("RULERANK_ORIGIN", "").strip()
    return Rules(
        people=None if sign_in is None else workspace.people,
        free=frozenset() if sign_in is None else sign_in.free,
        origin=check_origin(origin) if origin else "",
        uploads=UploadLimits(int(number("RULERANK_UPLOAD_MEGABYTES", MEGABYTES))),
    )


def make_admission(workspace: Workspace) -> Admission:
    """Return who gets in with a sign-in provider."""
    check_provider()
    names = ("RULERANK_ADMINS", "RULERANK_ANNOTATORS", "RULERANK_TRUST_EMAIL")
    return Admission(workspace.people, Welcome.read(*(os.environ.get(name, "") for name in names)))


# Routes --------------------------------------------------------------------------------------------------------------


def reply(data: dict[str, Any], status: int = 200) -> Response:
    """Answer in JSON that any browser can read."""
    return Response(encode(data), status_code=status, media_type="application/json")


async def act(request: Request) -> Response:
    """Do what the labelling panel asks for; see `pages.label.service`."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or len(length) > 9 or int(length) > LONGEST_QUESTION:
        return reply({"problem": "This note is too long to be saved; shorten it."}, 413)
    try:
        asked = await request.json()
        if not isinstance(asked, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError, ClientDisconnect):  # who has hung up hears nothing, and asks again
        return reply({"problem": "This question cannot be read; reload the page."}, 400)
    cookie = None if mode == "open" else request.cookies.get(context.COOKIE, "")
    try:
        return reply(await run_in_threadpool(answer, workspace, asked, cookie))
    except RefusedError as error:
        if error.status == 403:
            note_refused("role", request)
        return reply({"problem": str(error)}, error.status)
    except Exception as error:
        trouble = store_error(error)
        if trouble is not None:
            return reply({"problem": str(trouble), "store": trouble.kind, "retry": True}, 503)
        if isinstance(error, RulerankError):
            return reply({"problem": str(error)}, 409)
        log.exception("the labelling panel failed")
        problem = "Something went wrong here. Nothing that was saved is lost; the server's log says more."
        return reply({"problem": problem}, 500)


async def health(request: Request) -> Response:
    """Say how every part of the app does: 200 if all is well, 503 if not."""
    state = await run_in_threadpool(checks.state)
    return reply(state, 200 if state["status"] == "ok" else 503)


# The app -------------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Keep workers beside the server for long work; they end with the server."""
    workspace.uploads.sweep(at_start=True)
    workspace.supervisor = Supervisor(workspace.jobs).start()
    try:
        yield {}
    finally:
        workspace.supervisor.stop()
        workspace.close()


def tell(error: Exception) -> bool:
    """Show an error of ours as a message; note any other in the log, and say so without a traceback."""
    shown = store_error(error) or error
    if isinstance(shown, RulerankError):
        st.error(plain(str(shown)), icon=":material/error:")
    else:
        log.error("a page failed", exc_info=error)
        st.error("Something went wrong here. Nothing that was saved is lost; the server's log says more.")
    return True


try:
    workspace = Workspace(os.environ.get("RULERANK_DATABASE", "sqlite:///rulerank.db"))
    for warning in workspace.open_to_others(map(Path, st.get_option("secrets.files") or ())):
        print(f"rulerank: {warning}", file=sys.stderr)
    mode = sign_in_mode()
    workspace.people.sessions.limits = session_limits()
    workspace.people.sessions.tidy()
    context.wire(workspace, mode)
    sign_in = None if mode == "open" else SignIn(workspace.people, mode)
    rules = make_rules(workspace, sign_in)
    provider = [Middleware(Provider, admission=make_admission(workspace))] if mode == "oidc" else []
    if mode == "accounts" and not workspace.people.somebody_administers():
        code = workspace.people.first_code()
        print(f"rulerank: nobody has an account yet; the code for making the first one is {code}", file=sys.stderr)
except RulerankError as problem:
    sys.exit(f"rulerank: {problem}")

audit(
    "start",
    version=__version__,
    database=workspace.database.url.render_as_string(hide_password=True),
    sign_in=mode,
    listens=f"{st.get_option('server.address') or '*'}:{st.get_option('server.port')}",
)
checks = Health({"store": workspace.database.trouble, "worker": workspace.worker_problem})

app = st.App(
    "pages/main.py",
    routes=[
        *([] if sign_in is None else sign_in.routes()),
        Route(context.address("/act"), act, methods=["POST"]),
        Route(context.address("/health"), health),
    ],
    middleware=[
        Middleware(Headers, policy=app_policy([SCRIPT, start_script(), *streamlit_scripts()])),
        Middleware(Gate, rules=rules, sign_in=None if sign_in is None else sign_in.page),
        *provider,
        Middleware(StartScript),
    ],
    lifespan=lifespan,
    on_script_error=tell,
)

"""What a person does in the browser, and what they see: a thin layer over a Playwright page."""

from __future__ import annotations

import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

READY = '[data-testid="stApp"][data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
SIGN_IN = 'main > form[method="post"], main > a.button'
"""The sign-in page, which is not one of Streamlit's."""
BOUNCE = 320
"""Milliseconds, a little more than the panel takes a second press of a key for a bounced one."""
DWELL = 270
"""Milliseconds to look at a document before a key counts: a little more than the campaigns ask for."""

PATIENCE = 240_000
"""Milliseconds to wait for what should come: a busy machine is slow, and no test fails for that."""
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The first is Chromium without windows: the same engine for a fifth less of the processor."""

WINDOW = {"width": 1366, "height": 850}
_idle: WeakKeyDictionary[Browser, list[BrowserContext]] = WeakKeyDictionary()
"""Windows that were closed, without cookies and all they stored: Streamlit's scripts need not be loaded again."""

_TOKEN = "() => document.querySelector('.rr-panel')?.dataset.token || null"


def find_chromium() -> str | None:
    """Return the Chromium or Chrome of this machine."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Yield a browser without a window."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        expect.set_options(timeout=PATIENCE)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=arguments)
        yield browser
        browser.close()


class Screen:
    """One browser tab of one person."""

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:
        self.url = url
        self._idle = None if options else _idle.setdefault(browser, [])
        self.context = self._idle.pop() if self._idle else browser.new_context(**{"viewport": WINDOW, **options})
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)

    def go(self, path: str = "/") -> None:
        """Open an address of the app and wait until the page is drawn."""
        self.page.goto(self.url + path)
        self.ready()

    def ready(self) -> None:
        """Wait until the page is connected and nothing runs, or until it is the sign-in page."""
        self.page.wait_for_selector(f"{READY}, {SIGN_IN}")

    def click(self, name: str) -> None:
        """Click the button of this name, and wait for what it does."""
        self.button(name).click()
        self.ready()

    def button(self, name: str) -> Locator:
        """Return the button of this name."""
        return self.page.get_by_role("button", name=re.compile(name)).first

    def sign_in(self, name: str, password: str) -> None:
        """Fill in the sign-in form."""
        self.go()
        self.page.locator("input[name=person]").fill(name)
        self.page.locator("input[name=password]").fill(password)
        with self.page.expect_navigation():
            self.page.get_by_role("button", name="Sign in").click()
        self.ready()

    @contextmanager
    def woken(self) -> Iterator[None]:
        """Wait, after the server was away, until the page has found it again and has drawn itself anew."""
        before = self.page.evaluate("() => window.rulerank.woken")
        yield
        self.page.wait_for_function("before => window.rulerank.woken > before", arg=before)
        self.page.wait_for_timeout(DWELL)
        self.ready()

    # Labelling ---------------------------------------------------------------------------------------------------

    def token(self) -> str | None:
        """Return the token of the document that can be graded now."""
        found = self.page.evaluate(_TOKEN)
        return None if found is None else str(found)

    def document(self) -> str:
        """Wait for a document to grade, long enough for a key to count, and return its token."""
        self.page.wait_for_function(_TOKEN)
        self.ready()
        # Noted in the page itself: a document that is shown anew, after a reload say, is looked at anew.
        while (token := self.token()) is None or self.page.evaluate("() => window.lookedAt") != token:
            self.page.wait_for_timeout(DWELL)
            self.page.evaluate("token => { window.lookedAt = token }", token)
            self.ready()
        return token

    def press(self, key: str) -> str:
        """Press a key that moves on to another document; returns the token of that one."""
        before = self.document()
        self.page.keyboard.press(key)
        return self.document_after(before)

    def press_again(self, key: str) -> None:
        """Press a key that may have been pressed a moment ago: not so soon that it would be taken for bounced."""
        self.page.wait_for_timeout(BOUNCE)
        self.page.keyboard.press(key)

    def document_after(self, before: str) -> str:
        """Wait for another document than this one, and return its token."""
        self.page.wait_for_function(
            f"before => {{ const now = ({_TOKEN})(); return now && now !== before }}", arg=before
        )
        return self.document()

    def bounce(self, key: str, pause: int) -> None:
        """Press a key twice within so many milliseconds, as measured in the browser itself."""
        twice = """([key, pause]) => new Promise(done => {
            const press = () => document.body.dispatchEvent(
                new KeyboardEvent('keydown', {key, code: 'Digit' + key, bubbles: true, cancelable: true}));
            press();
            setTimeout(() => { press(); done(); }, pause);
        })"""
        self.page.evaluate(twice, [key, pause])

    def saved(self, number: int) -> None:
        """Wait until the screen says that so many labels are saved."""
        expect(self.page.get_by_text(f"Saved #{number}:")).to_be_visible(timeout=PATIENCE)

    def close(self) -> None:
        """Close the tab, and the browser's window with it; what it keeps of scripts serves the next one."""
        if self._idle is None:
            self.context.close()
            return
        origin = "/".join(self.url.split("/")[:3])
        stored = {"origin": origin, "storageTypes": "cookies,local_storage,indexeddb,service_workers"}
        self.context.new_cdp_session(self.page).send("Storage.clearDataForOrigin", stored)
        self.context.clear_cookies()
        for page in self.context.pages:
            page.close()
        self._idle.append(self.context)


class Log:
    """The database as a stranger reads it: with SQLite alone."""

    def __init__(self, url: str) -> None:
        self.path = url.removeprefix("sqlite:///")

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what a query finds."""
        connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        try:
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()

    def held(self, token: str) -> int:
        """Return the pool row that a token stands for."""
        return int(self.rows("SELECT row FROM claims WHERE token = ?", token)[0][0])

    def events(self, kind: str = "%", person: int | None = None) -> list[tuple[int, int | None, str]]:
        """Return (row, grade, text) of the events of a kind, in their order."""
        query = (
            "SELECT row, grade, text FROM label_events WHERE kind LIKE ? AND (? IS NULL OR person_id = ?) ORDER BY id"
        )
        return self.rows(query, kind, person, person)

    def wait_for(self, kind: str, number: int) -> None:
        """Wait until there are so many events of a kind."""
        end = time.monotonic() + PATIENCE / 1000
        while len(self.events(kind)) < number:
            assert time.monotonic() < end, f"there are still fewer than {number} events of the kind {kind}"
            time.sleep(0.05)

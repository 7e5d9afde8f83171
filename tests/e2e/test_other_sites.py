"""Single-user mode and pages of other sites: another port of localhost is another site, and gets nothing."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.e2e.screen import Screen

PAGE = b"<!DOCTYPE html><title>other</title><p>another site</p>"

TRY = """async (app) => {
  const told = {};
  const tries = {
    post: () => fetch(app + "/act", { method: "POST", mode: "no-cors", body: "{}" }),
    read: () => fetch(app + "/_stcore/host-config", { credentials: "include" }),
    put: () => fetch(app + "/_stcore/upload_file/a/b", { method: "PUT", credentials: "include", body: "x" }),
  };
  for (const [name, go] of Object.entries(tries)) {
    told[name] = await go().then(() => "answered", () => "refused");
  }
  told.socket = await new Promise((done) => {
    const socket = new WebSocket(app.replace("http", "ws") + "/_stcore/stream", ["streamlit"]);
    socket.onopen = () => done("open");
    socket.onerror = () => done("refused");
  });
  const frame = Object.assign(document.createElement("iframe"), { src: app + "/label", width: 800, height: 600 });
  document.body.append(frame);
  await new Promise((done) => { frame.onload = done; setTimeout(done, 5000); });
  return told;
}"""


class Other(BaseHTTPRequestHandler):
    """A page of another site."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere():
    """The address of another site on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_a_page_of_another_port_gets_nothing(chromium, server, elsewhere, log):
    stranger = Screen(chromium, server.url)
    stranger.page.goto(elsewhere)
    told = stranger.page.evaluate(TRY, server.url)
    assert told == {"post": "refused", "read": "refused", "put": "refused", "socket": "refused"}
    framed = [frame for frame in stranger.page.frames if frame != stranger.page.main_frame]
    assert framed
    assert all(frame.locator('[data-testid="stApp"]').count() == 0 for frame in framed)
    assert log.events() == []
    stranger.close()


def test_a_link_from_another_site_is_followed(chromium, server, elsewhere):
    guest = Screen(chromium, server.url)
    guest.page.goto(elsewhere)
    guest.page.evaluate("to => { location.href = to }", server.url + "/")
    guest.ready()
    guest.close()

"""Hostile, strange and huge documents are shown as text, do nothing, and do not break the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from thorough import THOROUGH, thorough_only

from db.workspace import Workspace
from rulerank.campaign import GradeLevel, Settings
from rulerank.synthetic import planted_collection
from rulerank.text import DocumentText, QueryText, Texts

ATTACK = "window.__hacked = (window.__hacked || 0) + 1"
SCRIPT = f"<script>{ATTACK}</script>"
QUERY = f"rank {SCRIPT} **sort** ![x](http://127.0.0.1:9/x.png) :smile: $x^2$"
SENTENCES = 32_000
MARKED = (
    SENTENCES if THOROUGH else SENTENCES // 16
)  # each has two words of the query; a browser is slow to lay them out
TEXTS = {
    "script": SCRIPT + f"</pre></div><script>{ATTACK}</script>",
    "handlers": f"<img src=x onerror='{ATTACK}'><svg onload='{ATTACK}'><a href='javascript:{ATTACK}'>go</a>",
    "frames": f'<iframe srcdoc="{SCRIPT}"></iframe><style>body {{ display: none }}</style><!-- ',
    "markdown": f"# big\n\n[go](javascript:{ATTACK}) ![x](http://127.0.0.1:9/x.png) :red[x] $x^2$ `code` **bold**",
    "right to left": "\u202eabc \u202b " + "שלום עולם وثيقة باللغة العربية " * 20,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈 rank " * 50 + "e\u0301 \u200b\ufeff",
    "control": "".join(map(chr, [*range(1, 32), 127])) + "rank \x1b[31mred\x1b[0m \ud7ff",
    "huge": "rank & <b>sort</b> all the words " * MARKED + "as & <b>long</b> without any word " * (SENTENCES - MARKED),
    "one word": "x" * 100_000,
    "empty": "",
}


@pytest.fixture(scope="module")
def server(start, folder):
    """A server with one campaign, all of whose words are hostile."""
    collection = planted_collection(1, len(TEXTS), 6, seed=3)
    texts = Texts(
        {qid: QueryText(QUERY, QUERY) for qid in collection.queries},
        {
            docid: DocumentText(f"{name} {SCRIPT}", text)
            for docid, (name, text) in zip(collection.docids, TEXTS.items(), strict=True)
        },
    )
    settings = Settings(
        grades=(
            GradeLevel(f"No {SCRIPT}", f"means {SCRIPT}", SCRIPT),
            GradeLevel("Yes", "**yes**"),
            GradeLevel("Very"),
        ),
        guidelines=f"Read {SCRIPT} <img src=x onerror='{ATTACK}'>",
    )
    workspace = Workspace(f"sqlite:///{folder / 'labels.db'}")
    number = workspace.collections.add(f"hostile {SCRIPT}", collection, texts)
    workspace.campaigns.create(f"hostile {SCRIPT}", number, settings)
    workspace.close()
    return start()


@pytest.fixture(scope="module")
def names(server):
    """Which text each pool row has."""
    return list(TEXTS)


def shown_elements(screen) -> set[str]:
    names = screen.page.locator(".rr-document *").evaluate_all("found => found.map(each => each.tagName)")
    return {name.lower() for name in names}


def look_at_all_of_it(screen) -> None:
    """A megabyte is shown in part, and whole on demand."""
    text = screen.page.locator(".rr-document pre")
    assert len(text.text_content()) < 100_000
    screen.page.keyboard.press("t")  # from the best passage to the text
    screen.page.get_by_text("Show all").click()
    screen.page.wait_for_function("() => document.querySelector('.rr-document pre').textContent.length > 900000")
    assert text.text_content() == TEXTS["huge"]
    screen.ready()


def test_every_text_is_shown_as_text(screen, log, names):
    dialogs, asked = [], []
    screen.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    screen.page.on("request", lambda request: asked.append(request.url))
    screen.go("/label")
    seen = set()
    for _ in names:
        token = screen.document()
        name = names[log.held(token)]
        seen.add(name)
        document = screen.page.locator(".rr-document")
        expect(document).to_be_visible()
        expect(document.locator("h3")).to_have_text(f"{name} {SCRIPT}")
        expect(screen.page.locator(".rr-query h2")).to_have_text(QUERY)
        assert shown_elements(screen) <= {
            "h3",
            "pre",
            "mark",
            *(("button", "span", "p") if name in ("huge", "one word") else ()),
        }, name
        if name in ("script", "handlers", "frames", "markdown"):
            assert document.locator("pre").text_content() == TEXTS[name]
        if name == "huge":
            look_at_all_of_it(screen)
        assert screen.page.evaluate("window.__hacked") is None, name
        screen.page.keyboard.press("1")
        screen.page.wait_for_function("old => document.querySelector('.rr-panel').dataset.token !== old", arg=token)
        screen.ready()
        if screen.button("Keep labelling anyway").is_visible():
            screen.click("Keep labelling anyway")
    assert seen == set(names)
    assert dialogs == []
    assert not [url for url in asked if "127.0.0.1:9" in url or url.endswith("/x")]


@thorough_only
def test_the_other_pages_do_nothing_with_it_either(screen):
    for path in ("/", "/progress", "/ranking", "/agreement", "/export", "/new"):
        screen.go(path)
        screen.page.wait_for_timeout(200)
        screen.ready()
        assert screen.page.evaluate("window.__hacked") is None, path
        expect(screen.page.get_by_text("Something went wrong")).to_have_count(0)

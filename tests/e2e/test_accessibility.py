"""axe-core finds nothing wrong on any page: names, roles, contrast, headings, what keys can reach.

Everything that it finds is ours to mend, except what Streamlit itself makes and leaves no way to change: see STREAMLIT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from plotly.offline import get_plotlyjs
from thorough import THOROUGH, thorough_only

from pages.charts.theme import DARK, LIGHT
from pages.gate import page as gate
from tests.e2e.gallery import DRAW, page_of
from tests.e2e.pictures import (
    PAGES,
    bring_letor,
    bring_texts,
    label_demo,
    simulate_clicks,
    simulate_demo,
    wait_for_quiet,
)
from tests.e2e.screen import Screen
from tests.e2e.sheets import show_answer

LAPTOP = {"width": 1366, "height": 768}
TELEPHONE = {"width": 390, "height": 844}
VIEWS = [("light", LAPTOP)]
LOOKED_AT = ["home", "label", "progress"]
if THOROUGH:
    VIEWS += [("dark", LAPTOP), ("dark", TELEPHONE), ("light", TELEPHONE)]
    LOOKED_AT = list(PAGES)


@dataclass(frozen=True)
class Known:
    """A finding that Streamlit makes and that cannot be changed from outside."""

    rule: str
    selector: str
    reason: str


STREAMLIT = (
    Known(
        "presentation-role-conflict",
        '[data-testid="stFileUploaderDropzone"]',
        "The area for dropping files has no role, but a name; the button in it has both, and is what keys reach.",
    ),
)


@dataclass(frozen=True)
class Finding:
    """One element of one page that breaks one rule."""

    page: str
    view: str
    rule: str
    impact: str
    element: str
    known: Known | None


def open_steps(screen: Screen) -> None:
    """Unfold everything that is folded on the page."""
    screen.page.evaluate(
        "() => document.querySelectorAll('details:not([open]) > summary').forEach(each => each.click())"
    )


def letor_with_steps(screen: Screen) -> None:
    """Bring a LETOR file to New campaign, and open its steps."""
    bring_letor(screen)
    open_steps(screen)


def texts_with_steps(screen: Screen) -> None:
    """Bring texts to New campaign, and open its steps."""
    bring_texts(screen)
    open_steps(screen)


# What is done on a page before it is looked at; on the others, what is folded is opened.
FIRST: dict[str, Callable[[Screen], None]] = {
    "clicks": simulate_clicks,
    "new-letor": letor_with_steps,
    "new-texts": texts_with_steps,
}


def findings(page: Page, name: str, view: str) -> Iterator[Finding]:
    """Yield what axe finds on a page as it is shown now."""
    for found in Axe().run(page).response["violations"]:
        for node in found["nodes"]:
            known = next((each for each in STREAMLIT if is_known(page, found["id"], node["target"][-1], each)), None)
            yield Finding(name, view, found["id"], found["impact"], node["html"][:200], known)


def is_known(page: Page, rule: str, target: str, known: Known) -> bool:
    """Say whether an element that breaks a rule is one that the table names."""
    fits = "([target, selector]) => document.querySelector(target)?.matches(selector) ?? false"
    return rule == known.rule and bool(page.evaluate(fits, [target, known.selector]))


def of_the_app(screen: Screen) -> Iterator[Finding]:
    """Yield what is found on the app's pages: each is opened once, and then shown in every view."""
    for name in LOOKED_AT:
        for scheme, size in VIEWS:
            screen.page.emulate_media(color_scheme=scheme)
            screen.page.set_viewport_size(size)
            if (scheme, size) == VIEWS[0]:
                screen.go(PAGES[name])
                FIRST.get(name, open_steps)(screen)
            wait_for_quiet(screen)
            yield from findings(screen.page, name, f"{scheme} {size['width']}")


def of_pages_without_streamlit(page: Page) -> Iterator[Finding]:
    """Yield what is found on the ways to sign in and on the gallery."""
    asked = gate.SignInRequest("/label", "That is not the name and password of anybody here.", "Ada")
    answers = {
        "sign in": gate.sign_in_page(asked),
        "first account": gate.first_page(asked, here=False),
        "provider": gate.provider_page(asked),
    }
    for scheme, size in VIEWS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        for name, answer in answers.items():
            show_answer(page, answer)
            yield from findings(page, name, f"{scheme} {size['width']}")
        page.set_content(page_of(DARK if scheme == "dark" else LIGHT))
        page.add_script_tag(content=get_plotlyjs())
        page.evaluate(DRAW)
        yield from findings(page, "gallery", f"{scheme} {size['width']}")


@pytest.fixture(scope="module")
def found(chromium, server) -> list[Finding]:
    """Everything that is found, in one window."""
    if "simulate" in LOOKED_AT:
        simulate_demo(server.database)
    label_demo(server.database)
    screen = Screen(chromium, server.url, color_scheme="light", viewport=LAPTOP)
    try:
        return [*of_the_app(screen), *of_pages_without_streamlit(screen.context.new_page())]
    finally:
        screen.close()


def test_no_page_keeps_anybody_out(found):
    wrong = [each for each in found if each.known is None]
    assert not wrong, "\n".join(map(str, wrong))


@thorough_only
@pytest.mark.parametrize("known", STREAMLIT, ids=lambda known: known.rule)
def test_what_is_excused_still_occurs(found, known):
    assert known in {each.known for each in found}


def test_what_is_wrong_is_found(chromium):
    page = chromium.new_page()
    page.set_content("<html lang=en><title>t</title><main><h1>One</h1><input><img src=x.png></main></html>")
    assert {each.rule for each in findings(page, "", "")} == {"label", "image-alt"}
    page.close()

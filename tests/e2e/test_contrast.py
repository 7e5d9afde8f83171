"""Every text on a page can be read, light and dark: contrast as the browser really shows it."""

from __future__ import annotations

import pytest
from thorough import thorough_only

from tests.e2e.pictures import label_demo, wait_for_quiet
from tests.e2e.screen import Screen

WATCHING = ("/", "/label", "/mine", "/progress", "/replay", "/competence", "/ranking", "/agreement")
PAGES = (*WATCHING, "/simulate", "/clicks", "/export", "/settings", "/new", "/people")
LEAST = 4.5  # WCAG 2.2, AA

# The colour of each text over what lies under it, opacities of all its ancestors included. Icons are no text, and what
# is disabled need not be read.
FAINT = """least => {
    const parse = colour => { const found = colour.match(/[\\d.]+/g).map(Number); return found.concat(found[3] ?? 1); };
    const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3]));
    const bright = colour => {
        const [r, g, b] = colour.map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const ground = element => {
        const layers = [];
        for (let at = element; at; at = at.parentElement) {
            const colour = parse(getComputedStyle(at).backgroundColor);
            layers.push(colour);
            if (colour[3] === 1) break;
        }
        return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
        if (!text || !element.getClientRects().length) continue;
        if (element.closest("style, script, noscript, canvas, [data-testid=stIconMaterial]")) continue;
        const widget = element.closest("[data-testid=stElementContainer]");
        if (widget?.querySelector(":disabled, [aria-disabled=true]")) continue;
        const style = getComputedStyle(element);
        const ink = parse(element.closest("svg") ? style.fill : style.color);
        for (let at = element; at; at = at.parentElement) ink[3] *= Number(getComputedStyle(at).opacity);
        if (style.visibility === "hidden" || ink[3] === 0) continue;
        const under = ground(element);
        const [low, high] = [bright(over(ink, under)), bright(under)].sort((a, b) => a - b);
        const contrast = (high + .05) / (low + .05);
        if (contrast < least) found.push(`${contrast.toFixed(2)} ${text.slice(0, 40)}`);
    }
    return found;
}"""


GROUND = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"


@pytest.fixture(scope="module")
def labelled(server):
    label_demo(server.database)
    return server


@thorough_only
def test_every_text_has_contrast(chromium, labelled):
    screen = Screen(chromium, labelled.url, color_scheme="light")
    faint, grounds = {}, set()
    try:
        for path in PAGES:
            screen.go(path)
            for scheme in ("light", "dark"):  # the page follows at once, and draws its charts anew
                screen.page.emulate_media(color_scheme=scheme)
                wait_for_quiet(screen)
                faint[path, scheme] = screen.page.evaluate(FAINT, LEAST)
                assert screen.page.evaluate(FAINT, 22)  # it does look at texts: no contrast is above 21
                grounds.add((scheme, screen.page.evaluate(GROUND)))
            screen.page.emulate_media(color_scheme="light")
    finally:
        screen.close()
    assert not {where: texts for where, texts in faint.items() if texts}
    assert len(faint) == 2 * len(PAGES)
    # Each page was light and dark in its turn.
    assert sorted(scheme for scheme, _ in grounds) == ["dark", "light"]
    assert len({ground for _, ground in grounds}) == 2

"""Texts of people in Streamlit's messages come out in the browser as they were typed: no sign means anything there."""

from __future__ import annotations

import json
import random

import pytest

from tests.e2e.screen import Screen

TYPED = [
    "a -> b <- c <-> d -- e >= f <= g ~= h",
    "->",
    "-- x ->= y --> z <=> w ---",
    ":smile: :+1: :-1: :streamlit: :material/home: :material_home: :red[x] :small[y] x:smile:y ::x::",
    "https://example.org/a?b=c http://x.org www.example.org WWW.example.org a.b+c@example.org mailto:a@b.org",
    "12:30 a:b $x$ $$y$$ ~~s~~ ==m== ^a^ H~2~O `code` *a* _b_ **c**",
    "&amp; &#x41; <b>x</b> <!-- c --> [x](y) ![p](q) [^1] [ ] [x]",
    "\\* C:\\temp\\-> \\:smile:",
    *("1. list", "1) list", "- item", "+ item", "# head", "> quote", "| a | b |", "===", "---", "***", "Term : x"),
    "שלום -> 🎉 <- Ä :wave:",
]
PARTS = [
    *("->", "<-", "--", "-", "<", ">", "=", "~", "~=", ":", "::", ":a:", "@", "a@b.c", "www.", "www.a.b", "://"),
    *("http://a.b", "\\", "*", "**", "_", "`", "$", "[", "]", "(", ")", "!", "#", "&", ";", ".", "|", "a", "1", "é"),
]
SPOTS = ("text", "bold", "error", "label")
SCRIPT = """
import json
from pathlib import Path
import streamlit as st
from pages.shared.layout import plain
for number, text in enumerate(json.loads((Path(__file__).parent / "typed.json").read_text("utf-8"))):
    with st.container(key=f"text-{number}"):
        st.markdown(plain(text))
    with st.container(key=f"bold-{number}"):
        st.markdown(f"**{plain(text)}**")
    with st.container(key=f"error-{number}"):
        st.error(plain(text))
    with st.container(key=f"label-{number}"):
        st.button(plain(text), key=f"button-{number}")
"""
READ = """number => Object.fromEntries(["text", "bold", "error", "label"].map(spot => {
    const found = document.querySelector(`.st-key-${spot}-${number} [data-testid=stMarkdownContainer]`);
    const meant = [...found.querySelectorAll("a, img, li, h1, h2, code, em, del, table, blockquote, hr, .katex")];
    return [spot, [found.textContent.trim(), meant.map(element => element.tagName)]];
}))"""


def mixed(number: int) -> list[str]:
    """Texts put together at random from what might mean something; the same ones each time."""
    chance = random.Random(5)
    return ["".join(chance.choice(PARTS) + chance.choice(["", "", " "]) for _ in range(12)) for _ in range(number)]


@pytest.fixture(scope="module")
def server(start, folder):
    texts = TYPED + mixed(60)
    (folder / "typed.json").write_text(json.dumps(texts), "utf-8")
    (folder / "typed.py").write_text(SCRIPT, "utf-8")
    return start(app=str(folder / "typed.py"))


def test_as_typed(screen: Screen):
    texts = [" ".join(text.split()) for text in TYPED + mixed(60)]
    screen.go()
    screen.page.wait_for_selector(f".st-key-label-{len(texts) - 1} button")
    wrong = []
    for number, text in enumerate(texts):
        shown = screen.page.evaluate(READ, number)
        wrong += [(spot, text, *shown[spot]) for spot in SPOTS if shown[spot] != [text, []]]
    assert wrong == []

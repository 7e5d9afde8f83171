"""Contact sheets: each page on a laptop, a large screen and a tablet, light and dark, on one picture.

python -m tests.e2e.sheets [FOLDER] [PAGE ...]

Without a folder they go to docs/pictures/screens, where docs/screens.md shows them; without pages, all are made.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page
from starlette.responses import Response

from pages.gate.page import SignInRequest, sign_in_page, style
from tests.e2e.pictures import FIRST, PAGES, STILL, label_demo, simulate_demo, wait_for_quiet
from tests.e2e.screen import Screen, open_browser
from tests.e2e.server import Server

FOLDER = Path("docs/pictures/screens")
SIZES = ((1366, 768), (1920, 1080), (820, 1180))
SCHEMES = ("light", "dark")
HEIGHT = 400
"""Pixels of each view on a sheet."""
GAP = 8
GROUND = "#8A9199"
"""Between the views: neither light nor dark."""
SIGN_IN = "sign-in"


def show_answer(page: Page, answer: Response) -> None:
    """Show a page of the gate, which is not one of Streamlit's, without a server."""
    page.set_content(bytes(answer.body).decode())
    page.add_style_tag(content=style())


def views(page: Page, settle: Callable[[], None]) -> Iterator[Image.Image]:
    """Yield pictures of a page as it is shown now: all sizes light, then all dark."""
    for scheme, (width, height) in product(SCHEMES, SIZES):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": height})
        settle()
        with Image.open(io.BytesIO(page.screenshot())) as taken:
            yield taken.convert("RGB")


def sheet(pictures: list[Image.Image]) -> Image.Image:
    """Return the pictures scaled down, in a row for each scheme."""
    widths = [width * HEIGHT // height for width, height in SIZES]
    size = (sum(widths) + GAP * (len(widths) + 1), (HEIGHT + GAP) * len(SCHEMES) + GAP)
    made = Image.new("RGB", size, GROUND)
    for place, picture in enumerate(pictures):
        row, column = divmod(place, len(SIZES))
        scaled = picture.resize((widths[column], HEIGHT), Image.Resampling.LANCZOS)
        made.paste(scaled, (GAP + sum(widths[:column]) + GAP * column, GAP + (HEIGHT + GAP) * row))
    return made


def pages(names: list[str], screen: Screen) -> Iterator[tuple[str, list[Image.Image]]]:
    """Yield the views of each page that is asked for."""
    for name in names:
        if name == SIGN_IN:
            tab = screen.context.new_page()
            show_answer(tab, sign_in_page(SignInRequest("/")))
            yield name, list(views(tab, lambda: None))
            tab.close()
            continue
        screen.page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
        screen.go(PAGES[name])
        FIRST.get(name, wait_for_quiet)(screen)
        screen.page.mouse.move(0, 0)
        screen.page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        yield name, list(views(screen.page, lambda: wait_for_quiet(screen)))


def make_sheets(folder: Path, names: list[str]) -> Iterator[Path]:
    """Write one sheet a page."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="rulerank-sheets-") as temporary:
        server = Server(Path(temporary))
        simulate_demo(server.database)
        label_demo(server.database)
        with server, open_browser() as browser:
            screen = Screen(browser, server.url, color_scheme="light", **STILL)
            for name, taken in pages(names, screen):
                path = folder / f"{name}.webp"
                sheet(taken).save(path, quality=80, method=6)
                yield path


def main(arguments: list[str]) -> int:
    """Make the sheets that are asked for."""
    known = [*PAGES, SIGN_IN]
    names = arguments[1:] or known
    if not set(names) <= set(known):
        print(f"{__doc__}\nPages: {' '.join(known)}")
        return 2
    for path in make_sheets(Path(arguments[0]) if arguments else FOLDER, names):
        print(path, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

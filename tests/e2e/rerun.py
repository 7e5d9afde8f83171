"""How much a label costs on the screen: key press to next document, against an empty rerun of Streamlit.

    python -m tests.e2e.rerun [LABELS]

Both are measured in the same browser on this machine, in turns: the time from the key to the frame in which the next
document (or, for the empty app, the next button) is on the page. Prints medians and their ratio.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.e2e.screen import Screen, open_browser
from tests.e2e.server import Server

EMPTY = """\
import streamlit as st

st.session_state.setdefault("n", 0)


def count() -> None:
    st.session_state["n"] += 1


st.button("Next", key=f"count-{st.session_state['n']}", shortcut="1", on_click=count)
"""

# The clock starts at the key and stops at the first frame that shows another token. Looking at every frame from the
# start would round both times up to whole frames of 17 ms, so the page says itself when it has changed.
MEASURE = """key => new Promise(done => {
    const counted = () => document.querySelector('[class*="st-key-count-"]')?.className;
    const token = () => document.querySelector('.rr-panel')?.dataset.token ?? counted();
    const before = token(), start = performance.now();
    const watch = new MutationObserver(() => {
        const now = token();
        if (!now || now === before) return;
        watch.disconnect();
        requestAnimationFrame(() => {
            const drawn = new MessageChannel();
            drawn.port1.onmessage = () => done(performance.now() - start);
            drawn.port2.postMessage(0);
        });
    });
    watch.observe(document.body, {subtree: true, childList: true, attributes: true});
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key, code: 'Digit' + key, bubbles: true}));
})"""


def measure(labels: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of labels and of empty reruns."""
    with tempfile.TemporaryDirectory(prefix="rulerank-rerun-") as temporary:
        folder = Path(temporary)
        script = folder / "empty.py"
        script.write_text(EMPTY)
        with Server(folder) as app, Server(folder, app=str(script)) as empty, open_browser() as browser:
            ours, theirs = Screen(browser, app.url), Screen(browser, empty.url)
            ours.go()
            ours.click("Try the demo")
            ours.document()
            theirs.go()
            found: tuple[list[float], list[float]] = ([], [])
            for _ in range(labels + 3):
                for screen, times in zip((ours, theirs), found, strict=True):
                    time.sleep(0.4)
                    times.append(float(screen.page.evaluate(MEASURE, "1")))
            return found[0][3:], found[1][3:]


def main(arguments: list[str]) -> int:
    """Measure and print."""
    ours, theirs = measure(int(arguments[0]) if arguments else 30)
    label, rerun = statistics.median(ours), statistics.median(theirs)
    print(
        f"label to next document: median {label:.0f} ms; empty rerun: median {rerun:.0f} ms; ratio {label / rerun:.2f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

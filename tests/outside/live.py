"""A live campaign with the package's strategies, made in one process and opened in another; prints what it sees.

- `python -m tests.outside.live make DATABASE`
- `python -m tests.outside.live open DATABASE CAMPAIGN...`
- `python -m tests.outside.live without DATABASE CAMPAIGN OTHER`, where the package is missing
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

from db.workspace import Workspace
from rulerank.campaign import Kind, Settings
from rulerank.strategy import Strategy
from rulerank.synthetic import planted_collection

SCREENS = ("home", "label", "progress", "ranking", "export")
PAGES = Path(__file__).parents[2] / "pages"
GRADES = (0, 2, 1, 0, 1)
ROWS = 8 * 12


def window() -> Settings:
    """Return settings with the package's strategies, where there is the package."""
    return Settings(
        sampler=Strategy("window_walk", {"stride": 4, "sign": "a: b, 8"}),
        ranker=Strategy("window_vote", {"power": 3.0}),
        discretizer=Strategy("window_panes", {"panes": 4}),
        grades_known=True,
        dwell_milliseconds=0,
    )


def make(workspace: Workspace) -> tuple[int, int]:
    """Make a campaign with the package's strategies and one without, and label some of both; returns their numbers."""
    person = workspace.people.ensure_single_user().id
    collection = planted_collection(8, 12, 4, seed=2)
    made = []
    for name, settings in (("Window", window()), ("Plain", Settings(dwell_milliseconds=0))):
        number = workspace.import_campaign(
            name, collection, settings, pool_rows=range(ROWS // 2), evaluation_rows=range(ROWS // 2, ROWS)
        )
        live = workspace.open(number).live
        for grade in GRADES:
            claim = live.next(person).claim
            live.submit(person, claim.token, claim.row, Kind.GRADE, grade=grade)
        made.append(number)
    return made[0], made[1]


def next_row(workspace: Workspace, campaign: int) -> dict[str, object]:
    """Return the next document of a campaign and the reason for it, and give it back: another process chooses anew."""
    opened = workspace.open(campaign)
    person = workspace.people.ensure_single_user().id
    offer = opened.live.next(person)
    opened.live.release(person)
    return {"row": offer.claim.row, "labels": len(opened.live.fold.current()), "reason": offer.selection.reason}


def without(workspace: Workspace, campaign: int, other: int) -> dict[str, object]:
    """Return what screens say of a campaign whose package is missing, and that another one opens."""
    from streamlit.components.v2 import manifest_scanner  # the other acts do without Streamlit, and are quicker
    from streamlit.testing.v1 import AppTest

    from pages import context

    # Else every run of a page looks through all installed packages.
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
    context.wire(workspace, "open")
    screens = {}
    for screen in SCREENS:
        page = AppTest.from_file(str(PAGES / "main.py"), default_timeout=600)
        page.query_params["campaign"] = str(campaign)
        page.run()
        page.switch_page(f"{screen}/page.py").run()
        screens[screen] = {
            "exceptions": [each.message for each in page.exception],
            "errors": [each.value.replace("\\", "") for each in page.error],
            "words": " ".join(each.value for each in [*page.markdown, *page.header, *page.caption]),
        }
    return {"screens": screens, "opened": {str(other): next_row(workspace, other)}}


def main(act: str, database: str, *campaigns: str) -> None:
    """Do what is asked, and print it as JSON."""
    workspace = Workspace(f"sqlite:///{database}")
    numbers = make(workspace) if act == "make" else [int(campaign) for campaign in campaigns]
    if act == "without":
        print(json.dumps(without(workspace, *numbers)))
    else:
        print(json.dumps({str(number): next_row(workspace, number) for number in numbers}))
    workspace.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The demo's questions and our judgements, as the repository keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any


def read_questions() -> list[dict[str, Any]]:
    """Return the questions as the repository keeps them: qid, text, need, and docids by grade."""
    return json.loads(files("rulerank.demo").joinpath("questions.json").read_text(encoding="utf-8"))


def grades_of(question: Mapping[str, Any]) -> dict[str, int]:
    """Return the grade of each document that was judged for a question, by docid.

    >>> grades_of({"qid": "pause", "grades": {"2": ["time.sleep"], "0": ["time.time"]}})
    {'time.sleep': 2, 'time.time': 0}
    """
    return {docid: int(grade) for grade, docids in question["grades"].items() for docid in docids}

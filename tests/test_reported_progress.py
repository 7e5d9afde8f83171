"""One type of progress: named stages, counted steps, and nobody who listens."""

from __future__ import annotations

import pytest

from rulerank.progress import Steps, named, silent


def test_steps_are_counted_under_a_name():
    seen = []
    step = Steps(lambda *at: seen.append(at), 2, "folds")
    step()
    step()
    assert seen == [(1, 2, "folds"), (2, 2, "folds")]


def test_a_stage_keeps_its_name():
    seen = []
    report = named(lambda *at: seen.append(at), "reading")
    report(1)
    report(2, 3, "something else")
    assert seen == [(1, None, "reading"), (2, 3, "reading")]
    assert silent(1, 2, "reading") is None


def test_what_it_raises_ends_the_work():
    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        named(stop, "reading")(1)

"""Registries: names for files, labels for screens, and a hint for who mistypes."""

from __future__ import annotations

import threading

import pytest

from rulerank.errors import InputError, RulerankError, UnknownNameError
from rulerank.registry import Entry, Registry, discretizers, metrics, rankers, samplers

ALL = {"discretiser": discretizers, "ranker": rankers, "sampler": samplers, "metric": metrics}
every = pytest.mark.parametrize("kind", ALL)


@pytest.fixture
def empty() -> Registry:
    registry = Registry("thing", "rulerank.ranking")
    registry._loaded = True  # nothing to load: the package's own files register elsewhere
    return registry


@every
def test_every_entry_has_a_name_a_label_and_a_summary(kind):
    registry = ALL[kind]
    assert registry.kind == kind
    assert len(registry) == len(registry.names()) == len(list(registry)) > 0
    for entry in registry:
        assert entry.name.isidentifier()
        assert entry.name == entry.name.lower()
        assert entry.label.strip()
        assert len(entry.summary) > 10
        assert "\n" not in entry.summary
        assert entry.name in registry
        assert registry[entry.name] is entry.value
        assert (entry.value.name, entry.value.label) == (entry.name, entry.label)
    labels = [entry.label for entry in registry]
    assert len(set(labels)) == len(labels)


@every
def test_an_unknown_name_gives_a_hint(kind):
    registry = ALL[kind]
    known = registry.names()[0]
    with pytest.raises(UnknownNameError, match=rf"did you mean '{known}'\?") as caught:
        registry[known + "x"]
    assert kind in str(caught.value)
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value, RulerankError)
    with pytest.raises(UnknownNameError) as caught:
        registry["qqqqqqqq"]
    assert "did you mean" not in str(caught.value)
    for name in registry.names():
        assert name in str(caught.value)
    assert "qqqqqqqq" not in registry


def test_what_the_papers_describe_is_there():
    assert {"lrar", "eager_rules", "query_term_rules", "stable_rules", "query_level_rules"} <= set(rankers.names())
    assert {"ssar", "ssarp", "random", "top_feature"} <= set(samplers.names())


def test_registering_keeps_the_value_and_the_order(empty):
    class First:
        """Say this.

        And not that.
        """

    def second():
        """Say that too."""

    assert empty.register("first", "The first")(First) is First
    empty.register("second", "The second")(second)
    assert list(empty) == [Entry("first", "The first", First), Entry("second", "The second", second)]
    assert empty.names() == ["first", "second"]
    assert [entry.summary for entry in empty] == ["Say this.", "Say that too."]
    assert (First.name, First.label) == ("first", "The first")
    assert empty["second"] is second


def test_a_name_is_given_once(empty):
    @empty.register("same", "One")
    class One:
        """The one."""

    with pytest.raises(InputError, match="two things are named 'same'"):

        @empty.register("same", "Two")
        class Two:
            """The other."""

    assert empty["same"] is One
    assert len(empty) == 1


def test_threads_that_ask_at_once_all_see_everything():
    registry = Registry("ranker", "rulerank.ranking")
    start, seen = threading.Barrier(4), []

    def ask():
        start.wait()
        seen.append(registry.names())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [registry.names()] * 4

"""Registries: names for files, labels for screens, and a hint for who mistypes."""

from __future__ import annotations

import sys
import threading

import pytest

from rulerank.errors import InputError, OutsidePackageError, RulerankError, UnknownNameError
from rulerank.registry import Entry, Joined, Registry, discretizers, metrics, rankers, samplers

ALL = {"discretizer": discretizers, "ranker": rankers, "sampler": samplers, "metric": metrics}
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


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """Return a function that installs a package with one entry point of the group `rulerank.tests`."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(package: str, name: str, source: str) -> None:
        (tmp_path / f"{package}.py").write_text(source, encoding="utf-8")
        info = tmp_path / f"{package}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[rulerank.tests]\n{name} = {package}\n", encoding="utf-8")

    yield install
    for module in tmp_path.glob("*.py"):
        sys.modules.pop(module.stem, None)


def with_outside(monkeypatch) -> Registry:
    """A registry with one thing of ours, `ours`, that outside modules find as `rulerank.registry.things`."""
    registry = Registry("thing", "rulerank.agreement", "rulerank.tests")
    monkeypatch.setattr("rulerank.registry.things", registry, raising=False)
    registry.register("ours", "Ours")(type("Ours", (), {"__module__": "rulerank.agreement.ours", "__doc__": "Ours."}))
    return registry


GOOD = '''
from rulerank.registry import things

@things.register("{name}", "From outside")
class Thing:
    """Comes from outside."""
'''


def test_outside_packages_add_theirs_behind_ours(outside, monkeypatch):
    registry = with_outside(monkeypatch)
    outside("far_things", "far", GOOD.format(name="far"))
    outside("a_thing", "another", GOOD.format(name="another"))
    assert registry.names() == ["ours", "another", "far"]
    assert registry["far"].label == "From outside"
    assert registry.broken == {}


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def broken(:", "SyntaxError"),
        (GOOD.format(name="bad") + "1 / 0", "ZeroDivisionError"),
        (GOOD.format(name="ours"), "two things are named 'ours'"),
        (GOOD.format(name="other"), "registers no thing of this name"),
    ],
)
def test_a_broken_package_is_named_and_the_rest_works(outside, monkeypatch, caplog, source, why):
    registry = with_outside(monkeypatch)
    outside("bad_things", "bad", source)
    outside("far_things", "far", GOOD.format(name="far"))
    assert registry.names() == ["ours", "far"]
    with pytest.raises(OutsidePackageError) as found:
        registry["bad"]
    assert "the thing 'bad' of the package bad_things 1.2 (bad_things) cannot be loaded" in str(found.value)
    assert why in str(found.value)
    assert [record.message for record in caplog.records] == [str(found.value)] == list(registry.broken.values())
    with pytest.raises(UnknownNameError, match="no thing is named 'worse'"):
        registry["worse"]


def test_registries_joined_are_seen_as_one(empty):
    @empty.register("only_here", "Only here")
    class Thing:
        """A thing."""

    joined = Joined("ranker", rankers, empty)
    assert joined.names() == [*rankers.names(), "only_here"]
    assert joined["only_here"] is Thing
    assert "lrar" in joined
    with pytest.raises(UnknownNameError, match="no ranker is named 'onli_here'; did you mean 'only_here'"):
        joined["onli_here"]

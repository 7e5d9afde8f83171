"""Strategies and their parameters: every registered class describes its own, and values are checked by them."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from rulerank.errors import InputError
from rulerank.registry import Registry, discretizers, rankers, samplers
from rulerank.simulate import learners
from rulerank.strategy import Param, Strategy

KINDS: dict[str, Registry[Any]] = {
    "sampler": samplers, "ranker": rankers, "discretizer": discretizers, "learner": learners,
}  # fmt: skip
EVERY = [(kind, entry.name) for kind, registry in KINDS.items() for entry in registry]
every = pytest.mark.parametrize(("kind", "name"), EVERY)


@every
def test_the_description_is_that_of_the_constructor(kind, name):
    found = KINDS[kind][name]
    given = {
        each.name: each.default
        for each in inspect.signature(found).parameters.values()
        if each.name not in found.data_params
    }
    assert {param.name: param.default for param in found.params} == given
    assert list(found().get_params()) == list(inspect.signature(found).parameters)


@every
def test_every_parameter_says_what_it_is_for_and_takes_its_default(kind, name):
    for param in KINDS[kind][name].params:
        assert param.help.endswith(".")
        assert len(param.help) > 10
        assert param.type in (int, float, str, bool)
        assert param.check(param.default) == param.default
        assert Strategy(name, {param.name: param.default}).check(KINDS[kind])
        for bad in (None, [1], {}, "no such word", float("nan"), object()):
            with pytest.raises(InputError, match=f"{param.name} must be"):
                param.check(bad)


@pytest.mark.parametrize(
    ("param", "good", "bad", "words"),
    [
        (Param("n", int, 3, "."), [0, -5], [1.5, True, "3"], "a whole number"),
        (Param("n", int, 3, ".", low=1), [1, 10**9], [0, 1.0], "a whole number of at least 1"),
        (Param("n", int, 3, ".", low=1, high=3), [1, 3], [0, 4], "a whole number from 1 to 3"),
        (Param("n", float, 1, ".", above=0), [0.1, 5], [0, -1, float("inf")], "a number above 0"),
        (Param("n", float, 1, ".", above=0, high=1), [1], [0, 1.5], "a number above 0 and at most 1"),
        (
            Param("n", int, 3, ".", low=1, choices=("cv",)),
            [1, "cv"],
            [0, "vc"],
            "a whole number of at least 1, or 'cv'",
        ),
        (Param("n", str, "a", ".", choices=("a", "b")), ["a", "b"], ["c", 1], "'a' or 'b'"),
        (Param("n", str, "a", "."), ["a", ""], [1], "a text"),
        (Param("n", bool, True, "."), [True, False], [0, 1, "true"], "true or false"),
    ],
)
def test_values_are_checked(param, good, bad, words):
    for value in good:
        assert param.check(value) == value
    for value in bad:
        with pytest.raises(InputError) as found:
            param.check(value)
        assert str(found.value) == f"n must be {words}, not {value!r}"


def test_a_strategy_is_refused_with_its_name_and_a_hint():
    with pytest.raises(InputError, match="ssarp has no parameter 'partition'; did you mean 'partitions'"):
        Strategy("ssarp", {"partition": 3}).check(samplers)
    with pytest.raises(InputError, match="ssar has no parameter 'x'; it has: max_antecedent"):
        Strategy("ssar", {"x": 3}).check(samplers)
    with pytest.raises(InputError, match="mdlp has no parameter 'x'; it has: none"):
        Strategy("mdlp", {"x": 3}).make(discretizers)
    with pytest.raises(InputError, match=r"ssarp:partitions=0: partitions must be a whole number from 1 to 256, not 0"):
        Strategy("ssarp", {"partitions": 0}).make(samplers)


def test_a_strategy_makes_what_it_says():
    made = Strategy("committee", {"members": 3}).make(samplers, {"seed": 9, "members": 4, "terms": {}})
    assert made.get_params() == {"members": 3, "seed": 9, "max_antecedent": 2}
    assert Strategy("committee").is_seeded(samplers)
    assert not Strategy("committee", {"seed": 1}).is_seeded(samplers)
    assert not Strategy("ssar").is_seeded(samplers)


@pytest.mark.parametrize("text", ["plain", "8", "true", "null", '"quoted"', " spaces ", "a:b", "a,b=c", "", "NaN"])
def test_a_text_keeps_its_value_in_a_key(text):
    strategy = Strategy("outside", {"word": text, "number": 8})
    assert Strategy.parse(strategy.key) == strategy
    assert "," not in strategy.key

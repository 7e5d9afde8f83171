"""A form for the parameters of a strategy, made from what the strategy says of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import streamlit as st

from pages.shared.layout import sentence
from rulerank.errors import InputError
from rulerank.registry import Registry
from rulerank.strategy import Param, Strategy

FEW = 3
"""Up to so many parameters are shown at once; more wait in a closed expander."""

LARGEST = 2**31 - 1
A_NUMBER = "a number"
FIELD = 250
"""Width of a field where fields stand side by side."""


def ask_strategy(
    registry: Registry[Any],
    name: str,
    *,
    features: tuple[str, ...] = (),
    without: Collection[str] = (),
    place: str = "import",
) -> Strategy:
    """Ask for the parameters of a strategy but those of `without`, and return it with what differs from the defaults.

    features: names of the collection's features, for a parameter that is one of them. place: begins the fields' keys. A
    value that the parameter cannot have is named at its field, and returned all the same: whoever uses the strategy
    refuses it.
    """
    params = _asked(registry, name, without)
    if not params:
        return Strategy(name)
    with st.expander("Parameters", expanded=len(params) <= FEW):
        given = {param.name: _ask(param, _key(place, registry, name, param), features) for param in params}
    return _changed(name, params, given)


def ask_one_of_several(
    registry: Registry[Any],
    name: str,
    *,
    place: str = "simulate",
    features: tuple[str, ...] = (),
    without: Collection[str] = (),
    folded: Callable[[str], Any] = st.expander,
) -> Strategy:
    """Do as `ask_strategy` where several strategies are chosen: a quiet line, closed, with fields side by side.

    place: the page, for the fields' keys. folded: what opens by a click, and holds the fields.
    """
    params = _asked(registry, name, without)
    if not params:
        return Strategy(name)
    label = str(registry[name].label).partition(" (")[0]
    given = {}
    with folded(f"Parameters of {label}"):
        row = st.container(horizontal=True, vertical_alignment="top")
        for param in params:
            with row.container(width=FIELD):
                given[param.name] = _ask(param, _key(place, registry, name, param), features)
    return _changed(name, params, given)


def field_values(registry: Registry[Any], strategy: Strategy, *, place: str) -> dict[str, Any]:
    """Return what the fields of `ask_one_of_several` hold for a strategy, by their keys in the session's state."""
    found: dict[str, Any] = {}
    values = strategy.values(registry)
    for param in registry[strategy.name].params:
        key, value = _key(place, registry, strategy.name, param), values[param.name]
        if param.choices and param.type is not str:
            found[f"{key}-word"] = value if isinstance(value, str) else A_NUMBER
        if param.type is str or not isinstance(value, str):
            found[key] = param.type(value)
    return found


def _key(place: str, registry: Registry[Any], name: str, param: Param) -> str:
    return f"{place}-{registry.kind.replace(' ', '_')}-{name}-{param.name}"


def _asked(registry: Registry[Any], name: str, without: Collection[str]) -> list[Param]:
    return [param for param in registry[name].params if param.name not in without]


def _changed(name: str, params: list[Param], given: dict[str, Any]) -> Strategy:
    return Strategy(name, {param.name: given[param.name] for param in params if given[param.name] != param.default})


def _ask(param: Param, key: str, features: tuple[str, ...]) -> Any:
    value = _ask_value(param, key, features)
    try:
        param.check(value)
    except InputError as error:
        st.error(sentence(str(error)), icon=":material/error:")
    return value


def _ask_value(param: Param, key: str, features: tuple[str, ...]) -> Any:
    label = param.name.replace("_", " ").capitalize()
    if param.counts_from_zero and features:
        _begin(key, min(int(param.default), len(features) - 1))
        names = range(len(features))
        return int(st.selectbox(label, names, format_func=features.__getitem__, key=key, help=param.help))
    if param.type is bool:
        _begin(key, param.default)
        return st.checkbox(label, key=key, help=param.help)
    if param.type is str:
        _begin(key, param.default)
        if not param.choices:
            return st.text_input(label, key=key, help=param.help) or ""
        return st.selectbox(label, param.choices, key=key, help=param.help)
    if param.choices:
        _begin(f"{key}-word", param.default if param.default in param.choices else A_NUMBER)
        word = st.selectbox(label, [*param.choices, A_NUMBER], key=f"{key}-word", help=param.help)
        if word != A_NUMBER:
            return word
        label = f"{label}: the number"
    return _ask_number(param, label, key)


def _ask_number(param: Param, label: str, key: str) -> int | float:
    """Ask for a number in the parameter's range; in place of a word that is its default, begin at 1 or near it."""
    number: type[int] | type[float] = int if param.type is int else float
    ends = [end for end in (param.low, param.above) if end is not None]
    low = number(max(ends)) if ends else None
    high = number(LARGEST if param.high is None else min(param.high, LARGEST))
    begin = number(1 if isinstance(param.default, str) else param.default)
    if isinstance(param.default, str):
        begin = min(high, begin if low is None else max(low, begin))
    step, form = (1, None) if number is int else (None, "%g")
    _begin(key, begin)
    value = st.number_input(label, low, high, step=step, format=form, key=key, help=param.help)
    return begin if value is None else number(value)


def _begin(key: str, value: Any) -> None:
    """Give a field its first value in the session's state: there an address may have put another one before."""
    st.session_state.setdefault(key, value)

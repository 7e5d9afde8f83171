"""A form for the parameters of a strategy, made from what the strategy says of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import streamlit as st

from rulerank.registry import Registry
from rulerank.strategy import Param, Strategy

FEW = 3
"""Up to so many parameters are shown at once; more wait in a closed expander."""

LARGEST = 2**31 - 1
A_NUMBER = "a number"


def ask_strategy(
    registry: Registry[Any], name: str, *, features: tuple[str, ...] = (), without: Collection[str] = ()
) -> Strategy:
    """Ask for the parameters of a strategy but those of `without`, and return it with what differs from the defaults.

    features: names of the collection's features, for a parameter that is one of them.
    """
    params = [param for param in registry[name].params if param.name not in without]
    if not params:
        return Strategy(name)
    with st.expander("Parameters", expanded=len(params) <= FEW):
        given = {param.name: _ask(param, f"import-{registry.kind}-{param.name}", features) for param in params}
    return Strategy(name, {param.name: given[param.name] for param in params if given[param.name] != param.default})


def _ask(param: Param, key: str, features: tuple[str, ...]) -> Any:
    label = param.name.replace("_", " ").capitalize()
    if param.counts_from_zero and features:
        names = range(len(features))
        return int(st.selectbox(label, names, format_func=features.__getitem__, key=key, help=param.help))
    if param.type is bool:
        return st.checkbox(label, param.default, key=key, help=param.help)
    if param.type is str:
        if not param.choices:
            return st.text_input(label, param.default, key=key, help=param.help) or ""
        first = param.choices.index(param.default)
        return st.selectbox(label, param.choices, first, key=key, help=param.help)
    if param.choices:
        words = [*param.choices, A_NUMBER]
        first = words.index(param.default) if param.default in words else len(param.choices)
        word = st.selectbox(label, words, first, key=f"{key}-word", help=param.help)
        if word != A_NUMBER:
            return word
        label = f"{label}: the number"
    return _ask_number(param, label, key)


def _ask_number(param: Param, label: str, key: str) -> int | float:
    """Ask for a number in the parameter's range; in place of a word that is its default, begin at the range's end."""
    number: type[int] | type[float] = int if param.type is int else float
    low = None if param.low is None and param.above is None else number(param.low or param.above or 0)
    high = number(LARGEST if param.high is None else min(param.high, LARGEST))
    begin = number(1 if isinstance(param.default, str) else param.default)
    step, form = (1, None) if number is int else (None, "%g")
    value = st.number_input(label, low, high, begin, step, format=form, key=key, help=param.help)
    return begin if value is None else number(value)

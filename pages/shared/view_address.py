"""The view in the address: what is chosen on a page is written there, and an address opens the view that it names.

Streamlit can bind a widget to the address by itself, but then with the words on the screen, which are long and change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st


def read_address(name: str, keys: Sequence[str], meaning: Callable[[list[str]], Mapping[str, Any]]) -> None:
    """Before the widgets with these keys: give them the values that the address names, where it names others.

    meaning: from what the address says (nothing at all, perhaps, or nonsense) to the value of each widget. It counts on
    the first visit, on the way back and forward, for another campaign, and for who comes back to a page; else the
    widgets themselves do.
    """
    asked = st.query_params.get_all(name)
    state = st.session_state
    if (_campaign(), asked) != state.get(_kept(name, keys)) or any(key not in state for key in keys):
        for key, value in meaning(asked).items():
            state[key] = value


def write_address(name: str, keys: Sequence[str], chosen: Sequence[str], usual: Sequence[str]) -> None:
    """After the widgets: let the address say what is chosen; what is usual needs no words."""
    write_addresses([(name, keys, chosen, usual)])


def write_addresses(parts: Iterable[tuple[str, Sequence[str], Sequence[str], Sequence[str]]]) -> None:
    """Write several parts of an address as `write_address` does, at once: one step for the way back."""
    before = {name: st.query_params.get_all(name) for name in st.query_params}
    after = dict(before)
    for name, keys, chosen, usual in parts:
        words = [] if list(chosen) == list(usual) else list(chosen)
        st.session_state[_kept(name, keys)] = (_campaign(), words)
        after[name] = words
    after = {name: words for name, words in after.items() if words}
    if after != before:
        st.query_params.from_dict(after)


def document_names(docids: Sequence[str], rows: Iterable[int]) -> list[str]:
    """Return by which words an address names documents: by their docids, or by their rows where those do not tell.

    >>> document_names(["a", "b", "b", ""], [3, 4, 5, 6])
    ['a', 'row 4', 'row 5', 'row 6']
    """
    times = Counter(docids)
    return [docid if docid and times[docid] == 1 else f"row {row}" for docid, row in zip(docids, rows, strict=True)]


def _campaign() -> str:
    return st.query_params.get("campaign", "")


def _kept(name: str, keys: Sequence[str]) -> str:
    return f"address-{name}-{'-'.join(keys)}"

"""Documents from the Python that runs: names, signatures and docstrings of well-known standard library modules."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any

from rulerank.errors import InputError
from rulerank.text import DocumentText

MODULES = (
    "argparse", "base64", "bisect", "calendar", "collections", "concurrent.futures", "configparser",
    "copy", "csv", "datetime", "difflib", "fnmatch", "functools", "getpass", "glob", "gzip", "hashlib", "heapq", "html",
    "itertools", "json", "logging", "math", "os", "os.path", "pathlib", "pickle", "pprint", "queue",
    "random", "re", "secrets", "shelve", "shutil", "sqlite3", "statistics", "subprocess", "tarfile",
    "tempfile", "textwrap", "threading", "time", "timeit", "unicodedata", "urllib.parse", "urllib.request", "uuid",
    "xml.etree.ElementTree", "zipfile", "zoneinfo",
)  # fmt: skip

FEWEST_WORDS = 3  # a shorter docstring says too little to be judged

HOOKS = frozenset(["threading.excepthook"])  # meant to be replaced, so what stands here depends on the program


def gather_documents() -> dict[str, DocumentText]:
    """Return the public modules, functions, classes and methods by dotted name, sorted.

    The title is the dotted name, the body the signature and the docstring. What this Python lacks (a module that was
    not built, a name that came later or has gone) is left out.
    """
    if sys.flags.optimize >= 2:
        raise InputError("this Python runs with -OO, which removes docstrings; start it without -OO to build the demo")
    found: dict[str, DocumentText] = {}
    for name in MODULES:
        with suppress(ImportError):
            for dotted, value in _members(importlib.import_module(name), name):
                found[dotted] = DocumentText(dotted, _body(dotted, value), "en")
    return dict(sorted(found.items()))


def _members(module: ModuleType, name: str) -> Iterator[tuple[str, Any]]:
    """Give a module, what it makes public, and the methods of its public classes, each with its dotted name.

    A module and a method need a docstring; a function or class of a module can be judged by its name as well.
    """
    if _docstring(module):
        yield name, module
    public = {key: value for key in _public_names(module) if callable(value := _attribute(module, key))}
    classes = {value for value in public.values() if inspect.isclass(value)}
    # A function that is a ready-made object's method (random.choice), and a method that repeats another class's
    # docstring, would come twice.
    seen = {(key, _docstring(value)) for key, value in public.items()}
    for key, value in public.items():
        if f"{name}.{key}" in HOOKS or (inspect.isclass(value) and issubclass(value, BaseException)):
            continue
        yield f"{name}.{key}", value
        for method, function in _methods(value, classes) if inspect.isclass(value) else ():
            twin = (method, _docstring(function))
            if twin not in seen and len(twin[1].split()) >= FEWEST_WORDS:
                seen.add(twin)
                yield f"{name}.{key}.{method}", function


def _public_names(module: ModuleType) -> list[str]:
    """Return `__all__`, or the public names of what the module itself defines."""
    if hasattr(module, "__all__"):
        return [key for key in module.__all__ if not key.startswith("_")]
    own = (module.__name__, f"_{module.__name__}", None)
    return [k for k, v in vars(module).items() if not k.startswith("_") and getattr(v, "__module__", None) in own]


def _attribute(module: ModuleType, key: str) -> Any:
    with suppress(ImportError):  # some names are imported when they are asked for, and may not have been built
        return getattr(module, key, None)
    return None


def _methods(owner: type, public: set[type]) -> Iterator[tuple[str, Any]]:
    """Give the public methods that a class has of itself, not from another public class.

    Some versions of Python move methods to a private base: they count as the first public class's own.
    """
    others = [base for base in owner.__mro__[1:] if base in public]
    for base in owner.__mro__:
        if base is not owner and (not _is_private(base) or any(issubclass(other, base) for other in others)):
            continue
        for key, own in vars(base).items():
            value = getattr(owner, key, None)
            # A function in C stands here only if it is another module's (logging.Formatter.converter).
            if (
                not key.startswith("_")
                and callable(value)
                and not inspect.isclass(value)
                and not inspect.isbuiltin(own)
            ):
                yield key, value


def _is_private(base: type) -> bool:
    return any(part.startswith("_") for part in (*base.__module__.split("."), base.__name__))


def _body(dotted: str, value: Any) -> str:
    """Return the signature and the docstring, as far as Python knows them."""
    parts = (_signature(dotted, value), _docstring(value))
    return "\n\n".join(part for part in parts if part)


def _docstring(value: Any) -> str:
    """Return the docstring, or that of the constructor of a class that has none of its own."""
    own = getattr(value, "__doc__", None)
    if own is None and inspect.isclass(value) and inspect.isfunction(vars(value).get("__init__")):
        own = vars(value)["__init__"].__doc__
    return inspect.cleandoc(own).strip() if isinstance(own, str) else ""


def _signature(dotted: str, value: Any) -> str:
    """Return `name(arguments)`, `name(...)` where Python does not know them, and nothing for a module."""
    if inspect.ismodule(value):
        return ""
    try:
        known = inspect.signature(value)
    except (TypeError, ValueError, NameError):  # NameError: an annotation that only type checkers can read
        return f"{dotted.rpartition('.')[2]}(...)"
    plain = [
        parameter.replace(annotation=parameter.empty, default=_plain(parameter.default))
        for parameter in known.parameters.values()
    ]
    return f"{dotted.rpartition('.')[2]}{inspect.Signature(plain)}"


class _Omitted:
    def __repr__(self) -> str:
        return "..."


def _plain(default: Any) -> Any:
    """Return a default value that is written alike in every process: others hold addresses, or change as it runs."""
    if default is inspect.Parameter.empty or default is None or isinstance(default, str | bytes | int | float):
        return default
    return default if default in ((), [], {}) else _Omitted()

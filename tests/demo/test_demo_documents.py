"""Documents that the demo gathers from the standard library of the Python that runs the tests."""

from __future__ import annotations

import hashlib
import inspect
import os
import pydoc
import subprocess
import sys

import pytest

from rulerank.demo import stdlib
from rulerank.demo.stdlib import MODULES, gather_documents


@pytest.fixture(scope="module")
def documents():
    return gather_documents()


def test_several_hundred_documents_from_well_known_modules(documents):
    assert len(MODULES) == len(set(MODULES)) >= 40
    assert len(documents) >= 800
    assert list(documents) == sorted(documents)
    kinds = {"module": 0, "class": 0, "other": 0}
    for name in documents:
        value = pydoc.locate(name)
        kind = "module" if inspect.ismodule(value) else "class" if inspect.isclass(value) else "other"
        kinds[kind] += 1
    assert kinds["module"] >= 35
    assert kinds["class"] >= 100
    assert kinds["other"] >= 500


def test_every_document_can_be_found_and_read(documents):
    for name, document in documents.items():
        assert pydoc.locate(name) is not None
        assert document.title == name
        assert document.language == "en"
        assert document.body.strip()
        assert " at 0x" not in document.body
        assert not any(part.startswith("_") for part in name.split("."))
        assert any(name == module or name.startswith(f"{module}.") for module in MODULES)


def test_signature_and_docstring_are_what_python_says(documents):
    import json
    import shutil

    assert documents["shutil.rmtree"].body.startswith(f"rmtree{inspect.signature(shutil.rmtree)}\n\n")
    assert inspect.getdoc(shutil.rmtree) in documents["shutil.rmtree"].body
    assert documents["json"].body == inspect.getdoc(json)
    assert documents["csv.DictReader"].body.startswith("DictReader(f, fieldnames=None")
    assert "max_workers" in documents["concurrent.futures.ThreadPoolExecutor"].body


def test_methods_come_once(documents):
    assert "random.choice" in documents
    assert "random.Random.choice" not in documents  # the function is this very method
    assert "pathlib.PurePath.joinpath" in documents
    assert "pathlib.Path.joinpath" not in documents  # inherited from a public class
    assert "pathlib.Path.exists" in documents  # whether or not Python keeps it in a private base
    assert "logging.Formatter.converter" not in documents  # time.localtime under another name


def test_errors_are_no_documents(documents):
    for name in documents:
        value = pydoc.locate(name)
        assert not (inspect.isclass(value) and issubclass(value, BaseException))


def test_a_module_that_was_not_built_is_left_out(monkeypatch):
    monkeypatch.setattr(stdlib, "MODULES", ("html", "no_such_module", "getpass"))
    assert {name.split(".")[0] for name in gather_documents()} == {"html", "getpass"}


PROGRAM = """
import hashlib
from rulerank.demo.stdlib import gather_documents
print(hashlib.sha256(repr(gather_documents()).encode()).hexdigest())
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_two_processes_gather_the_same(documents, seed):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == hashlib.sha256(repr(documents).encode()).hexdigest()


def test_python_without_docstrings_is_told_what_to_do():
    program = """
from rulerank.demo.stdlib import gather_documents
from rulerank.errors import InputError
try:
    gather_documents()
except InputError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True, check=True)
    assert "start it without -OO" in done.stdout

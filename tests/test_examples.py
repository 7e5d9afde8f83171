"""The examples in docstrings run, and every public class of the library has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import rulerank
from rulerank import registry
from rulerank.clicks.models import click_models
from rulerank.export.formats.base import formats
from rulerank.simulate.learners import learners
from rulerank.simulate.learners.base import missing_package
from rulerank.text.features import text_features

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(rulerank.__path__, "rulerank.")
    if not module.name.endswith("__main__")
)
REGISTRIES = [registry.discretizers, registry.metrics, registry.rankers, registry.samplers]
REGISTRIES += [click_models, formats, learners, text_features]

ONLY_MADE_HERE = "a result that other classes and functions make"
ONLY_OPTIONS = "named options with defaults; the function that takes them shows them"

WITHOUT = {
    "rulerank.agreement.rankers.RankerAgreement": ONLY_MADE_HERE,
    "rulerank.campaign.choosing.Offer": ONLY_MADE_HERE,
    "rulerank.campaign.choosing.Pause": ONLY_MADE_HERE,
    "rulerank.campaign.events.Claim": ONLY_MADE_HERE,
    "rulerank.clicks.compare.Comparison": ONLY_MADE_HERE,
    "rulerank.clicks.result.Parameter": ONLY_MADE_HERE,
    "rulerank.clicks.source.BadRow": ONLY_MADE_HERE,
    "rulerank.collection.fields.PossiblyCutOff": ONLY_MADE_HERE,
    "rulerank.curves.learning_curve.Point": ONLY_MADE_HERE,
    "rulerank.curves.random_replay.Band": ONLY_MADE_HERE,
    "rulerank.demo.build.Demo": ONLY_MADE_HERE,
    "rulerank.export.preview.FilePreview": ONLY_MADE_HERE,
    "rulerank.export.preview.FoldPreview": ONLY_MADE_HERE,
    "rulerank.export.preview.SetPreview": ONLY_MADE_HERE,
    "rulerank.metrics.intents.IntentERR": ONLY_MADE_HERE,
    "rulerank.prepare.files.DataFile": ONLY_MADE_HERE,
    "rulerank.prepare.layout.Layout": ONLY_MADE_HERE,
    "rulerank.prepare.layout.Named": ONLY_OPTIONS,
    "rulerank.prepare.problems.FileProblem": ONLY_MADE_HERE,
    "rulerank.prepare.read.TextReading": ONLY_OPTIONS,
    "rulerank.prepare.readers.table.TableHead": ONLY_MADE_HERE,
    "rulerank.reproduce.published.Known": ONLY_MADE_HERE,
    "rulerank.reproduce.report.Report": ONLY_MADE_HERE,
    "rulerank.reproduce.report.ReportSettings": ONLY_OPTIONS,
    "rulerank.reproduce.report.Tried": ONLY_MADE_HERE,
    "rulerank.text.read.TextProblem": ONLY_MADE_HERE,
}
"""Public classes without an example, and why. Exceptions and protocols need none."""


def has_example(text: str | None) -> bool:
    return ">>> " in (text or "")


def with_examples() -> list[str]:
    """The modules that have examples; found by their text, so that nothing is loaded for it."""
    root = Path(rulerank.__file__).parent.parent
    files = {name: root.joinpath(*name.split(".")) for name in MODULES}
    texts = {name: path / "__init__.py" if path.is_dir() else path.with_suffix(".py") for name, path in files.items()}
    return [name for name, path in texts.items() if has_example(path.read_text(encoding="utf-8"))]


def public_classes() -> dict[str, type]:
    """The classes that a package exports, or that are registered, by their full names."""
    packages = [importlib.import_module(name) for name in MODULES]
    found = [getattr(package, name) for package in packages for name in getattr(package, "__all__", ())]
    found += [entry.value for each in REGISTRIES for entry in each]
    classes = [each for each in found if inspect.isclass(each) and each.__module__.startswith("rulerank.")]
    needed = [
        each for each in classes if not issubclass(each, BaseException) and not getattr(each, "_is_protocol", False)
    ]
    return {f"{each.__module__}.{each.__qualname__}": each for each in needed}


@pytest.mark.parametrize("name", with_examples())
def test_examples_run(name):
    module = importlib.import_module(name)
    for entry in learners:
        if entry.value.__module__ == name and missing_package(entry.name):
            pytest.skip(f"{missing_package(entry.name)} is not installed")
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def test_every_public_class_has_an_example():
    classes = public_classes()
    assert len(classes) > 100
    lacking = {name for name, each in classes.items() if not has_example(vars(each).get("__doc__"))}
    assert lacking - set(WITHOUT) == set(), "give these an example in their docstrings (what goes in, what comes out)"
    assert set(WITHOUT) - lacking == set(), "these have an example now, or are gone: take them off the list"

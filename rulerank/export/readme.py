"""README.txt and SHA256SUMS: what a bundle holds, where it came from, and how to tell that it is whole."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from rulerank._version import __version__
from rulerank.agreement import RULES
from rulerank.export.export import Export
from rulerank.export.formats.base import Format
from rulerank.strategy import as_text

README, SUMS = "README.txt", "SHA256SUMS"
HOW_TO_LOAD = "How to load it"
WIDTH = 100
MOST_NUMBERS = 50  # queries whose numbers stand in README.txt itself

FACTS = {
    "campaign": "Campaign",
    "aggregation": "Aggregation rule",
    "agreement": "Agreement (Krippendorff's alpha)",
    "seed": "Seed of the campaign",
    "version": "rulerank version",
    "discretizer": "Discretizer",
    "sampler": "Sampler",
    "ranker": "Ranker",
    "content_hash": "Content hash of the whole collection",
}


def readme(export: Export, chosen: Iterable[Format]) -> bytes:
    """Return README.txt: the facts, the counts, the files and how to load them. No dates: it can be repeated."""
    chosen = list(chosen)
    sections = [
        _section("Training data for learning to rank, made with rulerank", _facts(export.about)),
        _section("What is in it", _counts(export, chosen)),
        _section("Files", [line for each in chosen for line in _files(export, each)] + _own_files()),
    ]
    if export.numbers is not None and any(each.has_queries for each in chosen):
        sections.append(_section("Queries by number", _numbers(export.numbers)))
    if any(each.has_sheets for each in chosen):
        sections.append(_section("Which table to open with what", _which_is_which()))
    loading = _program(export, chosen)
    if loading:
        sections.append(_section(HOW_TO_LOAD, loading))
    return "\n".join(sections).encode("utf-8", "backslashreplace")


def _program(export: Export, chosen: list[Format]) -> list[str]:
    """Return one program in Python that loads every format, what it imports first; it runs in the bundle's folder."""
    size = str(export.collection.features.shape[1])
    lines = [line for each in chosen for line in textwrap.dedent(each.loading).replace("{features}", size).splitlines()]
    imports = sorted({line for line in lines if line.startswith("import ")})
    return [*imports, *([""] if imports else []), *(line for line in lines if not line.startswith("import "))]


def sums(digests: Mapping[str, str]) -> bytes:
    """Return SHA256SUMS, as `sha256sum -c` reads it."""
    return "".join(f"{digest}  {name}\n" for name, digest in digests.items()).encode()


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([title, "=" * len(title), *lines, ""])


def _facts(about: Mapping[str, Any]) -> list[str]:
    known = {"version": __version__, **{str(key): value for key, value in about.items()}}
    stated = [(label, _said(key, known[key]) if key in known else "not stated") for key, label in FACTS.items()]
    stated += [(key, _said(key, value)) for key, value in known.items() if key not in FACTS]
    return [line for label, text in stated for line in textwrap.wrap(f"{label}: {text}", WIDTH, subsequent_indent="  ")]


def _said(key: str, value: Any) -> str:
    if value is None:
        return "not yet" if key == "agreement" else "none"
    text = " ".join(str(value).split())
    return f"{text}: {RULES[text]}" if key == "aggregation" and text in RULES else text


def _counts(export: Export, chosen: list[Format]) -> list[str]:
    summary = export.collection.summary()
    lines = [
        f"Documents: {summary['rows']} ({export.left_out} more have no grade and were left out)",
        f"Queries: {summary['queries']}",
        f"Features: {summary['features']}",
        *(f"Documents with grade {grade}: {count}" for grade, count in summary["grade_counts"].items()),
    ]
    if summary["unlabelled"]:
        lines.append(f"Documents without a grade: {summary['unlabelled']} (grade -1; not in LightGBM's files or qrels)")
    if summary["missing"]:
        lines.append(f"Missing values: {summary['missing']}")
    if export.evaluation is not None:
        held = export.evaluation.summary()
        lines.append(
            f"Evaluation set: {held['rows']} documents of {held['queries']} queries; MAP by the convention "
            f"{export.convention}"
        )
    if any(each.has_folds for each in chosen):
        lines.append(f"Folds: {export.folds}, queries dealt with seed {export.seed}")
    lines += [f"Events of the label log: {len(export.events)}", f"Content hash: {export.collection.content_hash}"]
    return lines


def _files(export: Export, each: Format) -> list[str]:
    names = each.names(export)
    shown = ", ".join(names) if len(names) <= 3 else f"{names[0]} to {names[-1]}"
    given = ", ".join(f"{name.replace('_', ' ')} {as_text(value)}" for name, value in each.changed_params().items())
    return [shown, *_indented(each.summary + (f" Here with {given}." if given else ""))]


def _numbers(numbers: Mapping[str, int]) -> list[str]:
    """Say that LETOR files have numbers for the queries, and which, where they are few."""
    words = "In LETOR files each query has a number, because trainers read qids as whole numbers; queries.tsv lists"
    more = "all of them. Tables, qrels and the label log keep the qids."
    shown = [f"    {number} = {qid}" for qid, number in list(numbers.items())[:MOST_NUMBERS]]
    rest = [f"    and {len(numbers) - MOST_NUMBERS} more"] if len(numbers) > MOST_NUMBERS else []
    return [*textwrap.wrap(f"{words} {more}", WIDTH), *shown, *rest]


def _which_is_which() -> list[str]:
    return textwrap.wrap(
        "Names that end in -for-spreadsheets.csv are for Excel, LibreOffice, Google Sheets and the like: a text that "
        "such a program would run as a formula (it begins with =, +, - or @) has an apostrophe before it, and the file "
        "says that it is UTF-8. Numbers are the same. All other files are exact, for programs and data frames: do not "
        "open them in a spreadsheet, for queries, documents and notes may come from anybody.",
        WIDTH,
    )


def _own_files() -> list[str]:
    return [SUMS, *_indented("The SHA-256 of every other file; `sha256sum -c SHA256SUMS` checks them.")]


def _indented(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")

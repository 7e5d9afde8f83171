"""Reproduce the tables of the papers about one collection: ours beside theirs, and what was tried where they differ."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rulerank._version import __version__
from rulerank.errors import InputError
from rulerank.folds import Fold, read_folds
from rulerank.progress import Progress, Steps, silent
from rulerank.reproduce.figures import PaperTable
from rulerank.reproduce.published import QUERY_LEVEL, SAMPLING, Known, printed
from rulerank.reproduce.query_level import Bench, FoldOutcome, chosen_by_validation, map_table, seconds_table
from rulerank.reproduce.readings import BASELINES, DEFAULTS, OURS, TRIED, Reading, bm25, readings_of
from rulerank.reproduce.sampling_tables import baseline_tables, selection_table, svm_table
from rulerank.reproduce.selections import FoldBench, SampleColumns, Trained, svm_is_there

CAUSE = {
    **dict.fromkeys(("RE-GR", "LRAR"), "RE-GR"),
    "RE-SR": "RE-SR",
    "RE-QR": "RE-QR",
    **dict.fromkeys(("LBM25", "R25%"), "LBM25"),
    **dict.fromkeys(("SVMS", "SBM25"), "SVMRank"),
    "Random": "Random",
}
"""Which method's other readings bear on a figure; figures that are not here hang on the table's sampler."""


@dataclass(frozen=True)
class Tried:
    """Another reading of a sampling column: labels spent, share of relevant ones, and MAP, fold by fold."""

    reading: Reading
    folds: tuple[Trained, ...]

    @property
    def mean(self) -> float:
        """Mean MAP over the folds."""
        return float(np.mean([each.map for each in self.folds]))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        return {
            "method": self.reading.method,
            "reading": self.reading.text,
            "map": [each.map for each in self.folds],
            "mean": self.mean,
            "selected": [each.selected for each in self.folds],
            "relevant_percent": [each.relevant for each in self.folds],
        }


@dataclass(frozen=True)
class ReportSettings:
    """What is done: which papers, the random draws, and whether other readings are tried.

    tried: True: all of them; False: none; None: those that bear on figures that differ. bm25: the number (from 1) of
    the feature that the BM25 baseline goes by; None: the collection's own.
    """

    papers: tuple[str, ...] = (SAMPLING, QUERY_LEVEL)
    seeds: int = 20
    tried: bool | None = None
    bm25: int | None = None


@dataclass(frozen=True)
class Report:
    """The tables about a collection, what was tried, and what there is to know about the data."""

    known: Known
    folder: Path
    about: dict[str, Any]
    tables: tuple[PaperTable, ...]
    tried: tuple[FoldOutcome | Tried, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def differing(self) -> list[str]:
        """The methods whose readings bear on figures that differ, each once."""
        found = [_cause(table, figure.name) for table in self.tables for figure in table.differing]
        return list(dict.fromkeys(name for name in found if name))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return {
            "collection": self.known.name,
            "folder": str(self.folder),
            **self.about,
            "tables": [table.to_dict() for table in self.tables],
            "differ": [
                {"table": table.number, "figure": figure.name, "folds": list(figure.folds_that_differ)}
                for table in self.tables
                for figure in table.differing
            ],
            "tried": [each.to_dict() for each in self.tried],
            "notes": list(self.notes),
        }


def _cause(table: PaperTable, name: str) -> str | None:
    """Return the method whose other readings bear on a figure; None where nothing but the data does."""
    if name in CAUSE and (table.number != "3" or name != "Random"):
        return CAUSE[name]
    if name in ("Utot", "R%"):
        return None
    if table.number == "3" and name != "SSARP":
        return "SVMRank"  # G% and Random there are of SVMRank too
    return "SSAR" if table.number == "1" else "SSARP"


def reproduce(known: Known, folder: Path, settings: ReportSettings, progress: Progress = silent) -> Report:
    """Read a collection's five folds and do its tables. `progress` gets the name of each stage."""
    folds = read_folds(folder)
    notes = list(_notes(folds))
    bench = Bench(folds)
    wanted = DEFAULTS if QUERY_LEVEL in settings.papers else DEFAULTS[:1]  # RE-GR is the sampling paper's LRAR
    step = Steps(progress, len(wanted) * len(folds), f"{known.name}: ranking with all labels")
    outcomes = [bench.run(setup, step) for setup in wanted]
    tables: list[PaperTable] = []
    if QUERY_LEVEL in settings.papers:
        tables += [map_table(known, outcomes), seconds_table(known, outcomes)]
    if SAMPLING in settings.papers:
        tables += _sampling(known, folds, settings, outcomes[0], progress)
        if not printed("1", known.name):
            notes.append(f"the sampling paper prints nothing about {known.name}, so tables 1 to 5 hold only ours")
        if not svm_is_there():
            notes.append("table 3 is left out: it needs scikit-learn (pip install -r requirements-bench.txt)")
    report = Report(known, folder, _about(folds), tuple(tables), notes=tuple(notes))
    names = report.differing
    if settings.tried is not None:
        names = _methods(settings.papers) if settings.tried else []
    tried: list[FoldOutcome | Tried] = [
        *_try_rankers(bench, outcomes, names, progress),
        *_try_samplers(known, folds, settings, names, progress),
    ]
    return Report(known, folder, report.about, report.tables, tuple(tried), report.notes)


def _methods(papers: Iterable[str]) -> list[str]:
    sampling = [*OURS, *BASELINES] if SAMPLING in papers else []
    return [*([setup.method for setup in DEFAULTS] if QUERY_LEVEL in papers else ["RE-GR"]), *sampling]


def _sampling(
    known: Known, folds: list[Fold], settings: ReportSettings, full: FoldOutcome, progress: Progress
) -> list[PaperTable]:
    found: dict[str, list[SampleColumns]] = {of: [] for of in OURS}
    svm = svm_is_there()
    step = Steps(progress, len(found) * len(folds), f"{known.name}: selecting")
    for fold in folds:  # one at a time: a large collection's folds would not fit into memory together
        bench = FoldBench(fold, bm25(known, settings.bm25), svm=svm)
        for of, columns in found.items():
            columns.append(bench.columns(of, settings.seeds))
            step()
    return [
        selection_table("1", known.name, found["SSAR"], full),
        selection_table("2", known.name, found["SSARP"], full),
        *([svm_table(known.name, found["SSARP"])] if svm else []),
        *baseline_tables(known.name, found["SSARP"]),
    ]


def _try_rankers(bench: Bench, ours: list[FoldOutcome], names: list[str], progress: Progress) -> list[FoldOutcome]:
    setups = [setup for setup in TRIED if setup.method in names]
    if not setups:
        return []
    step = Steps(progress, len(setups) * len(bench.folds), "other readings of the rankers")
    others = [bench.run(setup, step) for setup in setups]
    found = []
    for method in dict.fromkeys(setup.method for setup in setups):
        same = [outcome for outcome in [*ours, *others] if outcome.setup.method == method]
        found += [*same, chosen_by_validation(same)]
    return found


def _try_samplers(
    known: Known, folds: list[Fold], settings: ReportSettings, names: list[str], progress: Progress
) -> list[Tried]:
    methods = [name for name in (*OURS, *BASELINES) if name in names and (name != "SVMRank" or svm_is_there())]
    readings = [reading for name in methods for reading in readings_of(name, known, settings.bm25)]
    if not readings:
        return []
    trained: list[list[Trained]] = [[] for _ in readings]
    step = Steps(progress, len(readings) * len(folds), "other readings of the samplers")
    for fold in folds:
        bench = FoldBench(fold, bm25(known, settings.bm25), svm="SVMRank" in methods)
        for place, reading in enumerate(readings):
            if reading.sampler.params.get("feature", 0) >= fold.train.features.shape[1]:
                continue  # a part of the document that this version of the collection has no BM25 of
            trained[place].append(bench.run(reading, settings.seeds))
            step()
    return [Tried(reading, tuple(each)) for reading, each in zip(readings, trained, strict=True) if each]


def _about(folds: list[Fold]) -> dict[str, Any]:
    parts = [part for fold in folds for part in (fold.train, fold.validation, fold.test)]
    return {
        "hash": hashlib.sha256(" ".join(part.content_hash for part in parts).encode()).hexdigest(),
        "documents": sum(len(fold.test) for fold in folds),
        "queries": sum(len(fold.test.queries) for fold in folds),
        "features": folds[0].train.features.shape[1],
        "version": __version__,
        "convention": "letor",
    }


def _notes(folds: list[Fold]) -> Iterable[str]:
    """Yield what is odd about the data; refuse data that have nothing to measure."""
    if not any((fold.test.grades > 0).any() for fold in folds):
        raise InputError("no test part has a relevant document, so there is nothing to measure by")
    low = min(float(fold.train.features.min(initial=0)) for fold in folds)
    high = max(float(fold.train.features.max(initial=0)) for fold in folds)
    if low < 0 or high > 1:
        yield (
            f"features go from {low:g} to {high:g}, so this is not LETOR's QueryLevelNorm version (0 to 1 within a "
            "query), which the papers used"
        )
    for fold in folds:
        if not (fold.test.grades > 0).any():
            yield f"fold {fold.number}: no test query has a relevant document, so every metric is 0 there"

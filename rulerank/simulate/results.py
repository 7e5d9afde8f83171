"""The results of a simulation: load them, look at them, and write them as tables.

results = Results.load(folder)
results.curves()                      # mean learning curves with intervals
results.labels_needed()               # labels to reach 90, 95, 99% of what all labels give
results.significance("random")        # paired tests against a baseline
results.selected(results.tasks[7])    # which documents a run chose, in order
results.table(), results.per_query()  # everything, one row per value
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rulerank.errors import InputError
from rulerank.files import write_whole
from rulerank.metrics.measure import Measure
from rulerank.simulate import summaries, tables
from rulerank.simulate.plan import Plan
from rulerank.simulate.published import Reference, references
from rulerank.simulate.store import ABOUT, About, Failure, Finished, failure_path, task_path
from rulerank.simulate.tasks import Task

if TYPE_CHECKING:
    import pandas as pd


class Results:
    """What a folder of results holds. Of a run that is not complete, what is finished.

    Tables are pandas frames. `sampler` and `ranker` are the strategies' keys (`Strategy.key`). Every summary averages
    over seeds within a fold, then over folds; a sampler counts with the seeds that are finished on every fold.
    `expected=True` takes the exact expectation over ties instead of LETOR's file order.

    >>> import tempfile
    >>> from rulerank.simulate import Dataset, Plan, run
    >>> from rulerank.synthetic import planted_collection
    >>> data = Dataset.from_collection(planted_collection(queries=4, documents=6, features=3), folds=2)
    >>> plan = Plan(samplers=("ssar",), rankers=("weighted_items",), budget=8, every=4, metrics=("map",))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = run(plan, data, Path(folder), jobs=1)
    >>> results.complete, results.grid, len(results.table())
    (True, [4, 8], 6)
    """

    def __init__(self, about: About, finished: Sequence[Finished], failures: Sequence[Failure] = ()) -> None:
        self.about = about
        self.finished = tuple(finished)
        self.failures = tuple(failures)
        """The tasks that failed the last time they were tried; another run tries them again."""

    @classmethod
    def load(cls, folder: Path | str) -> Self:
        """Read a folder that `run` wrote to, complete or not."""
        folder = Path(folder)
        about = About.read(folder)
        finished, failures = [], []
        for task in about.tasks:
            path = task_path(folder, task)
            if path.is_file():
                finished.append(Finished.read(path))
                if finished[-1].task.name != task.name:
                    raise InputError(
                        f"{path} holds the result of another task, {finished[-1].task.name}; remove it and run again"
                    )
            elif failure_path(folder, task).is_file():
                failures.append(Failure.read(failure_path(folder, task)))
        return cls(about, finished, failures)

    @classmethod
    def unpack(cls, content: bytes) -> Self:
        """Read what `pack` made of a folder."""
        with tempfile.TemporaryDirectory(prefix="rulerank-") as place:
            try:
                with zipfile.ZipFile(io.BytesIO(content)) as archive:
                    archive.extractall(place)
            except zipfile.BadZipFile:
                raise InputError("these are not the packed results of a simulation") from None
            return cls.load(place)

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.about.plan

    @property
    def tasks(self) -> list[Task]:
        """The finished runs of samplers, for `selected`."""
        return [each.task for each in self.finished if not each.task.is_ceiling]

    @property
    def complete(self) -> bool:
        """Say whether every task of the plan is finished."""
        return len(self.finished) == len(self.about.tasks)

    @property
    def labels(self) -> int:
        """The budget in labels."""
        return self.about.labels

    @property
    def grid(self) -> list[int]:
        """After how many labels everything was measured."""
        return self.plan.grid(self.labels)

    @cached_property
    def _runs(self) -> dict[tuple[str, int, int | None], Finished]:
        return {
            (each.task.sampler.key, each.task.fold, each.task.seed): each for each in self.finished if each.task.sampler
        }

    @property
    def folds(self) -> list[int]:
        """The numbers of the folds."""
        return sorted(self.about.queries)

    def seeds_done(self, sampler: str) -> list[int | None]:
        """Return a sampler's seeds that are finished on every fold ([None]: it does not draw, and is finished)."""
        strategy = next((each for each in self.plan.samplers if each.key == sampler), None)
        if strategy is None:
            known = ", ".join(each.key for each in self.plan.samplers)
            raise InputError(f"{sampler!r} was not simulated here; there are: {known}")
        seeds = self.plan.seeds_of(strategy)
        return [seed for seed in seeds if all((sampler, fold, seed) in self._runs for fold in self.folds)]

    def samplers_done(self) -> list[str]:
        """Return the samplers that have at least one run finished on every fold, in the plan's order."""
        return [each.key for each in self.plan.samplers if self.seeds_done(each.key)]

    def metric_place(self, metric: str | None) -> int:
        """Return a metric's place among those measured; None is the first one."""
        if metric is None:
            return 0
        name = Measure.parse(metric).name
        if name not in self.plan.metrics:
            raise InputError(f"{name} was not measured here; there are: {', '.join(self.plan.metrics)}")
        return self.plan.metrics.index(name)

    def cubes(self, sampler: str, ranker: str, metric: str | None = None, expected: bool = False) -> list[np.ndarray]:
        """Return, fold by fold, the values of a sampler with a ranker: seeds by grid points by test queries."""
        place = self._ranker_place(ranker)
        which = self.metric_place(metric)
        seeds = self.seeds_done(sampler)
        if not seeds:
            raise InputError(f"no run of {sampler} is finished on every fold yet")
        cubes = []
        for fold in self.folds:
            runs = [self._runs[sampler, fold, seed].outcome for seed in seeds]
            cubes.append(np.array([(r.expected if expected else r.values)[place, r.on_grid, which] for r in runs]))
        return cubes

    def _ranker_place(self, ranker: str) -> int:
        keys = [each.key for each in self.plan.rankers]
        if ranker not in keys:
            raise InputError(f"{ranker!r} was not trained here; there are: {', '.join(keys)}")
        return keys.index(ranker)

    def runs_of(self, sampler: str) -> list[list[Finished]]:
        """Return, fold by fold, a sampler's runs with the seeds that are finished on every fold."""
        seeds = self.seeds_done(sampler)
        return [[self._runs[sampler, fold, seed] for seed in seeds] for fold in self.folds]

    def ceiling(self, ranker: str, metric: str | None = None, expected: bool = False) -> float | None:
        """Return what all labels give a ranker, averaged over folds; None while a fold's is not finished."""
        self._ranker_place(ranker)
        which = self.metric_place(metric)
        found = [each.outcome for each in self.finished if each.task.is_ceiling and each.task.rankers[0].key == ranker]
        if len(found) < len(self.folds):
            return None
        return float(np.mean([(each.expected if expected else each.values)[0, 0, which].mean() for each in found]))

    def references(self) -> list[Reference]:
        """Return published means of this data set, for lines beside the curves (MAP, all labels unless said)."""
        return references(self.about.dataset)

    # Summaries --------------------------------------------------------------------------------------------------------

    def curves(self, metric: str | None = None, expected: bool = False) -> pd.DataFrame:
        """Return the mean learning curves with 95% intervals; see `summaries.curves` for the columns."""
        return summaries.curves(self, metric, expected)

    def labels_needed(
        self,
        metric: str | None = None,
        shares: Sequence[float] = (0.90, 0.95, 0.99),
        baseline: str | None = None,
        expected: bool = False,
    ) -> pd.DataFrame:
        """Return how many labels reach these shares of what all labels give; see `summaries.labels_needed`."""
        return summaries.labels_needed(self, metric, shares, baseline, expected)

    def significance(
        self, baseline: str, metric: str | None = None, labels: int | None = None, expected: bool = False
    ) -> pd.DataFrame:
        """Return paired tests of every sampler against a baseline, query by query; see `summaries.significance`."""
        return summaries.significance(self, baseline, metric, labels, expected)

    def summary(self, baseline: str | None = None, metric: str | None = None, expected: bool = False) -> pd.DataFrame:
        """Return one row per sampler and ranker with all figures at the budget; see `summaries.summary`."""
        return summaries.summary(self, baseline, metric, expected)

    def find(self, sampler: str, fold: int, seed: int | None = None) -> Task:
        """Return the finished run of a sampler on a fold; without a seed the first one that there is."""
        for task in self.tasks:
            if task.sampler and task.sampler.key == sampler and task.fold == fold and seed in (None, task.seed):
                return task
        raise InputError(
            f"no run of {sampler} on fold {fold} is finished" + ("" if seed is None else f" with seed {seed}")
        )

    # Everything ------------------------------------------------------------------------------------------------------

    def selected(self, task: Task, labels: int | None = None) -> pd.DataFrame:
        """Return the documents that a run chose, in order: label (from 1), row (in the fold's pool), qid, docid, grade.

        `labels`: only those chosen up to this point.
        """
        import pandas as pd  # noqa: PLC0415 (half a second that only tables need)

        found = next((each for each in self.finished if each.task.name == task.name), None)
        if found is None or task.is_ceiling:
            raise InputError(f"{task.name} is not a finished run of this simulation")
        rows = found.outcome.choice.rows
        columns = {
            "label": np.arange(1, rows.size + 1),
            "row": rows,
            "qid": found.qids,
            "docid": found.docids,
            "grade": found.grades,
        }
        return pd.DataFrame(columns).iloc[:labels]

    def table(self) -> pd.DataFrame:
        """Return everything that was measured, one row per fold, sampler, seed, ranker, point and metric.

        dataset, fold, sampler, seed, ranker, labels, used (labels really spent), metric, value (file order), expected
        (over ties), relevant_found (share of the pool's), select_seconds and train_seconds (up to here), point: "grid",
        "stop" for the sampler's natural stop, or "all" for all labels (sampler and seed are empty there).
        """
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame([row for each in self.finished for row in tables.tidy_rows(each, self.about)])

    def per_query(self) -> pd.DataFrame:
        """Return the values query by query: the same columns up to metric, then qid, value, expected."""
        import pandas as pd  # noqa: PLC0415

        return pd.concat([tables.query_frame(each, self.about) for each in self.finished], ignore_index=True)

    def write(self, path: Path | str, *, per_query: bool = False) -> list[Path]:
        """Write the table as `.csv` (also `.csv.gz`) or `.parquet`, and beside it a `.json` that says what it is.

        Parquet needs pyarrow, and holds the same settings in its metadata too. Returns the files written.
        """
        path = Path(path)
        frame = self.per_query() if per_query else self.table()
        settings = {**self._settings(), "columns": list(frame.columns)}
        write_whole(path, tables.encoded(frame, path, settings))
        beside = path.with_name(path.name + ".json")
        write_whole(beside, json.dumps(settings, indent=1).encode())
        return [path, beside]

    def _settings(self) -> dict[str, Any]:
        """Return what goes with every table: what was asked for, and what is missing of it."""
        failed = [{"task": each.task.name, "message": each.message} for each in self.failures]
        return {**self.about.settings(), "complete": self.complete, "failed": failed}

    def to_dict(self, baseline: str | None = None) -> dict[str, Any]:
        """Return settings and summaries as plain JSON types, for machines; tests and savings against a baseline."""
        return {
            **self._settings(),
            "baseline": baseline,
            "summary": {name: tables.records(self.summary(baseline, name)) for name in self.plan.metrics},
            "curves": {name: tables.records(self.curves(name)) for name in self.plan.metrics},
            "labels_needed": tables.records(self.labels_needed(baseline=baseline)),
            "significance": tables.records(self.significance(baseline)) if baseline else [],
            "references": [asdict(each) | {"source": each.source} for each in self.references()],
        }


def pack(folder: Path | str) -> bytes:
    """Return a folder of results as one piece, to be kept in a database or sent elsewhere (`Results.unpack`)."""
    folder = Path(folder)
    about = About.read(folder)
    paths = (failure_path, task_path)
    files = [folder / ABOUT, *(path_of(folder, task) for task in about.tasks for path_of in paths)]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
    return buffer.getvalue()


def merge(folder: Path | str) -> list[Path]:
    """Put the finished tasks of a folder together as tables in it, and return the files written.

    `results.csv`: everything that was measured (also as parquet where pyarrow is installed); `queries.parquet`, or
    without pyarrow `queries.csv.gz`: the values query by query. Beside each a `.json` with settings, version and hash.
    Nothing where no task is finished.
    """
    folder = Path(folder)
    results = Results.load(folder)
    if not results.finished:
        return []
    columnar = tables.can_write_parquet()
    written = results.write(folder / "results.csv")
    if columnar:
        written += results.write(folder / "results.parquet")
    return written + results.write(folder / ("queries.parquet" if columnar else "queries.csv.gz"), per_query=True)

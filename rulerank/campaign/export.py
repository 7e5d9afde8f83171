"""What leaves a campaign: its documents with one grade each, the log with names, and the facts for the README."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from rulerank._version import __version__
from rulerank.agreement import aggregate, krippendorff_alpha
from rulerank.campaign.changes import Course
from rulerank.campaign.events import NO_DOCUMENT, LabelEvent
from rulerank.campaign.fold import LogFold
from rulerank.campaign.opened import OpenCampaign
from rulerank.campaign.settings import Settings
from rulerank.collection import UNLABELLED, Collection
from rulerank.registry import discretizers, rankers, samplers
from rulerank.strategy import Strategy


@dataclass(frozen=True)
class Leaving:
    """A campaign's pool with final grades, and how many documents wait for an adjudicator."""

    collection: Collection
    waiting: int
    evaluation: Collection | None = None  # what Progress measures on, with its grades
    convention: str = "letor"  # by which it measures
    scores: tuple[float, ...] | None = None  # of the evaluation set, by the campaign's ranker

    def queries(self, unlabelled: bool) -> int:
        """Return how many queries would be exported."""
        if unlabelled:
            return len(self.collection.queries)
        return int(np.unique(self.collection.query_index[self.collection.grades != UNLABELLED]).size)


def fold_of(events: Iterable[LabelEvent], made: Settings) -> LogFold:
    """Return the state that a log leads to, of a campaign that was made with these settings.

    The live state would first bring the sampler up to the log as well, which an export has no need to wait for.
    """
    fold = LogFold(Course(made))
    for event in events:
        fold.apply(event)
    return fold


def gather(opened: OpenCampaign, rule: str, fold: LogFold) -> Leaving:
    """Return the pool with one grade per document by an aggregation rule; -1 where there is none."""
    table = fold.table()
    units, people, grades = ([each[k] for each in table] for k in range(3))
    # An imported grade stands where nobody has judged.
    judged = aggregate(units, people, grades, rule, adjudicated=fold.adjudicated)
    waiting = set(units) - judged.keys()
    final = {**{row: grade for row, grade in fold.imported.items() if row not in waiting}, **judged}
    values = np.full(opened.pool_rows.size, UNLABELLED, np.int32)
    for row, grade in final.items():
        values[row] = grade
    pool = opened.collection.select(opened.pool_rows).with_grades(values)
    held = opened.collection.select(opened.evaluation_rows) if opened.evaluation_rows.size else None
    return Leaving(pool, len(waiting), held, opened.settings.convention, _scores(opened, fold))


def _scores(opened: OpenCampaign, fold: LogFold) -> tuple[float, ...] | None:
    """Return what the campaign's ranker, taught the labels as Progress has them, gives the evaluation set."""
    labels = fold.current()
    if not labels or opened.evaluation is None:
        return None
    rows = list(labels)
    model = opened.ranker(opened.settings.ranker.key)
    model.fit(opened.items[rows], list(labels.values()), opened.query_index[rows].tolist())
    return tuple(model.predict(opened.evaluation.documents.items).tolist())


@dataclass(frozen=True)
class ExportChoice:
    """What somebody asked for; equal wishes at the same state of the log give equal files."""

    formats: tuple[str, ...]  # names, with parameters where they are not the usual ones (`Strategy.key`)
    folds: int
    seed: int
    unlabelled: bool
    rule: str
    named: bool
    numbered: bool | None = None  # numbers for queries in LETOR files; None: where trainers would refuse the qids

    def options(self, leaving: Leaving) -> dict[str, Any]:
        """Return the arguments of `preview` and `make_bundle`; folds are left out where there are too few queries."""
        enough = self.folds <= leaving.queries(self.unlabelled)
        chosen = [key for key in self.formats if enough or Strategy.parse(key).name != "folds"]
        return {
            "formats": chosen,
            "folds": self.folds,
            "seed": self.seed,
            "unlabelled": self.unlabelled,
            "numbered": self.numbered,
            "evaluation": leaving.evaluation,
            "convention": leaving.convention,
            "scores": leaving.scores,
        }


def event_rows(opened: OpenCampaign, events: list[LabelEvent], names: Mapping[int, str] | None) -> list[dict[str, Any]]:
    """Return the log as plain rows with qid, docid and time; people by name, or by number if no names are given."""
    rows = []
    for event in events:
        whole = event.row == NO_DOCUMENT
        qid, docid = ("", "") if whole else opened.document(event.row)
        person = event.person if names is None or event.person is None else names.get(event.person, str(event.person))
        rows.append(
            {
                "id": event.id,
                "at": datetime.fromtimestamp(event.at, UTC).isoformat(),
                "kind": event.kind.value,
                "person": person,
                "qid": qid,
                "docid": docid,
                "row": None if whole else int(opened.pool_rows[event.row]) + 1,
                "grade": event.grade,
                "text": event.text,
                "undoes": event.undoes,
                "seconds": None if event.seconds is None else round(event.seconds, 3),
            }
        )
    return rows


def cut_words(discretizer: Strategy) -> str:
    """Say how features were cut, and into how many bins at most where the discretizer has such a limit."""
    bins = discretizer.values(discretizers).get("bins")
    rest = Strategy(discretizer.name, {name: value for name, value in discretizer.params.items() if name != "bins"})
    label = rest.label(discretizers)
    return label if bins is None else f"{label}, at most {bins} intervals per feature"


def about(opened: OpenCampaign, rule: str, fold: LogFold, analyser: str | None = None) -> dict[str, Any]:
    """Return the facts that README.txt states; `analyser` names what the texts were prepared with."""
    settings = opened.settings
    table = fold.table()
    units, people, grades = ([each[k] for each in table] for k in range(3))
    alpha = krippendorff_alpha(units, people, grades) if table else None
    return {
        "campaign": opened.name,
        "aggregation": rule,
        "agreement": None if alpha is None or alpha.value is None else str(alpha),
        "seed": settings.seed,
        "version": __version__,
        "discretizer": cut_words(settings.discretizer),
        "sampler": settings.sampler.label(samplers),
        "ranker": settings.ranker.label(rankers),
        "content_hash": opened.collection.content_hash,
        "Annotators": len(set(people)),
        "People per document": settings.overlap,
        "Grades": "; ".join(f"{number} = {level.name}" for number, level in enumerate(settings.grades)),
        **({"Words of the texts": analyser} if analyser is not None else {}),
    }

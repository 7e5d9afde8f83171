"""A campaign's rankings measured by click models: ERR, ERR-IA and ERR-EIA with learned or default parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from rulerank.campaign.audience import Learned, best_grade
from rulerank.campaign.opened import OpenCampaign
from rulerank.campaign.ranking import fit
from rulerank.clicks import DocumentFit, Fit
from rulerank.discretize import items_of
from rulerank.errors import InputError
from rulerank.metrics import Audience, intent_err
from rulerank.metrics.audience import LEARNED_LABELS
from rulerank.metrics.intents import IntentUser
from rulerank.progress import Progress
from rulerank.registry import rankers
from rulerank.strategy import Strategy

METRICS = LEARNED_LABELS | {
    "ia_default": "ERR-IA, default",
    "agnostic_default": "ERR, default",
    "eia_default": "ERR-EIA, default",
}


@dataclass(frozen=True)
class MeasuredDocuments:
    """The documents that rankings are measured on, with what is known of each."""

    where: str
    rows: np.ndarray
    grades: np.ndarray
    languages: tuple[str | None, ...]

    @cached_property
    def readers(self) -> Audience:
        """What their languages allow, whoever reads them."""
        return Audience({}, self.languages)


@dataclass(frozen=True)
class Measured:
    """The mean of each metric for each ranker, and why others are missing."""

    table: pd.DataFrame
    missing: dict[str, str]


def documents_to_measure(opened: OpenCampaign, languages: Mapping[str, str]) -> MeasuredDocuments:
    """Return the documents of the evaluation set, or of the pool where its grades are known; `languages` by docid."""
    if opened.evaluation_rows.size:
        where, rows = "evaluation set", opened.evaluation_rows
        grades = opened.collection.grades[rows].astype(np.int64)
    elif opened.known_grades is not None:
        where, rows, grades = "pool", opened.pool_rows, opened.known_grades
    else:
        raise InputError(
            "this campaign has no evaluation set, and the grades of its pool are not known, so there is nothing to "
            "measure rankings on; give it an evaluation set under New campaign"
        )
    return MeasuredDocuments(
        where, rows, grades, tuple(languages.get(opened.collection.docids[row]) for row in rows.tolist())
    )


def why_not(made: Fit | DocumentFit, documents: MeasuredDocuments) -> str | None:
    """Say why a model's metric cannot be had for these documents, or None if it can."""
    if isinstance(made, DocumentFit):
        return "it knows the documents of its own log only"
    if _without_language(made) is not None:
        return None
    if documents.readers.silent == len(documents.rows):
        return "the documents of this campaign have no language; import their texts with a language each"
    if documents.readers.silent:
        return f"{documents.readers.silent:,d} of {len(documents.rows):,d} documents have no language"
    return None


def _without_language(made: Fit) -> IntentUser | None:
    """The same user for documents of any language, where the language makes no difference to the model."""
    user = made.user
    return None if user.minds_language else user.for_any_language()


def measure(
    opened: OpenCampaign,
    documents: MeasuredDocuments,
    fits: Mapping[str, Fit | DocumentFit],
    names: Sequence[str],
    meaning: Mapping[str, str],
    progress: Progress,
) -> Measured:
    """Fit the rankers to the labels so far, and measure their rankings; `meaning` has the log's name of a language."""
    collection, rows = opened.collection, documents.rows
    items = items_of(opened.discretizer, collection.features[rows], opened.useful)
    queries = collection.query_index[rows].tolist()
    docids = [collection.docids[row] for row in rows.tolist()]
    missing = {METRICS.get(name, made.label): why_not(made, documents) or "" for name, made in fits.items()}
    table = []
    for done, name in enumerate(names):
        progress(done, len(names))
        fitted = fit(opened, name)
        if fitted is None:
            raise InputError("nothing is labelled yet, so there is no ranker; give the first labels under Label")
        scores = fitted.model.predict(items, queries)
        line: dict[str, str] = {"Ranker": Strategy.parse(name).label(rankers)}
        for model, made in fits.items():
            label = METRICS.get(model, made.label)
            if missing[label] or isinstance(made, DocumentFit):
                continue
            plain_user = _without_language(made)
            spoken = None if plain_user else [meaning.get(each or "", each or "") for each in documents.languages]
            try:
                found = intent_err(
                    documents.grades, scores, queries, spoken, plain_user or made.user,
                    convention=opened.settings.convention, docids=docids,
                )  # fmt: skip
                line[label] = f"{found.mean:.4f}"
            except InputError as error:
                missing[label] = str(error)
        table.append(line)
    return Measured(pd.DataFrame(table), {label: why for label, why in missing.items() if why})


def users_to_keep(
    opened: OpenCampaign,
    documents: MeasuredDocuments,
    languages: Sequence[str | None],
    fits: Mapping[str, Fit | DocumentFit],
    meaning: Mapping[str, str],
    log: str,
) -> dict[str, Learned]:
    """Return the learned users who can read a campaign's documents, with its own names of languages.

    `languages` has one for each row of the collection, `meaning` the log's name of a language where they differ.
    """
    rows = np.concatenate([opened.pool_rows, opened.evaluation_rows])
    spoken = sorted(
        {language for language in (languages[row] for row in rows) if language} | set(documents.readers.spoken)
    )
    found = {}
    for name, made in fits.items():
        if isinstance(made, DocumentFit) or name not in LEARNED_LABELS or why_not(made, documents):
            continue
        user = made.user
        if user.max_grade < best_grade(opened):
            continue
        if user.minds_language:
            known = {each: meaning.get(each, each) for each in spoken if meaning.get(each, each) in user.languages}
            if not set(documents.readers.spoken) <= set(known):
                continue
            user = user.renamed(known)
        else:
            user = user.for_any_language()
        found[name] = Learned(user, log, made.sessions)
    return found

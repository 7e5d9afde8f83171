"""The command `warm`: compile the kernels ahead, so that nobody waits for them later."""

from __future__ import annotations

import io
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from multiprocessing import parent_process

import numpy as np

from rulerank.agreement import kendall_tau
from rulerank.campaign import Campaign, Kind, MemoryLog, Offer, Pool, Settings
from rulerank.cli.output import progress
from rulerank.clicks import bilingual_user, fit, made_up_lists, simulate_log
from rulerank.collection import Collection
from rulerank.discretize import Tube
from rulerank.export import make_bundle
from rulerank.export.lines import with_queries
from rulerank.kernels import workers
from rulerank.letor import read_letor, write_letor
from rulerank.letor.size import measure_source
from rulerank.metrics import evaluate
from rulerank.progress import Steps
from rulerank.ranking import LRAR
from rulerank.registry import discretizers, rankers, samplers
from rulerank.rules.index import MANY, RuleIndex
from rulerank.rules.mine import FEW
from rulerank.synthetic import planted_collection
from rulerank.text import DocumentText, QueryText, Texts, compute_features

BINS = 4
LABELS = 20
SMALL = (6, 12, 8)  # queries, documents of each, features


def warm() -> None:
    """Compile all kernels, on all cores; they are kept on disk, so this takes time only once."""
    with progress("preparing (once)", len(STEPS)) as bar:
        try:
            _together(Steps(bar, len(STEPS)))
        except (BrokenExecutor, ImportError, NotImplementedError, OSError):
            # No processes that talk to one another on this machine, or no memory for several at once.
            for step in STEPS:
                step(planted_collection(*SMALL))


def _together(step_done: Steps) -> None:
    """Take the steps in several processes."""
    processes = ProcessPoolExecutor(min(workers(), len(STEPS)), initializer=_stay_with_parent)
    try:
        for done in as_completed([processes.submit(step, planted_collection(*SMALL)) for step in STEPS]):
            done.result()
            step_done()
    finally:
        processes.shutdown(cancel_futures=True)


def _stay_with_parent() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _label(collection: Collection) -> None:
    """Label as two people do who come and go."""
    items = Tube(bins=BINS).fit_transform(collection.features)
    campaign = Campaign(MemoryLog(), Pool(items, collection.query_index), Settings(dwell_milliseconds=0))
    for person in (1, 2):
        offer = campaign.next(person)
        assert isinstance(offer, Offer)
        campaign.submit(person, offer.claim.token, offer.claim.row, Kind.GRADE, grade=1)
    campaign.undo(1)


def _measure(collection: Collection) -> None:
    """SizePass a ranking by every metric."""
    evaluate(collection.grades, collection.features[:, 0], collection.query_index)


def _use_texts(_: Collection) -> None:
    """Compute every feature of texts."""
    texts = Texts({"q": QueryText("open a file")}, {"d": DocumentText("open", "opens a file of this name")})
    compute_features(texts, [("q", "d")])


def _read_and_write(collection: Collection) -> None:
    """Read what is uploaded, and export it in every format; queries may have names, and features may come late."""
    file = io.BytesIO()
    write_letor(collection, file)
    file.write(b"1 qid:last 1:0.5 9:0.5\n")
    file.seek(0)
    measure_source(file)  # as the reader does for what is not small
    make_bundle(read_letor(file))
    with_queries(b"1 1:0.5\n", np.ones(1, dtype=np.int64))  # used where a check finds a difference


def _choose(collection: Collection) -> None:
    """Choose a few documents by every sampler, anew and after many labels."""
    items = Tube(bins=BINS).fit_transform(collection.features)
    RuleIndex(items).load(np.arange(MANY), collection.grades[:MANY])
    for entry in samplers:
        entry.value().run(
            items, collection.grades, features=collection.features, qids=collection.query_index, budget=12
        )


def _rank(collection: Collection) -> None:
    """Train every ranker, at once and label by label."""
    items = Tube(bins=BINS).fit_transform(collection.features)
    queries = collection.query_index
    for model in (*(entry.value() for entry in rankers), LRAR(min_support=0.5)):
        if isinstance(model, LRAR):
            model.watch(items)
        model.fit(items[:LABELS], collection.grades[:LABELS], queries[:LABELS])
        model.predict(items[:FEW], queries[:FEW])
        model.partial_fit(items[LABELS], 1, queries[LABELS])
        model.predict(items, queries)
    kendall_tau(np.arange(4.0), np.arange(4.0))


def _cut(collection: Collection) -> None:
    """Cut features into bins by every discretizer."""
    for method in (*(entry.value() for entry in discretizers), Tube(bins="cv")):
        method.fit_transform(collection.features, collection.grades)


def _click(_: Collection) -> None:
    """Fit a click model."""
    fit("eia", simulate_log(bilingual_user(), made_up_lists(20), 100))


STEPS = (_label, _read_and_write, _measure, _choose, _rank, _use_texts, _cut, _click)
"""The longest first, so that the cores end at about the same time."""

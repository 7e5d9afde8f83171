"""Benchmarks of reading, writing, discretizing, measuring, importing and exporting."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rulerank.bench.timing import Result, turns
from rulerank.discretize import MDLP, Tube
from rulerank.export import make_bundle
from rulerank.letor import read_letor, write_letor
from rulerank.metrics import evaluate
from rulerank.synthetic import planted_collection

QUERIES, DOCUMENTS, FEATURES = 625, 80, 46
MOST_SECONDS = 2.0


def bundles() -> Iterator[Result]:
    """Make a bundle of 50,000 documents in all formats, with a log of as many labels."""
    made = planted_collection(QUERIES, DOCUMENTS, FEATURES)
    values, grades, query = (part.copy() for part in (made.features, made.grades, made.query_index))
    log = [
        {"id": row + 1, "at": "2024-05-01T10:00:00+00:00", "kind": "grade", "person": "Ann", "qid": qid, "docid": docid,
         "row": row + 1, "grade": grade, "text": None, "undoes": None, "seconds": 1.5}
        for row, (qid, docid, grade) in enumerate(zip(made.qids, made.docids, grades.tolist(), strict=True))
    ]  # fmt: skip

    def ours() -> None:
        make_bundle(made, log)

    what = f"bundle of {len(made):,} x {FEATURES} in all formats with {len(log):,} events, checked"
    goal = f"under {MOST_SECONDS:g} s"
    try:
        from sklearn.datasets import dump_svmlight_file  # noqa: PLC0415  (a peer)
    except ImportError:
        (seconds,) = turns(ours, rounds=3)
        yield Result("export", what, f"{seconds:.2f} s", goal, seconds < MOST_SECONDS)
        return

    def dump() -> None:
        dump_svmlight_file(values, grades, io.BytesIO(), zero_based=False, query_id=query)

    seconds, theirs = turns(ours, dump, rounds=3)
    yield Result(
        "export",
        f"{what}: {seconds / theirs:.2f}x the time in which scikit-learn writes one svmlight file",
        f"{seconds:.2f} s",
        goal,
        seconds < MOST_SECONDS,
    )


def letor(data: Path | None) -> Iterator[Result]:
    """Read and write LETOR against scikit-learn's svmlight functions."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.txt"
        source = data / "S2.txt" if data and (data / "S2.txt").is_file() else None
        name = f"S2.txt of {source.parent.name}" if source else "a made-up file"
        if source is None:
            write_letor(planted_collection(200, 60, 46), path, decimals=6)
        source = source or path
        yield from _letor(source, name, Path(folder) / "out.txt")


def _letor(source: Path, name: str, out: Path) -> Iterator[Result]:
    collection = read_letor(source)
    size = source.stat().st_size / 1e6
    tracemalloc.start()
    kept = read_letor(source)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    arrays = kept.features.nbytes + kept.grades.nbytes + kept.query_index.nbytes
    held = arrays + sum(sys.getsizeof(text) for text in kept.comments) + sys.getsizeof(kept.comments)
    yield Result(
        "letor",
        f"memory while reading {name} ({size:.1f} MB)",
        f"{peak / held:.2f}x what results",
        "at most 2x",
        peak <= 2 * held,
    )
    try:
        from sklearn.datasets import dump_svmlight_file, load_svmlight_file  # noqa: PLC0415  (a peer)
    except ImportError:
        yield Result("letor", f"read and write {name}", "scikit-learn is not installed", "3x faster", None)
        return
    values, grades, query = (part.copy() for part in (collection.features, collection.grades, collection.query_index))
    ours, theirs = turns(lambda: read_letor(source), lambda: load_svmlight_file(str(source), query_id=True), rounds=7)
    yield Result(
        "letor",
        f"read {name}: {size / ours:.0f} MB/s",
        f"{theirs / ours:.1f}x faster",
        "at least 3x",
        theirs >= 3 * ours,
    )

    def dump() -> None:
        dump_svmlight_file(values, grades, str(out), zero_based=False, query_id=query)

    ours, theirs = turns(lambda: write_letor(collection, out), dump, rounds=7)
    yield Result("letor", f"write {name}", f"{theirs / ours:.1f}x faster", "at least 3x", theirs >= 3 * ours)


def discretizers() -> Iterator[Result]:
    """TUBE and MDLP on 30,000 values, against sorting them."""
    rng = np.random.default_rng(0)
    column = rng.random((30_000, 1))
    grades = rng.integers(0, 3, 30_000)
    tube, mdlp, plain = turns(
        lambda: Tube().fit(column), lambda: MDLP().fit(column, grades), lambda: np.sort(column, axis=0), rounds=9
    )
    yield Result(
        "discretize",
        f"TUBE, 30,000 values: {tube * 1e3:.1f} ms",
        f"{tube / plain:.1f}x a sort",
        "well under 1 s",
        tube < 0.5,
    )
    yield Result("discretize", f"MDLP, 30,000 values: {mdlp * 1e3:.1f} ms", f"{mdlp / plain:.1f}x a sort", "", None)


def measuring() -> Iterator[Result]:
    """Metrics against pytrec-eval-terrier and ranx, 1,000 queries x 1,000 documents."""
    queries, documents = 1_000, 1_000
    rng = np.random.default_rng(0)
    grades = rng.choice(3, queries * documents, p=(0.9, 0.07, 0.03))
    scores = rng.permutation(queries * documents) / 7.0
    qids = np.repeat(np.arange(queries), documents)

    def ours() -> None:
        evaluate(grades, scores, qids)

    try:
        import pytrec_eval  # noqa: PLC0415  (a peer)
    except ImportError:
        (seconds,) = turns(ours, rounds=5)
        yield Result("metrics", f"all metrics: {seconds:.2f} s", "pytrec-eval-terrier is not installed", "faster", None)
        return
    names = [str(number) for number in range(documents)]
    truth, run = (
        {
            str(q): dict(zip(names, values[q * documents : (q + 1) * documents].tolist(), strict=True))
            for q in range(queries)
        }
        for values in (grades, scores)
    )
    judge = pytrec_eval.RelevanceEvaluator(truth, {"map", "ndcg_cut.10", "P.10"})
    mine, theirs = turns(ours, lambda: judge.evaluate(run), rounds=5)
    work = f"all metrics and ties, 1,000 x 1,000: {mine * 1e3:.0f} ms"
    yield Result("metrics", f"{work}; pytrec-eval-terrier", f"{theirs / mine:.1f}x faster", "faster", theirs > mine)
    try:
        import ranx  # noqa: PLC0415  (a peer)
    except ImportError:
        yield Result("metrics", work, "ranx is not installed", "faster", None)
        return
    judged, ranked = ranx.Qrels(truth), ranx.Run(run)
    mine, theirs = turns(
        ours, lambda: ranx.evaluate(judged, ranked, ["map", "ndcg@10", "precision@10"], make_comparable=False), rounds=5
    )
    yield Result("metrics", f"{work}; ranx, warm", f"{theirs / mine:.1f}x faster", "faster", theirs > mine)


def importing() -> Iterator[Result]:
    """`import rulerank` in a new interpreter."""
    program = "import time; t = time.perf_counter(); import rulerank; print(time.perf_counter() - t)"
    seconds = [
        float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    best = min(seconds)
    yield Result("import", "import rulerank", f"{best:.2f} s", "under 1 s", best < 1)

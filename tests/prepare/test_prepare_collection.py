"""From texts to a collection: candidates, features, grades, languages, and files written whole or not at all."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest

from rulerank.errors import InputError
from rulerank.letor import read_letor
from rulerank.prepare import Gathered, Options, prepare, read_feature_names, write_prepared
from rulerank.prepare import write as writing
from rulerank.prepare.candidates import Search, average_precision, pool
from rulerank.ranking import QueryTermRules
from rulerank.text import Analyser, Corpus, DocumentText, QueryText, read_documents, read_queries

ENGLISH = "The {} of a wing in the wind tunnel was measured at several angles, and {} was found to grow with speed."


@pytest.fixture
def gathered():
    things = ("lift", "drag", "noise", "heat", "flutter", "lift lift")
    return Gathered(
        documents={
            f"d{n}": DocumentText(f"On {thing}", ENGLISH.format(thing, thing)) for n, thing in enumerate(things)
        },
        numbers={"views": {"d0": 5.0, "d1": 1.0}},
        queries={"q1": QueryText("lift of wings"), "q2": QueryText("drag"), "q3": QueryText("zzz")},
        judgements={"q1": {"d0": 2, "d3": 0}},
        runs={"mine.run": {"q2": ["d4", "d1", "d2"]}},
        kind="table",
    )


def test_a_collection_of_candidates(gathered):
    made = prepare(gathered, Options(candidates=2))
    collection = made.collection
    rows = list(zip(collection.qids, collection.docids, collection.grades.tolist(), strict=True))
    # q1: the best two of BM25 and the judged d3; q2: d1 by BM25 (no other holds it), d4 and d1 of the run.
    assert rows == [("q1", "d0", 2), ("q1", "d3", 0), ("q1", "d5", -1), ("q2", "d1", -1), ("q2", "d4", -1)]
    assert collection.feature_names[-1] == "views(document)"
    assert {"BM25(title)", "LM Dirichlet(body)", "closest pair(whole)"} <= set(collection.feature_names)
    assert ((collection.features >= 0) & (collection.features <= 1)).all()
    assert made.terms == {"q1": ("lift", "wing"), "q2": ("drag",)}
    assert set(made.texts.documents) == {"d0", "d1", "d3", "d4", "d5"}
    assert {text.language for text in made.texts.documents.values()} == {"en"}
    assert made.facts["bm25_queries"] == 1
    assert any("1 queries find no document" in note for note in made.notes)


def test_options(gathered):
    raw = prepare(gathered, Options(candidates=2, normalise=False, features=("length",), document_language="fr"))
    assert raw.collection.feature_names == ("length(title)", "length(body)", "length(whole)", "views(document)")
    assert raw.collection.features[0].tolist() == [2, 22, 24, 5]
    assert {text.language for text in raw.texts.documents.values()} == {"fr"}
    gathered.complete = True
    alone = prepare(gathered, Options(candidates=2))
    # What is not judged counts as 0; so judged documents come in by BM25 alone, and tell nothing by being there.
    assert [d for q, d in zip(alone.collection.qids, alone.collection.docids, strict=True) if q == "q1"] == ["d0", "d5"]
    assert (alone.collection.grades[:2] == [2, 0]).all()
    pooled = prepare(gathered, Options(candidates=2, judged="pool"))
    assert "d3" in list(pooled.collection.docids)
    with pytest.raises(InputError, match="judged is 'auto', 'pool' or 'leave'"):
        Options(judged="maybe")
    with pytest.raises(InputError, match="whole number of at least 0"):
        Options(candidates=-1)


def test_titles_that_nobody_has_give_no_features(gathered):
    gathered.documents = {k: DocumentText("", text.body) for k, text in gathered.documents.items()}
    names = prepare(gathered, Options(candidates=2)).collection.feature_names
    assert {name.partition("(")[2] for name in names} == {"body)", "document)"}


def test_queries_that_find_nothing_are_an_error():
    lost = Gathered(documents={"d": DocumentText("a", "b")}, queries={"q": QueryText("zzz")})
    with pytest.raises(InputError, match="no query finds a document"):
        prepare(lost)


def test_steps_are_told_and_can_stop(gathered):
    told = []
    prepare(gathered, progress=lambda done, total, what: told.append(what))
    assert list(dict.fromkeys(told)) == ["languages", "words", "index", "candidates", "features"]

    def stop(done, total, what):
        if what == "index":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(gathered, progress=stop)


def test_search_and_feature_agree(gathered):
    """bm25s's scores, which leave out the factor k1 + 1 as Lucene does, against our own feature."""
    made = prepare(gathered, Options(candidates=10, normalise=False))
    corpus = Corpus.build(gathered.documents, Analyser(("en",)))
    search = Search(corpus)
    column = made.collection.feature_names.index("BM25(whole)")
    for row, (qid, docid) in enumerate(zip(made.collection.qids, made.collection.docids, strict=True)):
        score = search.scores(made.terms[qid])[corpus.places[docid]]
        assert made.collection.features[row, column] == pytest.approx(2.2 * score, rel=1e-5)


def test_equal_scores_keep_the_order_of_documents():
    documents = {f"d{n}": DocumentText("", "same words") for n in range(9)} | {"e": DocumentText("", "other")}
    search = Search(Corpus.build(documents, Analyser(())))
    assert search.top(["same"], 3) == ["d0", "d1", "d2"]
    assert search.top(["same", "other"], 2) == ["e", "d0"]
    assert search.top(["nothing"], 3) == []
    assert len(search.top(["same"], 100)) == 9


def test_pool_takes_the_depth_of_every_source(gathered):
    corpus = Corpus.build(gathered.documents, Analyser())
    runs = {"a": {"q": ["d3", "d4"]}, "b": {"q": ["gone", "d1"]}}
    assert pool("q", ["d5", "d0"], runs, {"d2": 0}, 1, corpus) == ["d2", "d3", "d5"]


def test_average_precision_by_hand():
    assert average_precision(["a", "x", "b"], {"a": 1, "b": 2, "c": 1, "x": 0}) == pytest.approx((1 + 2 / 3) / 3)


def test_files_come_back_as_new_campaign_reads_them(gathered, tmp_path):
    made = prepare(gathered, Options(candidates=2))
    paths = write_prepared(made, tmp_path / "out.letor")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out.documents.jsonl",
        "out.features.txt",
        "out.letor",
        "out.prepared.json",
        "out.queries.jsonl",
    ]
    again = read_letor(paths["letor"])
    np.testing.assert_array_equal(again.features, made.collection.features)
    assert list(again.docids) == list(made.collection.docids)
    assert read_queries(paths["queries"]) == made.texts.queries
    assert read_documents(paths["documents"]) == made.texts.documents
    assert read_feature_names(paths["features"]) == made.collection.feature_names
    assert json.loads(paths["facts"].read_text())["documents"] == 6
    first = json.loads(paths["queries"].read_text().splitlines()[0])
    assert first["terms"] == ["lift", "wing"]


def test_query_terms_feed_the_ranker(gathered):
    made = prepare(gathered, Options(candidates=6, judged="pool"))
    collection = made.collection
    items = (collection.features > 0.5).astype(np.uint8)
    grades = np.arange(len(collection)) % 2
    with_terms = QueryTermRules(made.terms).fit(items, grades, collection.qids)
    assert np.isfinite(with_terms.predict(items, collection.qids)).all()


@pytest.mark.parametrize("failing", ["letor", "documents", "facts"])
def test_a_failure_leaves_what_was_there(gathered, tmp_path, monkeypatch, failing):
    made = prepare(gathered, Options(candidates=2))
    (tmp_path / "out.letor").write_text("before")
    count = 0
    wanted = {"letor": 0, "documents": 2, "facts": 4}[failing]
    for name in ("write_letor", "_write_lines"):
        original = getattr(writing, name)

        def stopped(*arguments, original=original):
            nonlocal count
            if count == wanted:
                raise KeyboardInterrupt
            count += 1
            return original(*arguments)

        monkeypatch.setattr(writing, name, stopped)
    with pytest.raises(KeyboardInterrupt):
        write_prepared(made, tmp_path / "out.letor")
    assert [path.name for path in tmp_path.iterdir()] == ["out.letor"]
    assert (tmp_path / "out.letor").read_text() == "before"


def test_ctrl_c_waits_while_files_are_put_in_place(gathered, tmp_path, monkeypatch):
    made = prepare(gathered, Options(candidates=2))
    real = writing.Path.replace

    def replace(self, target):
        if target.name == "out.prepared.json":  # the first of five
            os.kill(os.getpid(), signal.SIGINT)
        return real(self, target)

    monkeypatch.setattr(writing.Path, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        write_prepared(made, tmp_path / "out.letor")
    assert len(list(tmp_path.iterdir())) == 5
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_places_that_cannot_be_written(gathered, tmp_path):
    made = prepare(gathered, Options(candidates=2))
    with pytest.raises(InputError, match="does not exist"):
        write_prepared(made, tmp_path / "no" / "out.letor")
    (tmp_path / "out.features.txt").mkdir()
    with pytest.raises(InputError, match="it is a folder"):
        write_prepared(made, tmp_path / "out.letor")


@pytest.mark.parametrize("text", ["1 no tab\n", "2\tskipped\n", "1\t\n", "1\tone\n1\ttwo\n"])
def test_bad_names_of_features(tmp_path, text):
    path = tmp_path / "features.txt"
    path.write_text(text)
    with pytest.raises(InputError, match="a tab and the feature's name"):
        read_feature_names(path)

"""From documents and queries to a collection: candidates, features, grades, and the texts that go with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from rulerank.collection import UNLABELLED, Collection
from rulerank.collection.normalise import normalise_by_query
from rulerank.errors import InputError
from rulerank.memory import check_memory
from rulerank.prepare.candidates import Search, average_precision, pool
from rulerank.prepare.gathered import Gathered, LeftOut
from rulerank.progress import Progress, named, silent
from rulerank.text import DocumentText, Texts
from rulerank.text.analyser import Analyser
from rulerank.text.compute import features_of, text_feature, whole_query
from rulerank.text.corpus import FIELDS, Corpus
from rulerank.text.features import text_features
from rulerank.text.languages import MOST_SAMPLED, detect_language, languages_of
from rulerank.text.matches import Floats

DEPTH = 1000  # of the ranking that BM25 is measured by, as in trec_eval's runs
DOCUMENT_FIELD = "document"
PAIR_FIELD = "pair"
BYTES_PER_PAIR = 400  # a candidate: its ids, its comment and its places in tables
BYTES_PER_VALUE = 32  # a feature of a candidate: as it is computed, normalised, checked and kept


@dataclass(frozen=True)
class Options:
    """How a collection is prepared.

    >>> options = Options(candidates=50, languages=("en",))
    >>> options.candidates, options.judged, options.stemming
    (50, 'auto', True)
    """

    candidates: int = 100  # of BM25 and of each run, for each query
    judged: str = "auto"  # whether judged documents are candidates too: "pool", "leave", or by what is judged
    languages: tuple[str, ...] | None = None  # of the analyser; None: detected
    document_language: str | None = None  # of every document; None: as the file says, else detected
    stemming: bool = True
    stopping: bool = True
    normalise: bool = True  # features to 0..1 within each query
    features: tuple[str, ...] = ()  # by name, with parameters where they are not the usual ones; empty: all

    def __post_init__(self) -> None:
        if not isinstance(self.candidates, int) or self.candidates < 0:
            raise InputError(f"candidates must be a whole number of at least 0, not {self.candidates!r}")
        if self.judged not in ("auto", "pool", "leave"):
            raise InputError(f"judged is 'auto', 'pool' or 'leave', not {self.judged!r}")
        self.__dict__["features"] = tuple(dict.fromkeys(text_feature(each).key for each in self.features))


@dataclass(frozen=True)
class Prepared:
    """A collection with its texts, its queries' terms (for AR(R_q_d)), and what to know about it.

    >>> from rulerank.text import DocumentText, QueryText
    >>> texts = {"d1": DocumentText("Wings", "Lift of a wing"), "d2": DocumentText("Cats", "A cat sleeps")}
    >>> made = prepare(Gathered(documents=texts, queries={"q1": QueryText("wing lift")}, judgements={"q1": {"d1": 1}}))
    >>> made.collection.docids, made.collection.grades.tolist()
    (('d1',), [1])
    """

    collection: Collection
    texts: Texts  # of the queries, with their terms, and of the documents of the collection
    analyser: Analyser
    facts: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def terms(self) -> dict[str, tuple[str, ...]]:
        """The terms of each query, as AR(R_q_d) takes them."""
        return {qid: query.terms or () for qid, query in self.texts.queries.items()}


def prepare(gathered: Gathered, options: Options = Options(), *, progress: Progress = silent) -> Prepared:  # noqa: B008
    """Make a collection of what was gathered; `progress` gets the name of each stage and may raise to stop."""
    progress(0, None, "languages")
    analyser = choose_analyser(gathered, options)
    corpus = Corpus.build(gathered.documents, analyser, progress=named(progress, "words"))
    terms = {qid: analyser.query_words(whole_query(query)) for qid, query in gathered.queries.items()}
    chosen = (
        _given_pairs(gathered, terms) if gathered.pairs else _candidates(gathered, corpus, terms, options, progress)
    )
    pairs = chosen.pairs
    if not pairs:
        raise InputError("no query finds a document; are the queries and the documents in the same language?")
    _check_room(len(pairs), gathered, options, "bring fewer pairs")
    collection = _collection(gathered, corpus, terms, pairs, options, progress)
    documents = _documents(gathered, collection, analyser.languages, options, progress)
    notes = list(gathered.notes)
    notes += _notes_on_missing(gathered, collection)
    left_out = list(gathered.left_out)
    if chosen.empty:
        notes.append(f"{len(chosen.empty)} queries find no document and are left out (as {chosen.empty[0]})")
        left_out.append(LeftOut.of("queries", chosen.empty, "no document holds any of their words"))
    if unreached := [docid for docid in gathered.documents if docid not in documents]:
        why = "no query has them among its candidates, so nobody would see them; more candidates bring in more"
        left_out.append(LeftOut.of("documents", unreached, why))
        notes.append(left_out[-1].words)
    queries = {
        qid: replace(gathered.queries[qid], terms=tuple(dict.fromkeys(terms[qid]))) for qid in collection.queries
    }
    texts = Texts(queries, documents)
    facts = _facts(gathered, collection, documents, analyser, options, chosen.precisions)
    facts["left_out"] = [asdict(each) for each in left_out]
    return Prepared(collection, texts, analyser, facts, tuple(notes), tuple(left_out))


@dataclass
class _Chosen:
    """The pairs of a collection; the queries without any, and the average precision of BM25 for the judged ones."""

    pairs: list[tuple[str, str]] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    precisions: list[float] = field(default_factory=list)


def _given_pairs(gathered: Gathered, terms: dict[str, list[str]]) -> _Chosen:
    """Return the pairs as a table has them, the queries in their order: nothing is chosen, so nothing is lost."""
    places = {qid: place for place, qid in enumerate(terms)}
    return _Chosen(sorted(gathered.pairs, key=lambda pair: places[pair[0]]))


def _candidates(
    gathered: Gathered, corpus: Corpus, terms: dict[str, list[str]], options: Options, progress: Progress
) -> _Chosen:
    """Choose candidates by BM25, runs and judgements."""
    search = Search(corpus, progress=named(progress, "index"))
    pooled = options.judged == "pool" or (options.judged == "auto" and not gathered.complete)
    found = _Chosen()
    for done, (qid, asked) in enumerate(terms.items()):
        progress(done, len(terms), "candidates")
        judged = gathered.judgements.get(qid, {})
        ranked = search.top(asked, max(options.candidates, DEPTH if judged else 0))
        if any(grade > 0 for grade in judged.values()):
            found.precisions.append(average_precision(ranked[:DEPTH], judged))
        soon = len(found.pairs) + min(options.candidates, len(corpus))
        _check_room(soon, gathered, options, "choose fewer candidates for each query")
        chosen = pool(qid, ranked, gathered.runs, judged if pooled else {}, options.candidates, corpus)
        found.pairs += [(qid, docid) for docid in chosen]
        if not chosen:
            found.empty.append(qid)
    return found


def _check_room(pairs: int, gathered: Gathered, options: Options, hint: str) -> None:
    """Refuse so many pairs as the memory does not hold with their features."""
    more = len(gathered.numbers) + len(gathered.pair_numbers)
    width = len(FIELDS) * len(options.features or tuple(text_features)) + more
    words = f"{pairs:,} or more candidates with {width} features each"
    check_memory(pairs * (BYTES_PER_PAIR + BYTES_PER_VALUE * width), words, hint)


def _notes_on_missing(gathered: Gathered, collection: Collection) -> list[str]:
    """Say how many relevant documents are no candidates.

    Where only relevant documents are listed, those beyond the candidates' depth would come in by their relevance alone,
    and a ranker would learn that whatever does not match is relevant (T. Minka and S. Robertson, "Selection bias in
    the LETOR datasets", 2008). So they stay out, unless somebody asks for them.
    """
    relevant = sum(grade > 0 for judged in gathered.judgements.values() for grade in judged.values())
    found = int(np.count_nonzero(collection.grades > 0))
    if found == relevant:
        return []
    return [
        f"{found:,} of {relevant:,} relevant documents are among the candidates; more candidates find more, and "
        "pooling the judged ones too would tell a ranker which they are"
    ]


def choose_analyser(gathered: Gathered, options: Options) -> Analyser:
    """Return the analyser for the collection's languages: those that were named, that files name, or that are found."""
    languages = options.languages
    if languages is None:
        named = Counter(document.language for document in gathered.documents.values() if document.language)
        if sum(named.values()) * 2 > len(gathered.documents):
            least = 0.05 * sum(named.values())
            languages = tuple(code for code, count in named.most_common() if count >= least)
            if named[languages[0]] >= 0.8 * sum(named.values()):
                languages = languages[:1]
        else:
            documents = list(gathered.documents.values())
            every = max(1, len(documents) // MOST_SAMPLED)
            languages = languages_of(_sample(document) for document in documents[::every])
    return Analyser(languages, options.stemming, options.stopping)


def _sample(document: DocumentText) -> str:
    return f"{document.title}\n{document.body[:1000]}"


def _collection(
    gathered: Gathered,
    corpus: Corpus,
    terms: dict[str, list[str]],
    pairs: list[tuple[str, str]],
    options: Options,
    progress: Progress,
) -> Collection:
    titles, bodies = (bool(corpus.counts(name).length.any()) for name in FIELDS[:2])
    # Where a field is empty throughout, both together are the other one.
    fields = FIELDS if titles and bodies else FIELDS[:1] if titles else FIELDS[1:2]
    matrix, names = features_of(
        corpus, terms, pairs, features=options.features, fields=fields, progress=named(progress, "features")
    )
    matrix, names = _with_numbers(matrix, names, gathered, pairs)
    places = {qid: place for place, qid in enumerate(terms)}
    if options.normalise:
        matrix = normalise_by_query(matrix, np.array([places[qid] for qid, _ in pairs], np.int64))
    return Collection.from_arrays(
        matrix,
        [qid for qid, _ in pairs],
        [_grade(gathered, qid, docid) for qid, docid in pairs],
        docids=[docid for _, docid in pairs],
        feature_names=names,
    )


def _grade(gathered: Gathered, qid: str, docid: str) -> int:
    judged = gathered.judgements.get(qid)
    if judged is None:
        return UNLABELLED
    return judged.get(docid, 0 if gathered.complete else UNLABELLED)


def _with_numbers(
    matrix: Floats, names: tuple[str, ...], gathered: Gathered, pairs: list[tuple[str, str]]
) -> tuple[Floats, tuple[str, ...]]:
    """Add the columns of numbers that documents or pairs came with (links, clicks); one that is missing counts as 0."""
    columns = [np.array([known.get(docid, 0.0) for _, docid in pairs]) for known in gathered.numbers.values()]
    columns += [np.array([known.get(pair, 0.0) for pair in pairs]) for known in gathered.pair_numbers.values()]
    called = [f"{name}({DOCUMENT_FIELD})" for name in gathered.numbers]
    called += [f"{name}({PAIR_FIELD})" for name in gathered.pair_numbers]
    return np.column_stack([matrix, *columns]) if columns else matrix, (*names, *called)


def _documents(
    gathered: Gathered, collection: Collection, languages: tuple[str, ...], options: Options, progress: Progress
) -> dict[str, DocumentText]:
    """Return the texts of the collection's documents, with the language that was given, named or found."""
    wanted = set(collection.docids)
    found = {}
    for done, docid in enumerate(docid for docid in gathered.documents if docid in wanted):
        if done % 100 == 0:
            progress(done, len(wanted), "languages")
        document = gathered.documents[docid]
        language = options.document_language or document.language or detect_language(_sample(document), languages)
        found[docid] = document if language == document.language else replace(document, language=language)
    return found


def _facts(
    gathered: Gathered,
    collection: Collection,
    documents: dict[str, DocumentText],
    analyser: Analyser,
    options: Options,
    precisions: list[float],
) -> dict[str, Any]:
    graded = int(np.count_nonzero(collection.grades != UNLABELLED))
    facts: dict[str, Any] = {
        "format": gathered.kind,
        "encodings": gathered.files,
        "documents": len(gathered.documents),
        "documents_of_pairs": len(documents),
        "queries": len(gathered.queries),
        "judgements": sum(map(len, gathered.judgements.values())),
        "runs": list(gathered.runs),
        "analyser": analyser.label,
        "languages": dict(Counter(text.language or "unknown" for text in documents.values()).most_common()),
        "candidates": None if gathered.pairs else options.candidates,
        "normalised": options.normalise,
        "rows": len(collection),
        "rows_with_grade": graded,
        "features": len(collection.feature_names),
    }
    if options.features:
        facts["text_features"] = list(options.features)
    if precisions:
        facts["bm25_map"] = float(np.mean(precisions))
        facts["bm25_queries"] = len(precisions)
    return facts

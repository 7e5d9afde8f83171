"""How texts become a collection, as somebody chooses it: candidates, languages, and which column is what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from pages.shared.layout import plain, side_by_side
from pages.shared.params_form import ask_one_of_several
from rulerank.errors import InputError
from rulerank.prepare import Columns, Options, TableHead, TextReading
from rulerank.text.features import text_features
from rulerank.text.languages import LANGUAGES

ENCODING = "texts-encoding"
ENCODINGS = {
    "": "Detect it, file by file",
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252 (Western Europe)",
    "iso8859-1": "ISO 8859-1 (Latin 1)",
    "iso8859-15": "ISO 8859-15 (Latin 9)",
    "cp1250": "Windows-1250 (Central Europe)",
    "iso8859-2": "ISO 8859-2 (Latin 2)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Russian)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp949": "CP949 (Korean)",
    "mac_roman": "Mac Roman",
    "cp850": "DOS, code page 850",
}
UNJUDGED = {
    "auto": "As the format means it",
    "unknown": "Nobody knows yet",
    "zero": "They count as grade 0",
}
JUDGED = {
    "auto": "Where it does no harm",
    "pool": "Always",
    "leave": "Only if BM25 or a run finds them",
}


def chosen_encoding() -> str | None:
    """Return the encoding that somebody has chosen; asked for below what it decides, so it is looked up."""
    return st.session_state.get(ENCODING) or None


def ask_options(how: TextReading, *, pairs: bool = False) -> tuple[TextReading, Options]:
    """Ask how texts are read and prepared; returns `how` completed by what was chosen.

    pairs: whether a table says which documents belong to a query, so that no candidates are chosen.
    """
    candidates = Options().candidates
    if not pairs:
        candidates = st.number_input(
            "Candidates for each query", 1, 10_000, candidates, key="texts-candidates", width=260,
            help="The best documents by BM25, and as many of each run. Each is one query-document pair to label.",
        )  # fmt: skip
    with st.expander("More settings", icon=":material/tune:", key="texts-more"):
        st.caption("All of them have values that work. What was detected is shown once the collection is prepared.")
        features = _ask_features()
        left, right = side_by_side("texts-options")
        with left:
            languages, stemming, stopping = _ask_words()
            normalise = st.toggle("Bring features to 0..1 within each query", True, key="texts-normalise")
            st.caption("As LETOR's QueryLevelNorm, so that queries can be compared. Off: values stay as computed.")
        with right:
            encoding, unjudged = _ask_reading(pairs)
            judged = "auto" if pairs else _ask(
                "Judged documents as candidates", JUDGED, "judged",
                "Where only relevant documents are judged, pooling them all would tell a ranker which they are: then "
                "they come in by BM25 and runs alone. Elsewhere all judged documents are candidates.",
            )  # fmt: skip
    options = Options(
        candidates=int(candidates),
        judged=judged,
        languages=languages or None,
        document_language=languages[0] if len(languages) == 1 else None,
        stemming=stemming,
        stopping=stopping,
        normalise=normalise,
        features=features,
    )
    return replace(how, encoding=encoding, unjudged=unjudged), options


def _ask_features() -> tuple[str, ...]:
    """Ask which text features are computed, and for their parameters; nothing stands for all as they are."""
    labels = {entry.name: entry.label for entry in text_features}
    chosen = st.multiselect(
        "Text features", list(labels), format_func=labels.__getitem__, key="texts-features", placeholder="All of them"
    )
    row = st.container(horizontal=True)
    asked = []
    for name in chosen or labels:
        with row:
            asked.append(ask_one_of_several(text_features, name, place="texts", folded=st.popover))
    changed = [each.label(text_features) for each in asked if each.params]
    if changed:
        st.caption(plain(f"Other than usual: {', '.join(changed)}."))
    return tuple(each.key for each in asked) if chosen or changed else ()


def _ask_words() -> tuple[tuple[str, ...], bool, bool]:
    """Ask for the analyser: languages, stems and stop words."""
    codes = sorted(LANGUAGES, key=lambda code: (LANGUAGES[code], code))
    languages = st.multiselect(
        "Languages of the texts", codes, format_func=lambda code: f"{LANGUAGES[code]} ({code})",
        key="texts-languages", placeholder="Detect them",
    )  # fmt: skip
    st.caption("They decide how words are stemmed and which words are left out of queries. With several, no stems.")
    stemming = st.toggle("Bring forms of a word together", True, key="texts-stemming")
    st.caption("Snowball's stems: compressing and compressed count as one word. Off: words must be equal.")
    stopping = st.toggle("Leave stop words out of queries", True, key="texts-stopping")
    st.caption("Words such as 'the' and 'of' say nothing about what is sought. Documents keep theirs.")
    return tuple(languages), stemming, stopping


def _ask_reading(pairs: bool) -> tuple[str | None, str]:
    """Ask how the files are read."""
    encoding = st.selectbox("Encoding of the files", list(ENCODINGS), format_func=ENCODINGS.__getitem__, key=ENCODING)
    st.caption("Choose one if letters with accents, or of other scripts, come out wrong.")
    if pairs:
        return encoding or None, "auto"
    unjudged = _ask(
        "Candidates without a judgement", UNJUDGED, "unjudged",
        "SMART's collections list relevant documents alone, so there every other candidate of a judged query counts "
        "as 0. In other formats nobody has looked at them.",
    )  # fmt: skip
    return encoding or None, unjudged


def _ask(label: str, choices: dict[str, str], key: str, words: str) -> str:
    """Ask for one of a few choices; a sentence below says what the first one does."""
    chosen = st.selectbox(label, list(choices), format_func=choices.__getitem__, key=f"texts-{key}")
    st.caption(words)
    return chosen


PARTS = {
    "documents": {
        "title": "Title",
        "body": "Text",
        "language": "Language",
        "numbers": "Numbers that become features (popularity, links)",
    },
    "queries": {"text": "Query", "need": "Need behind it, for annotators"},
    "pairs": {
        "text": "Query",
        "body": "Text of the document",
        "title": "Title of the document",
        "grade": "Grade (whole numbers)",
        "url": "Address, by which documents without an id are recognised",
        "qid": "Id of the query",
        "need": "Need behind the query, for annotators",
        "language": "Language",
        "numbers": "Numbers that become features (clicks, popularity)",
    },
}
ONE = {"grade", "url", "qid", "language"}
"""Parts that one column holds; of the others, several may be joined."""

NO_COLUMN = ""
SHOWN = 3
LONGEST_CELL = 200


def ask_columns(what: str, file: str, head: TableHead) -> Columns:
    """Ask which columns of `what` ("documents", "queries" or "pairs") hold the id and the texts; several are joined."""
    st.markdown(f"**{what.capitalize()}** · {plain(file)}")
    key = f"texts-{what}-{file}"
    head = with_names(head, key)
    twice = next((name for name in head.names if head.names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{file}: two columns are called {twice!r}; give one of them another name")
    cells = [[cell[:LONGEST_CELL] for cell in row] for row in head.rows[:SHOWN]]
    frame = pd.DataFrame(cells, columns=list(head.names))
    st.dataframe(frame, hide_index=True, alt=f"The first rows of the {what}")
    key = f"{key}-{'-'.join(head.names)}"
    names, guess = list(head.names), head.guess
    ids = [NO_COLUMN, *names] if what == "pairs" else names
    place = ids.index(guess.id) if guess and guess.id in ids else 0
    if what == "pairs":
        halves = side_by_side("pairs-parts")
    else:
        above, below = st.container(), st.container()  # the id first
        halves = (below, above)
    chosen = {}
    for number, (part, label) in enumerate(PARTS[what].items()):
        # Of pairs, what is needed stands to the left, and what is seldom there to the right.
        with halves[number > 3]:
            chosen[part] = _ask_part(label, names, known(guess, part, names), f"{key}-{part}", single=part in ONE)
    with halves[1]:
        label = "Id of the document" if what == "pairs" else "Id"
        chosen_id = st.selectbox(label, ids, place, key=f"{key}-id", format_func=_said_column)
    return Columns(id=chosen_id, **chosen)


def _ask_part(label: str, names: list[str], first: list[str], key: str, *, single: bool) -> tuple[str, ...]:
    """Ask for the columns of one part: one of them, or several."""
    if not single or len(first) > 1:
        return tuple(st.multiselect(label, names, first, key=key, placeholder=_said_column("")))
    offered = [NO_COLUMN, *names]
    place = offered.index(first[0]) if first else 0
    found = st.selectbox(label, offered, place, key=key, format_func=_said_column)
    return (found,) if found else ()


def _said_column(name: str) -> str:
    return name or "No column"


def said_columns(columns: Columns) -> str:
    """Return in a few words which column was taken for what."""
    short = {"text": "query", "body": "text", "id": "document id", "url": "address", "qid": "query id"}
    parts = {**{part: getattr(columns, part) for part in PARTS["pairs"]}, "id": (columns.id,) if columns.id else ()}
    return ", ".join(f"{short.get(part, part)} = {' + '.join(names)}" for part, names in parts.items() if names)


def with_names(head: TableHead, key: str) -> TableHead:
    """Let people say that the first row holds names, where a table's columns go by their numbers."""
    numbers = tuple(str(number) for number in range(1, len(head.names) + 1))
    first = head.rows[0] if head.rows else ()
    fit = len(set(first)) == len(first) and all(cell.strip() for cell in first)
    if head.names != numbers or len(head.rows) < 2 or not fit:
        return head
    if not st.toggle("The first row names the columns", key=f"{key}-named"):
        return head
    return TableHead(tuple(cell.strip() for cell in first), head.rows[1:], None)


def known(guess: Columns | None, part: str, names: Sequence[str]) -> list[str]:
    """Return the columns that are chosen at first."""
    return [name for name in getattr(guess, part) if name in names] if guess else []

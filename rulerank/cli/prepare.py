"""The command `prepare`: from a folder of texts to a collection that can be labelled."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rulerank.cli.output import note, print_json, progress, say, table
from rulerank.cli.source import AsJson
from rulerank.collection.fields import MAX_GRADE
from rulerank.errors import InputError
from rulerank.foreign.numbers import NumberError, whole_number
from rulerank.progress import named

if TYPE_CHECKING:
    from rulerank.prepare import Prepared

Paths = list[Path]

CALLED = {
    "documents": "documents that were read",
    "documents_of_pairs": "documents in pairs",
    "rows": "query-document pairs",
    "rows_with_grade": "pairs with a grade",
    "candidates": "candidates asked for, per query",
}


def prepare_texts(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="Folder (or zip) with documents, queries and, if there are any, judgements and runs; or one "
            "table (Excel, CSV, TSV, JSONL) with a query and a document in every row.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="LETOR file to write; the texts and names are written beside it.")],
    candidates: Annotated[int, typer.Option(help="Documents of each query, by BM25 and of each run.", min=0)] = 100,
    kind: Annotated[
        Literal["beir", "trec", "smart", "table", "pairs"] | None,
        typer.Option(
            "--format",
            help="Format, if it cannot be detected: BEIR, TREC, SMART, tables (Excel, CSV, TSV, JSONL), "
            "or pairs: one table.",
        ),
    ] = None,
    documents: Annotated[
        Paths, typer.Option(metavar="FILE", help="File of documents, if its name does not say so.")
    ] = [],  # noqa: B006
    queries: Annotated[Paths, typer.Option(metavar="FILE", help="File of queries, if its name does not say so.")] = [],  # noqa: B006
    qrels: Annotated[Paths, typer.Option(metavar="FILE", help="File of judgements, if its name does not say so.")] = [],  # noqa: B006
    run: Annotated[
        Paths, typer.Option(metavar="FILE", help="TREC run to pool with BM25; may be given several times.")
    ] = [],  # noqa: B006
    document_columns: Annotated[
        str | None,
        typer.Option(help="Columns of documents, as id=ID,title=Name,body=Abstract+Text,language=Lang,numbers=Views."),
    ] = None,
    query_columns: Annotated[
        str | None, typer.Option(help="Columns of queries, as id=ID,text=Query,need=Description.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns of one table of pairs, as query=Question,body=Answer,title=Name,grade=Label,id=SKU."
        ),
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of the files (default: detected).")] = None,
    language: Annotated[
        str | None, typer.Option(help="Language of the texts, such as en or en,fr (default: detected).")
    ] = None,
    stemming: Annotated[bool, typer.Option(help="Bring forms of a word together.")] = True,
    stop_words: Annotated[bool, typer.Option(help="Leave words such as 'the' out of queries.")] = True,
    features: Annotated[
        str | None,
        typer.Option(
            help="Text features, by comma (default: all of them). Parameters follow a name: bm25:k1=0.9; they are "
            "listed below. With 'all' among them the others come beside all usual ones."
        ),
    ] = None,
    normalise: Annotated[bool, typer.Option(help="Bring features to 0..1 within each query, as LETOR does.")] = True,
    grades: Annotated[
        str | None, typer.Option(help="What grades of the judgements become, as 1=4,2=3,3=2,4=1,-1=0.")
    ] = None,
    unjudged: Annotated[
        Literal["auto", "unknown", "zero"],
        typer.Option(help="Grade of candidates without a judgement; auto: unknown, but zero for SMART."),
    ] = "auto",
    judged: Annotated[
        Literal["auto", "pool", "leave"],
        typer.Option(help="Judged documents as candidates too; auto: pool them, but not where all others count as 0."),
    ] = "auto",
    json_: AsJson = False,
) -> None:
    """Make a collection of documents and queries: candidates by BM25, named features, texts.

    Reads BEIR, TREC and SMART collections, Excel, CSV, TSV and JSONL; plain or compressed. Of one table with a query
    and a document in every row, all pairs are kept as they are. Writes beside `--out` the texts of queries and
    documents as New campaign takes them, the features' names, what was done, and what was left out and why.

    - `rulerank prepare cran --out cran.letor`
    - `rulerank prepare pairs.csv --out pairs.letor`
    - `rulerank prepare shop --out shop.letor --document-columns id=SKU,title=Name,body=Text,numbers=Sales`
    """
    # Other commands need none of this, and start sooner without it.
    from rulerank.prepare import (  # noqa: PLC0415
        Columns,
        Options,
        TextReading,
        prepare,
        read_collection,
        write_prepared,
    )

    how = TextReading(
        kind=kind,
        documents=tuple(map(str, documents)),
        queries=tuple(map(str, queries)),
        judgements=tuple(map(str, qrels)),
        runs=tuple(map(str, run)),
        document_columns=Columns.parse(document_columns) if document_columns else None,
        query_columns=Columns.parse(query_columns) if query_columns else None,
        pair_columns=Columns.parse(columns, "pairs") if columns else None,
        encoding=encoding,
        grades=_grades(grades) if grades else None,
        unjudged=unjudged,
    )
    codes = tuple(code.strip().lower() for code in language.split(",")) if language else None
    options = Options(
        candidates=candidates,
        judged=judged,
        languages=codes,
        document_language=codes[0] if codes and len(codes) == 1 else None,
        stemming=stemming,
        stopping=stop_words,
        normalise=normalise,
        features=_features(features) if features else (),
    )
    if not out.parent.is_dir():
        raise InputError(f"cannot write {out}: the folder {out.parent} does not exist")
    with progress(quiet=json_) as bar:
        gathered = read_collection(source, how, progress=named(bar, "reading"))
        prepared = prepare(gathered, options, progress=bar)
        bar(0, None, "writing")
        paths = write_prepared(prepared, out)
    if json_:
        written = {what: os.fspath(path) for what, path in paths.items()}
        print_json({**prepared.facts, "notes": list(prepared.notes), "files": written})
        return
    _print(prepared)
    say(f"written: {', '.join(map(str, paths.values()))}")


def _features(text: str) -> tuple[str, ...]:
    from rulerank.text.features import text_features  # noqa: PLC0415 (other commands start sooner without it)

    given = [part.strip() for part in text.split(",")]
    return tuple(name for part in given for name in (text_features.names() if part == "all" else [part]))


def _print(prepared: Prepared) -> None:
    for each in prepared.notes:
        note(each)
    # What was left out stands in the notes above; all of it is in the file beside the collection.
    shown = {name: value for name, value in prepared.facts.items() if name != "left_out"}
    rows = [(CALLED.get(name, name.replace("_", " ")), _short(value)) for name, value in shown.items()]
    table("Prepared", ["what", "value"], rows, text=2)


def _short(value: object) -> str:
    if value is None:
        return "all pairs of the table"
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, dict):
        shown = [f"{key}: {each}" for key, each in list(value.items())[:8]]
        return ", ".join([*shown, "..."] if len(value) > 8 else shown) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _grades(text: str) -> dict[int, int]:
    try:
        pairs = [pair.split("=") for pair in text.split(",")]
        return {whole_number(old): whole_number(new, least=0, most=MAX_GRADE) for old, new in pairs}
    except NumberError as error:
        raise InputError(f"grades are given as OLD=NEW,OLD=NEW with whole numbers: {error}") from None
    except ValueError:
        raise InputError(f"grades are given as OLD=NEW,OLD=NEW with whole numbers, not {text!r}") from None

"""Options that several commands share, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rulerank.metrics import conventions
from rulerank.registry import Registry, discretizers, rankers, samplers


def _words(what: str, registry: Registry[Any], example: str) -> str:
    """Name all strategies of a kind, and say how one of them is given parameters."""
    return f"{what}: {', '.join(registry.names())}. Parameters follow its name: {example}."


Files = Annotated[
    list[Path],
    typer.Argument(
        help="LETOR files (plain, gz, xz, bz2 or zip); several are read as one collection.", show_default=False
    ),
]
EncodingName = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="Encoding of the LETOR files, if they are not UTF-8: cp1252, latin-1, ...",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of tables.")]
Method = Annotated[str, typer.Option(help=_words("Discretiser", discretizers, "tube:bins=8"))]
Bins = Annotated[int | None, typer.Option(help="Number of bins, where the discretiser takes one.", min=1, max=256)]
SamplerName = Annotated[str, typer.Option(help=_words("Sampler", samplers, "ssarp:partitions=8"))]
RankerName = Annotated[str, typer.Option(help=_words("Ranker", rankers, "lrar:average=antecedents"))]
Antecedent = Annotated[int, typer.Option(help="Largest number of items in a rule's antecedent.", min=1, max=3)]
OwnAntecedent = Annotated[
    int | None,
    typer.Option(help="Largest number of items in a rule's antecedent; by default the ranker's own.", min=1, max=3),
]
ConventionName = Annotated[str, typer.Option(help=f"Whose rules for the metrics: {', '.join(conventions.names())}.")]
Seed = Annotated[int, typer.Option(help="Seed of the samplers that draw at random.")]

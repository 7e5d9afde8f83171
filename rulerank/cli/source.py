"""How the commands read collections and make items of them, and the options that several of them share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rulerank.cli.output import note, progress
from rulerank.collection import Collection
from rulerank.discretize import Discretizer
from rulerank.errors import InputError, RulerankError
from rulerank.foreign.decoding import decode_whole, parse_json
from rulerank.letor import read_letor
from rulerank.memory import check_memory
from rulerank.metrics import conventions
from rulerank.registry import Registry, discretizers, rankers, samplers
from rulerank.strategy import Param, Strategy, as_text


def strategies_help(*kinds: tuple[str, Registry[Any]]) -> str:
    """Return the end of a command's help: every strategy of these kinds, and what its parameters are.

    kinds: the option that names one, and the registry. All of it is what the registered classes say of themselves.
    """
    return "\n\n".join(_listing(option, registry) for option, registry in kinds)


def _listing(option: str, registry: Registry[Any]) -> str:
    lines = []
    for entry in registry:
        lines.append(f"- `{entry.name}`: {entry.summary}")
        lines += [
            f"    - `{param.name}={as_text(param.default)}`: {_param_words(param)}" for param in entry.value.params
        ]
    return f"**{option}**\n\n" + "\n".join(lines)


def _param_words(param: Param) -> str:
    counted = ", counted from 0" if param.counts_from_zero else ""
    return f"{param.help.removesuffix('.')} ({param.values}{counted})."


def flag_help(registry: Registry[Any], name: str) -> str:
    """Return the help of a flag that stands for a parameter: what it is for, and which strategies have it."""
    said: dict[str, list[str]] = {}
    for entry in registry:
        for param in entry.value.params:
            if param.name == name:
                said.setdefault(param.help, []).append(entry.name)
    spelled = "; ".join(f"{', '.join(names)}: {words.removesuffix('.')}" for words, names in said.items())
    return f"For {spelled}; by default the strategy's own."


def _words(what: str, registry: Registry[Any], example: str) -> str:
    """Name all strategies of a kind, and say how one of them is given parameters."""
    return f"{what}: {', '.join(registry.names())}. Parameters follow its name: {example}; they are listed below."


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
Method = Annotated[str, typer.Option(help=_words("Discretizer", discretizers, "tube:bins=8"))]
Bins = Annotated[int | None, typer.Option(help="Number of bins, where the discretizer takes one.", min=1, max=256)]
SamplerName = Annotated[str, typer.Option(help=_words("Sampler", samplers, "ssarp:partitions=8"))]
RankerName = Annotated[str, typer.Option(help=_words("Ranker", rankers, "lrar:average=antecedents"))]
Antecedent = Annotated[
    int | None,
    typer.Option(help="Largest number of items in a rule's antecedent; by default the strategy's own.", min=1, max=3),
]
ConventionName = Annotated[str, typer.Option(help=f"Whose rules for the metrics: {', '.join(conventions.names())}.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the samplers that draw at random (default: 0).", min=0)]


def read_text(path: Path) -> str:
    """Read a small file whole; an InputError says why it cannot be read, or where it is no text."""
    try:
        check_memory(2 * path.stat().st_size, f"{path}: a file of this size")
        return decode_whole(path.read_bytes(), str(path))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def read(paths: list[Path], *, quiet: bool = False, encoding: str | None = None) -> Collection:
    """Read one or several LETOR files as one collection, and say on standard error what was odd about them."""
    parts = []
    with progress("reading", len(paths), quiet=quiet) as bar:
        for done, path in enumerate(paths, 1):
            parts.append(read_letor(path, encoding=encoding))
            bar(done)
    collection = parts[0] if len(parts) == 1 else Collection.concat(parts)
    if not quiet:
        for warning in collection.warnings:
            note(warning)
    return collection


def named(registry: Registry[Any], text: str, **flags: Any) -> Strategy:
    """Return the strategy that a text names, such as `ssarp:partitions=8`.

    Of the command's flags it gets those that it has as parameters, unless they are None or the text gives them itself.
    """
    read = Strategy.parse(text)
    has = registry[read.name].has_param
    given = {name: value for name, value in flags.items() if value is not None and has(name)}
    return Strategy(read.name, {**given, **read.params}, read.seeds)


def discretizer_for(collection: Collection, method: str, bins: int | None) -> Discretizer:
    """Fit the named discretizer to a collection."""
    fitted: Discretizer = named(discretizers, method, bins=bins).make(discretizers)
    numbered = all(name == str(place) for place, name in enumerate(collection.feature_names, 1))
    names = None if numbered else collection.feature_names
    fitted.fit(collection.features, collection.grades, feature_names=names)
    return fitted


def load_discretizer(path: Path) -> Discretizer:
    """Read edges that `rulerank discretize --edges` wrote."""
    try:
        saved = parse_json(read_text(path))
        if not isinstance(saved, dict):
            raise InputError("it is no JSON object")
        return Discretizer.from_dict(saved)
    except RulerankError as error:
        raise InputError(
            f"{path} is not a file of edges as `rulerank discretize --edges` writes it: {error}"
        ) from error

"""What the commands share on the way out: tables for people, JSON for machines, progress.

Everything that is said is data: names of files, ids and messages stand as they are. rich would take `[red]` for a
style and `:100:` for an emoji, so no text goes to it but as a `Text`; what is styled, we style ourselves.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from rulerank.foreign.storable import readable
from rulerank.progress import Progress

WIDTH_OF_FILES = 150  # columns for output that goes to a file or a pipe, where no terminal says its width

_CONTROLS = {code: repr(chr(code))[1:-1] for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


def _console(**options: Any) -> Console:
    return Console(highlight=False, markup=False, emoji=False, **options)


console = _console()
if not console.is_terminal and "COLUMNS" not in os.environ:
    console = _console(width=WIDTH_OF_FILES)
stderr = _console(stderr=True)


def plain(text: object, style: str = "") -> Text:
    """Return a text as it is to be shown: literally, with escapes for what would steer a terminal or is no text."""
    return Text(readable(str(text)).translate(_CONTROLS), style=style)


def _led(lead: str, style: str, message: object) -> Text:
    return Text.assemble(plain(lead, style), " ", plain(message)) if lead else plain(message)


def complain(message: str) -> None:
    """Print an error for people, on standard error."""
    stderr.print(_led("error:", "bold red", message), soft_wrap=True)


def note(message: object) -> None:
    """Print what people should know, on standard error."""
    stderr.print(_led("note:", "yellow", message), soft_wrap=True)


def say(message: str, *, lead: str = "", style: str = "bold") -> None:
    """Print a line of prose on standard output, literally; `lead` stands before it in a style."""
    console.print(_led(lead, style, message))


def print_json(value: Any) -> None:
    """Print a value as JSON on standard output, numpy's numbers and arrays included."""
    sys.stdout.write(json.dumps(value, default=_plain, indent=1, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"cannot be written as JSON: {type(value).__name__}")


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, text: int = 1, caption: str | None = None
) -> None:
    """Print a table; the first `text` columns are prose and may wrap, the others are figures and do not."""
    grid = Table(
        title=plain(title),
        title_justify="left",
        caption=None if caption is None else plain(caption),
        caption_justify="left",
        title_style="bold",
    )
    for place, column in enumerate(columns):
        if place < text:
            grid.add_column(plain(column), overflow="fold")
        else:
            grid.add_column(plain(column), justify="right", no_wrap=True)
    for row in rows:
        grid.add_row(*(plain(f"{cell:.4f}" if isinstance(cell, float) else cell) for cell in row))
    console.print(grid)


@contextmanager
def progress(what: str = "", total: int | None = None, *, quiet: bool = False) -> Iterator[Progress]:
    """Show a bar on standard error (only where that is a terminal); yields what moves it.

    With a name, the bar keeps it and counts in numbers. Without one it takes the name of each stage as that is
    reported, begins anew with each, and counts in percent.
    """
    bar = Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn() if what else TaskProgressColumn(),
        TimeElapsedColumn(),
        console=stderr,
        transient=True,
        disable=quiet or not stderr.is_terminal,
    )
    with bar:
        task = bar.add_task(what or "starting", total=total)
        shown = what

        def report(done: int, total: int | None = None, stage: str = "", /) -> None:
            nonlocal shown
            if not what and stage != shown:
                shown = stage
                bar.reset(task, description=stage)
            bar.update(task, completed=done, total=total)

        yield report

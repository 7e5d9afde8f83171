"""What the commands share on the way out: tables for people, JSON for machines, progress, files written whole."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from rulerank.errors import InputError

WIDTH_OF_FILES = 150  # columns for output that goes to a file or a pipe, where no terminal says its width

console = Console(highlight=False)
if not console.is_terminal and "COLUMNS" not in os.environ:
    console = Console(highlight=False, width=WIDTH_OF_FILES)
stderr = Console(stderr=True, highlight=False)


def complain(message: str) -> None:
    """Print an error for people, on standard error."""
    stderr.print(f"[bold red]error:[/bold red] {escape(message)}", soft_wrap=True)


def say(message: str) -> None:
    """Print a line of prose on standard output; rich's markup applies."""
    console.print(message)


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
    grid = Table(title=title, title_justify="left", caption=caption, caption_justify="left", title_style="bold")
    for place, column in enumerate(columns):
        if place < text:
            grid.add_column(column, overflow="fold")
        else:
            grid.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        grid.add_row(*(f"{cell:.4f}" if isinstance(cell, float) else escape(str(cell)) for cell in row))
    console.print(grid)


@contextmanager
def progress(what: str, total: int | None, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error (only where that is a terminal); yields a function that advances it."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=stderr,
        transient=True,
        disable=quiet or not stderr.is_terminal,
    )
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda step: bar.advance(task, step)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that takes its place at the end, or vanishes if anything goes wrong."""
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"cannot write {path}: the folder {folder} does not exist")
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=f".{path.name}.", suffix=".tmp")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    os.close(handle)
    try:
        yield Path(name)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)

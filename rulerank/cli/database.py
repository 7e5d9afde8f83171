"""The commands about the app's database: `backup`, `restore` and `admin reset-password`.

They work where the app is, and not only its library: the module `db.commands` does the work, and is imported when one
of these commands is called. No other file of the library knows that there is a database.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from rulerank.cli.output import plain
from rulerank.errors import InputError, RulerankError

VARIABLE = "RULERANK_DATABASE"
USUAL = "sqlite:///rulerank.db"

DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help=f"sqlite:///path/to/file.db or postgresql://...; else ${VARIABLE}, which no list of processes shows.",
    ),
]

admin = typer.Typer(
    help="Look after accounts, on the server's own shell.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def backup(
    file: Annotated[
        Path, typer.Argument(help="The file to write, a new one; or a folder, where it gets a name with the time.")
    ],
    database: DatabaseUrl = None,
) -> None:
    """Back up the app's whole database into one file, also while people label; whole or not at all.

    Exit code 1 says that there is no backup, or that the database holds something that a restore would refuse. A plain
    copy of a running database is not a backup.
    """
    _print(_commands().write_backup(_url(database) or USUAL, file))


def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")],
    database: DatabaseUrl = None,
    overwrite: Annotated[
        bool, typer.Option(help="Replace an existing SQLite database; what it was is kept beside it.")
    ] = False,
) -> None:
    """Make a database of a backup, once every byte and every value of it is proven."""
    url = _url(database)
    if url is None:
        raise InputError(f"into which database? Give --database sqlite:///path/to/new.db, or set {VARIABLE}")
    _print(_commands().restore_backup(file, url, overwrite=overwrite))


@admin.command("reset-password")
def reset_password(
    name: Annotated[str, typer.Argument(help="The person, as People lists them.")],
    database: DatabaseUrl = None,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Read the password from standard input, one line; else it is asked for.")
    ] = False,
) -> None:
    """Give somebody a new password, and end their sessions: the way back for an administrator who forgot theirs."""
    _print(_commands().reset_password(_url(database) or USUAL, name, _read_line if stdin else _ask))


def _print(line: str) -> None:
    """Print one line, however long, without what would steer a terminal."""
    typer.echo(str(plain(line)))


def _ask(name: str) -> str:
    """Ask twice, without echo."""
    if not sys.stdin.isatty():
        raise InputError("there is no terminal to ask for the password; pass it with --stdin")
    asked: str = typer.prompt(f"New password for {name}", hide_input=True, confirmation_prompt=True, err=True)
    return asked


def _read_line(name: str) -> str:
    return sys.stdin.readline().rstrip("\r\n")


def _url(given: str | None) -> str | None:
    return given or os.environ.get(VARIABLE, "").strip() or None


def _commands() -> Any:
    """Return the app's commands; where only the library is installed, there are none."""
    try:
        return importlib.import_module("db.commands")
    except ModuleNotFoundError as error:
        if error.name not in ("db", "db.commands"):
            raise
        raise RulerankError(
            "this command needs the app, and only its library is installed here; run it in the app's own folder, as "
            "`python3 run.py -- ...`"
        ) from error

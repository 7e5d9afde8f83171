"""The program: its commands, its help, and what its exit codes mean."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from rulerank import __version__
from rulerank.cli import (
    advise,
    bench,
    clicks,
    database,
    demo,
    inspect,
    prepare,
    rank,
    reproduce,
    select,
    simulate,
    warm,
)
from rulerank.cli.output import complain
from rulerank.cli.source import strategies_help
from rulerank.errors import RulerankError
from rulerank.registry import discretizers, metrics, rankers, samplers
from rulerank.simulate import all_rankers
from rulerank.text.features import text_features

EXIT_CODES = {
    0: "done",
    1: "the data or a setting is wrong; the message says what and where",
    2: "wrong usage",
    130: "stopped by Ctrl-C",
}

app = typer.Typer(
    name="rulerank",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: " + "; ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items()) + ".",
)

_CUT = ("--method", discretizers)
EPILOGS = {
    "discretize": strategies_help(_CUT),
    "select": strategies_help(("--sampler", samplers), _CUT),
    "rank": strategies_help(("--ranker", rankers), _CUT),
    "evaluate": strategies_help(("Metrics", metrics)),
    "prepare": strategies_help(("--features", text_features)),
    "simulate": strategies_help(("--samplers", samplers), ("--rankers", all_rankers), _CUT, ("--metrics", metrics)),
}
"""What stands below a command's help: the strategies it takes, as they describe themselves."""

LOOK, WORK, TRUST, KEEP = "Look at data", "Choose and rank", "Check the numbers", "Look after the app"

app.command("demo", rich_help_panel=LOOK)(demo.demo)
app.command("info", rich_help_panel=LOOK)(inspect.info)
app.command("discretize", epilog=EPILOGS["discretize"], rich_help_panel=LOOK)(inspect.discretize)
app.command("advise", rich_help_panel=LOOK)(advise.advise)
app.command("prepare", epilog=EPILOGS["prepare"], rich_help_panel=WORK)(prepare.prepare_texts)
app.command("select", epilog=EPILOGS["select"], rich_help_panel=WORK)(select.select)
app.command("rank", epilog=EPILOGS["rank"], rich_help_panel=WORK)(rank.rank)
app.command("evaluate", epilog=EPILOGS["evaluate"], rich_help_panel=TRUST)(rank.evaluate)
app.command("simulate", epilog=EPILOGS["simulate"], rich_help_panel=TRUST)(simulate.simulate)
app.command("reproduce", rich_help_panel=TRUST)(reproduce.reproduce)
app.command("bench", rich_help_panel=TRUST)(bench.bench)
app.add_typer(clicks.app, name="clicks", rich_help_panel=TRUST)
app.command("warm", rich_help_panel=TRUST)(warm.warm)
app.command("backup", rich_help_panel=KEEP)(database.backup)
app.command("restore", rich_help_panel=KEEP)(database.restore)
app.add_typer(database.admin, name="admin", rich_help_panel=KEEP)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rulerank {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Learning-to-rank training sets with a fraction of the labels.

    Reads LETOR files; chooses the documents worth labelling by the association rules they draw; ranks with those
    rules; and says how good the ranking is, by whose convention. Start with `rulerank demo`.
    """


def run() -> None:
    """Run the program; errors of ours become one clear message, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding cannot show is escaped, and does not end the program.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except RulerankError as error:
        complain(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        complain("stopped")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)

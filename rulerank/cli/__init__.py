"""The command line: `python -m rulerank COMMAND`. One file per group of commands; `program` puts them together."""

from __future__ import annotations


def main() -> None:
    """Run the command line and leave with an exit code that means something (see `program.EXIT_CODES`)."""
    try:
        from rulerank.cli.program import run  # noqa: PLC0415  (keeps `import rulerank.cli` quick)

        run()
    except KeyboardInterrupt:  # while the program was still starting; `run` says so itself
        raise SystemExit(130) from None

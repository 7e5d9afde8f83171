"""The command: `python -m tests.e2e.faults --minutes 10 [--postgres] [--servers 2] [--seed N]`."""

from __future__ import annotations

import argparse
import secrets
import signal
import sys

from tests.e2e.faults.report import Plan
from tests.e2e.faults.trial import Trial


def main(arguments: list[str] | None = None) -> int:
    """Run a trial and print what came of it; 1 if there was a violation."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.e2e.faults",
        description="Let annotators label through faults, and check that nothing was lost, doubled or made up.",
    )
    parser.add_argument("--minutes", type=float, default=1.0, help="how long it runs at most (default: 1)")
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL server (default: a SQLite file)")
    parser.add_argument("--servers", type=int, default=1, help="server processes on the one database (default: 1)")
    parser.add_argument("--annotators", type=int, default=12, help="people who label (default: 12)")
    parser.add_argument("--seed", type=int, help="repeats the faults and choices of a trial (default: a new one)")
    parser.add_argument("--kills", type=int, default=0, help="with --acts: end once there were so many kills")
    parser.add_argument("--acts", type=int, default=0, help="with --kills: end once there were so many acts")
    parser.add_argument("--cold", action="store_true", help="start every server with `streamlit run`, as users do")
    options = parser.parse_args(arguments)
    if options.servers < 1 or options.annotators < 1 or options.minutes <= 0:
        parser.error("--servers, --annotators and --minutes must be positive")
    plan = Plan(
        seconds=60 * options.minutes,
        postgres=options.postgres,
        servers=options.servers,
        annotators=options.annotators,
        seed=secrets.randbelow(2**31) if options.seed is None else options.seed,
        cold=options.cold,
        kills=options.kills,
        acts=options.acts,
        acts_a_kill=max(1, options.acts // options.kills) if options.acts and options.kills else Plan.acts_a_kill,
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that everything that was started is ended too
    print(f"seed {plan.seed}", flush=True)
    report = Trial(plan, lambda words: print(words, flush=True)).run()
    print(report)
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())

"""Fit a model to a log that is larger than the memory of the machine: made-up sessions, one a row, as many as it takes.

    python -m tests.clicks.large [GIGABYTES]

Without a number: a tenth more than the machine has. The log is one block of sessions again and again, so the model that
`rulerank clicks fit` learns from all of it must be the one of the block alone, and is compared with it. Prints the size
of both, elapsed time, and the peak of the command's memory.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from rulerank.clicks.simulate import bilingual_user, made_up_lists, simulate_log
from rulerank.clicks.write import write_log

SESSIONS = 500_000
"""Of the block: few enough to write quickly, and enough to learn from."""


def write_block(path: Path) -> None:
    """Write sessions of bilingual users whose results have names as long as addresses on the web."""
    lists = made_up_lists(2_000, depth=10)
    names = tuple(
        f"https://www.example.org/section-{n % 97}/a-page-of-text-{n:07d}.html" for n in range(len(lists.documents))
    )
    write_log(simulate_log(bilingual_user(), replace(lists, documents=names), SESSIONS, seed=0), path, single=True)


def repeat(block: Path, log: Path, size: int) -> int:
    """Write the rows of a block again and again, until the log has so many bytes; returns how often."""
    times = 0
    with log.open("wb") as out:
        while out.tell() < size:
            with block.open("rb") as rows:
                head = rows.readline()
                if not times:
                    out.write(head)
                shutil.copyfileobj(rows, out, 1 << 24)
            times += 1
    return times


def fit(log: Path) -> dict:
    """Run the command."""
    command = [sys.executable, "-m", "rulerank", "clicks", "fit", str(log), "--model", "eia", "--json"]
    found: dict = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return found


def parameters(found: dict) -> dict[str, float]:
    """Return the parameters of a model by name."""
    return {each["name"]: each["value"] for each in found["fit"]["parameters"]}


def main(arguments: list[str]) -> int:
    """Measure and print."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    size = int(float(arguments[0]) * 1e9) if arguments else memory * 11 // 10
    with tempfile.TemporaryDirectory(prefix="rulerank-large-") as temporary:
        block, log = Path(temporary) / "block.csv", Path(temporary) / "clicks.csv"
        write_block(block)
        alone = fit(block)
        times = repeat(block, log, size)
        print(f"log of {log.stat().st_size / 1e9:.1f} GB on a machine of {memory / 1e9:.1f} GB", flush=True)
        start = time.monotonic()
        whole = fit(log)
        elapsed = time.monotonic() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    sessions, expected = whole["fit"]["sessions"], times * alone["fit"]["sessions"]
    one, other = parameters(alone), parameters(whole)
    apart = max(abs(one[name] - other[name]) for name in one)
    print(
        f"{sessions:,} sessions (expected {expected:,}): {elapsed:.0f} s, {sessions / elapsed / 1e3:.0f} thousand a "
        f"second, peak {peak:.2f} GB; {len(one)} parameters, at most {apart:.1e} from those of the block"
    )
    return int(sessions != expected or one.keys() != other.keys() or apart > 1e-4)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

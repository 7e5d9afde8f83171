"""How long a backup and a restore take, and how much memory: `python -m tests.db.backup.measure --events 100000`.

Each step runs in a process of its own, so that its peak of memory is its own. What the process has before it begins
(the libraries that are loaded) is given beside.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import sqlalchemy as sa

from db.backup.restore import restore
from db.backup.write import backup
from db.store.engine import Database
from db.store.tables import label_events
from db.workspace import Workspace
from rulerank.campaign import Settings
from rulerank.collection import Collection

STEPS = ("make", "backup", "restore")


def make(url: str, events: int, rows: int, features: int) -> None:
    """Store a collection of random features, a campaign on it, and labels of one person."""
    rng = np.random.default_rng(0)
    docids = [f"document-{row}" for row in range(rows)]
    collection = Collection.from_arrays(rng.random((rows, features)), np.arange(rows) // 100, docids=docids)
    workspace = Workspace(url)
    person = workspace.people.ensure_single_user()
    campaign = workspace.import_campaign("large", collection, Settings(discretizer="equal_frequency"))
    label = {"campaign_id": campaign, "kind": "grade", "person_id": person.id, "seconds": 3.5}
    with workspace.database.write() as connection:
        for start in range(0, events, 1000):
            labels = [
                {**label, "row": n % rows, "grade": n % 3, "token": f"{n:032x}", "created_at": 1.7e9 + n}
                for n in range(start, min(start + 1000, events))
            ]
            connection.execute(sa.insert(label_events), labels)
    workspace.close()


def measured(step: str, folder: Path, events: int, rows: int, features: int) -> None:
    """Run one step and print what it took."""
    url, saved, new = f"sqlite:///{folder / 'labels.db'}", folder / "saved.zip", folder / "new.db"
    if step == "make":
        make(url, events, rows, features)
        return
    before = resource.getrusage(resource.RUSAGE_SELF)
    begun = time.perf_counter()
    if step == "backup":
        backup(Database(url), saved)
    else:
        restore(saved, f"sqlite:///{new}")
    took, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{step}: {took:.1f} s, of them {processor:.1f} s of a processor; {after.ru_maxrss / 1024:.0f} MB at most "
        f"({before.ru_maxrss / 1024:.0f} MB before); the backup has {saved.stat().st_size / 1e6:.1f} MB"
    )


def main() -> None:
    """Read the arguments, and run each step in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--step", choices=STEPS)
    parser.add_argument("--folder", type=Path)
    told = parser.parse_args()
    if told.step:
        measured(told.step, told.folder, told.events, told.rows, told.features)
        return
    sizes = ["--events", str(told.events), "--rows", str(told.rows), "--features", str(told.features)]
    with tempfile.TemporaryDirectory(prefix="rulerank-measure-") as folder:
        for step in STEPS:
            command = [
                sys.executable,
                "-m",
                "tests.db.backup.measure",
                *sizes,
                "--step",
                step,
                "--folder",
                folder,
            ]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()

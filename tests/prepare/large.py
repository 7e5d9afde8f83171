"""How long and how much memory `prepare` takes for a large collection: made-up texts, as many as asked for.

    python -m tests.prepare.large [DOCUMENTS] [QUERIES]

Without numbers: 200,000 documents of about 190 words and 500 queries, for which the goal is at most 10 minutes and 4 GB
on two cores. Writes a BEIR folder into a temporary place, runs the command on it, and prints elapsed time, processor
time and the peak of its memory.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SYLLABLES = ("ba", "de", "ki", "lo", "mu", "na", "po", "ra", "se", "ti", "vo", "zu", "fen", "gal", "hor", "win")
VOCABULARY = 300_000
WORDS = 190
AT_ONCE = 2_000


def vocabulary(rng: np.random.Generator) -> np.ndarray:
    """Return different made-up words, the short ones first, as in a language."""
    parts = rng.integers(0, len(SYLLABLES), (2 * VOCABULARY, 6))
    lengths = 2 + np.minimum(4, np.arange(2 * VOCABULARY) // 4_000)
    words = dict.fromkeys("".join(SYLLABLES[p] for p in row[:n]) for row, n in zip(parts, lengths, strict=True))
    return np.array(list(words)[:VOCABULARY])


def write(folder: Path, documents: int, queries: int, seed: int = 0) -> int:
    """Write a BEIR collection whose words are as frequent as Zipf's law has it; returns its size in bytes."""
    rng = np.random.default_rng(seed)
    words = vocabulary(rng)
    share = np.cumsum(1 / (np.arange(words.size) + 2.7))

    def some(count: int) -> list[str]:
        found: list[str] = words[np.searchsorted(share, rng.random(count) * share[-1])].tolist()
        return found

    with (folder / "corpus.jsonl").open("w") as file:
        for start in range(0, documents, AT_ONCE):
            lengths = rng.poisson(WORDS, min(AT_ONCE, documents - start))
            drawn = iter(some(int(lengths.sum()) + 8 * lengths.size))
            for number, length in enumerate(lengths.tolist(), start):
                title = " ".join(next(drawn) for _ in range(8))
                text = " ".join(next(drawn) for _ in range(length))
                file.write(json.dumps({"_id": f"D{number}", "title": title, "text": text}) + "\n")
    with (folder / "queries.jsonl").open("w") as file:
        for number in range(queries):
            # The most frequent words say nothing, and a query is seldom made of them.
            asked = words[rng.integers(100, 20_000, 6)].tolist()
            file.write(json.dumps({"_id": str(number), "text": " ".join(asked)}) + "\n")
    return sum(path.stat().st_size for path in folder.iterdir())


def main(arguments: list[str]) -> int:
    """Measure and print."""
    documents, queries = (int(each) for each in [*arguments, *("200000", "500")[len(arguments) :]])
    with tempfile.TemporaryDirectory(prefix="rulerank-large-") as temporary:
        folder = Path(temporary) / "beir"
        folder.mkdir()
        size = write(folder, documents, queries)
        print(f"{documents:,} documents, {queries:,} queries, {size / 1e6:.0f} MB", flush=True)
        command = [
            sys.executable,
            "-m",
            "rulerank",
            "prepare",
            str(folder),
            "--out",
            f"{temporary}/big.letor",
            "--json",
        ]
        start = time.monotonic()
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE)
        elapsed = time.monotonic() - start
        if done.returncode:
            return done.returncode
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        facts = json.loads(done.stdout)
        print(
            f"{facts['rows']:,} rows, {facts['features']} features: {elapsed:.0f} s elapsed, "
            f"{used.ru_utime + used.ru_stime:.0f} s of processor time, {used.ru_maxrss / 1e6:.2f} GB"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

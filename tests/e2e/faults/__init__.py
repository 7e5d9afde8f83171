"""A trial that repeats itself: annotators, a proxy and a machine that fail by a seed, and a check of what was kept.

    python -m tests.e2e.faults --minutes 10 [--postgres] [--servers 2] [--seed N]

`docs/faults.md` says what it does, what it checks, and what it found.
"""

"""Who does the harm: one thread for each server, for the worker and for the store, each by a seed of its own."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from tests.e2e.faults.clock import set_clock
from tests.e2e.faults.history import KILL
from tests.e2e.faults.processes import ColdServerProcess, Process
from tests.e2e.faults.stores import Fault, Store, Wait

JUMPS = (90.0, 3600.0, 86400.0, 400 * 86400.0)
"""Seconds by which a clock is set wrong, ahead or behind."""


class Nemesis(threading.Thread):
    """Does one harm after another until it is told to stop; each is mended before the next."""

    def __init__(
        self,
        name: str,
        faults: dict[str, tuple[float, Fault]],
        pause: float,
        counts: Counter[str],
        seed: str,
        stop: threading.Event,
        kill_due: Callable[[], bool],
    ) -> None:
        super().__init__(name=f"nemesis of {name}", daemon=True)
        self.faults = faults
        self.pause = pause
        self.counts = counts
        self.rng = random.Random(seed)
        self.stop = stop
        self.kill_due = kill_due  # kills wait for the acts, or a slow machine would have nothing but kills
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Do harm."""
        names = list(self.faults)
        weights = [self.faults[name][0] for name in names]
        try:
            while not self.stop.wait(self.rng.expovariate(1 / self.pause)):
                name = self.rng.choices(names, weights)[0]
                if name.startswith(KILL) and not self.kill_due():
                    continue
                killed = self.faults[name][1](self.rng, self.stop.wait)
                if killed is None:
                    self.counts[name] += 1
                elif killed:
                    self.counts[name] += killed
        except BaseException as error:  # told by the trial, which waits for this thread
            self.failure = error


def process_faults(process: Process, stop: threading.Event, kind: str) -> dict[str, tuple[float, Fault]]:
    """Return what is done to a server or worker."""

    def kill(rng: random.Random, wait: Wait) -> int:
        killed = process.kill()
        wait(rng.uniform(0.0, 0.2))
        process.start(stop)
        return int(killed)

    def restart(rng: random.Random, wait: Wait) -> None:
        process.end()
        process.start(stop)

    def pause(rng: random.Random, wait: Wait) -> None:
        process.send(signal.SIGSTOP)
        try:
            wait(rng.uniform(0.2, 2.5))
        finally:
            process.send(signal.SIGCONT)

    def jump(rng: random.Random, wait: Wait) -> None:
        try:
            set_clock(process.clock, rng.choice((-1, 1)) * rng.choice(JUMPS))
            wait(rng.uniform(0.3, 2.0))
        finally:
            set_clock(process.clock, 0.0)

    return {
        f"{KILL} of a {kind}": (10.0, kill),
        f"{kind} restarted politely": (1.0, restart),
        f"{kind} paused": (1.5, pause),
        f"clock of a {kind} set wrong": (1.5, jump),
    }


def kept_worker_faults(server: ColdServerProcess) -> dict[str, tuple[float, Fault]]:
    """Return what is done to the worker that a server keeps itself."""

    def kill(rng: random.Random, wait: Wait) -> int:
        killed = 0
        for pid in server.workers():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
        return killed

    return {f"{KILL} of a worker": (1.0, kill)}


class Nemeses:
    """All that do harm in one round."""

    def __init__(
        self,
        servers: list[Process],
        workers: list[Process],
        store: Store,
        counts: Counter[str],
        seed: str,
        kill_due: Callable[[], bool],
    ) -> None:
        self.stop = threading.Event()
        harmed: list[tuple[str, dict[str, tuple[float, Fault]], float]] = [("store", store.faults(), 4.0)]
        for server in servers:
            harmed.append((server.name, process_faults(server, self.stop, "server"), 0.8))
            if isinstance(server, ColdServerProcess):
                harmed.append((f"the worker of {server.name}", kept_worker_faults(server), 4.0))
        harmed += [(worker.name, process_faults(worker, self.stop, "worker"), 1.5) for worker in workers]
        self.all = [
            Nemesis(name, faults, pause, counts, f"{seed} {name}", self.stop, kill_due)
            for name, faults, pause in harmed
        ]

    def start(self) -> None:
        """Begin to do harm."""
        for nemesis in self.all:
            nemesis.start()

    def end(self) -> None:
        """Stop, when all that was done is mended."""
        self.stop.set()
        for nemesis in self.all:
            nemesis.join(120)
            if nemesis.is_alive():
                raise RuntimeError(f"{nemesis.name} does not come to an end")
        for nemesis in self.all:
            if nemesis.failure is not None:
                raise RuntimeError(f"{nemesis.name} failed") from nemesis.failure

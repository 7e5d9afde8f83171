"""The kernels that are compiled ahead: all of them, or somebody's page would stand still while one is compiled."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from rulerank.cli import warm

ROOT = Path(__file__).parents[2]

LEFT = """
import importlib, pkgutil, rulerank
from numba.core.dispatcher import Dispatcher
from rulerank.cli.warm import STEPS
from rulerank.synthetic import planted_collection

for module in pkgutil.walk_packages(rulerank.__path__, "rulerank."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for step in STEPS:
    step(planted_collection(6, 12, 8))
kernels = {
    value
    for name, module in list(sys.modules.items()) if name.startswith("rulerank")
    for value in vars(module).values() if isinstance(value, Dispatcher)
}
called = {name for kernel in kernels for name in kernel.py_func.__code__.co_names}
assert len(kernels) > 50
print(*sorted(k.py_func.__qualname__ for k in kernels if not k.signatures and k.py_func.__name__ not in called))
"""


def test_no_kernel_is_left_to_compile():
    """A kernel that only others call is part of those; every other must have been called.

    (By its name: a kernel that is called from both sides, or named like something that kernels use, is not seen.)
    """
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + LEFT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stdout.split(), done.stdout


def test_the_command_takes_all_steps_and_none_goes_on_when_it_is_ended():
    command = [sys.executable, "-m", "rulerank", "warm"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=300).returncode == 0
    started = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
    if not children.exists():
        started.wait()
        pytest.skip("needs Linux's list of child processes")
    found: list[str] = []
    while not found and started.poll() is None:
        found = children.read_text().split()
    started.terminate()
    started.wait()
    assert found
    end = time.monotonic() + 30
    while any(Path(f"/proc/{number}").exists() for number in found):
        assert time.monotonic() < end, "a process goes on without the one that started it"
        time.sleep(0.1)


@pytest.mark.parametrize("error", [BrokenExecutor, NotImplementedError, OSError])
def test_without_several_processes_one_takes_all_steps(monkeypatch, error):
    def refuse(advance):
        raise error

    taken = []
    monkeypatch.setattr(warm, "_together", refuse)
    monkeypatch.setattr(warm, "STEPS", (lambda _: taken.append(1), lambda _: taken.append(2)))
    warm.warm()
    assert taken == [1, 2]

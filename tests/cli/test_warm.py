"""The kernels that are compiled ahead: all of them, or somebody's page would stand still while one is compiled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
    """A kernel that only others call is part of those; every other must have been called."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + LEFT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stdout.split(), done.stdout

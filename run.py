"""Set up and run rulerank from a fresh clone. Needs only Python 3.11 or newer and a package registry.

    python3 run.py            set up, then start the app and say where it is
    python3 run.py test       set up, then check and test everything
    python3 run.py bench      set up with the tools to compare with, then measure
    python3 run.py -- ARGS    set up, then run `python -m rulerank ARGS`

Everything is installed into the folder .venv beside this file; delete it to start afresh. Labels are kept in
rulerank.db beside this file, unless RULERANK_DATABASE says otherwise.
"""

from __future__ import annotations  # an old Python must get as far as the message that it is too old

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME = HERE / ".venv"
PYTHON = HOME / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
INTERRUPTED = 130
MOST_AT_A_TIME = 6  # of files with tests; each takes up to a gigabyte of memory


def install(requirements: str) -> None:
    """Make the virtual environment if need be, and install a requirements file unless it is installed already."""
    text = (HERE / "requirements.txt").read_text() + (HERE / requirements).read_text() + sys.version
    stamp = HOME / f"{requirements}.{hashlib.sha256(text.encode()).hexdigest()[:16]}.installed"
    if stamp.exists() and PYTHON.exists():
        return
    if not has_pip():
        print("setting up: making .venv", file=sys.stderr)
        try:
            venv.EnvBuilder(with_pip=True, clear=True).create(HOME)
        except (subprocess.CalledProcessError, OSError) as error:
            stop(f"cannot make a virtual environment ({error}).\nOn Debian and Ubuntu: apt install python3-venv")
    print(f"setting up: installing {requirements} (a minute or two, once)", file=sys.stderr)
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*command, "-r", str(HERE / requirements)], cwd=HERE, check=False).returncode:
        stop(f"installing {requirements} failed; see the message above. Is the package registry within reach?")
    stamp.touch()


def has_pip() -> bool:
    """Say whether the environment is whole; an interrupted set-up leaves one without pip."""
    if not PYTHON.exists():
        return False
    return subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def stop(message: str) -> None:
    """Leave with a message."""
    sys.exit(f"run.py: {message}")


def python(*arguments: str) -> int:
    """Run the environment's Python in this folder and return its exit code."""
    try:
        return subprocess.run([str(PYTHON), *arguments], cwd=os.getcwd(), check=False, env=environment()).returncode
    except KeyboardInterrupt:
        return INTERRUPTED


def environment() -> dict[str, str]:
    """Return the environment variables with this clone first on Python's path, whatever the current folder.

    Bytecode is kept, whatever the machine's habit: the app and the tests start many processes, and each would compile
    everything anew.
    """
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": path}


def test(arguments: list[str]) -> int:
    """Check style and types, then run the tests; further arguments go to pytest."""
    install("requirements-test.txt")
    os.chdir(HERE)
    checks = [] if arguments else [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]]
    # Kernels and tests are compiled beside the checks, once, and not by each of the processes that test.
    ahead = [
        subprocess.Popen([str(PYTHON), "-m", *each], env=environment(), stdout=subprocess.DEVNULL)
        for each in (["rulerank", "warm"], ["pytest", "--collect-only"])
        if checks
    ]
    for check in checks:
        code = python("-m", *check)
        if code:
            for process in ahead:
                process.terminate()
            return code
    for process in ahead:
        process.wait()
    # More at a time than there are processors, a file each: the tests in a browser and on a database wait more than
    # they work. In their own order (see tests/conftest.py), or else the longest, those in a browser, would come last.
    several = str(min(2 * (os.cpu_count() or 2), MOST_AT_A_TIME))
    return python("-m", "pytest", "-n", several, "--dist", "loadfile", "--no-loadscope-reorder", *arguments)


def main(arguments: list[str]) -> int:
    """Do what the command line asks for."""
    if sys.version_info < (3, 11):
        stop(f"needs Python 3.11 or newer; this is {sys.version.split()[0]}")
    first, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if first == "test":
        return test(rest)
    if first == "bench":
        install("requirements-bench.txt")
        return python("-m", "rulerank", "bench", *rest)
    if first == "--":
        install("requirements.txt")
        return python("-m", "rulerank", *(rest or ["--help"]))
    if not first:
        install("requirements.txt")
        os.chdir(HERE)
        if python("-m", "rulerank", "warm") == INTERRUPTED:
            return INTERRUPTED
        return python("-m", "streamlit", "run", "app.py")
    print(__doc__)
    return 0 if first in ("-h", "--help") else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

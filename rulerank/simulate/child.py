"""A child process of the executor: it reads tasks from standard input, and reports each on standard output.

    python -m rulerank.simulate.child INPUTS FOLDER

INPUTS holds the plan and the folds' arrays; results go to FOLDER. It ends when its standard input does, at once even in
the middle of a task, so that none is left behind if the process that started it is killed.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import traceback
from functools import cache
from pathlib import Path
from typing import TextIO

from rulerank.errors import RulerankError
from rulerank.simulate.executor import SharedInputs, do_task
from rulerank.simulate.tasks import Task


def main(arguments: list[str]) -> int:
    """Do tasks until there are no more."""
    inputs, folder = SharedInputs(Path(arguments[0])), Path(arguments[1])
    # Whatever a library prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
    busy = threading.Event()
    threading.Thread(target=_listen, args=(tasks, busy), daemon=True).start()
    fold = cache(inputs.fold)
    plan, grid = inputs.plan, inputs.grid
    _answer(answers, {"ready": "yes"})
    while (task := tasks.get()) is not None:
        busy.set()
        try:
            do_task(task, plan, fold(task.fold), grid, folder)
        except RulerankError as error:
            _answer(answers, {"name": task.name, "error": str(error)})
        except Exception:
            _answer(answers, {"name": task.name, "unexpected": traceback.format_exc()})
        else:
            _answer(answers, {"name": task.name})
        busy.clear()
    return 0


def _listen(tasks: queue.SimpleQueue[Task | None], busy: threading.Event) -> None:
    for line in sys.stdin:
        tasks.put(Task.from_dict(json.loads(line)))
    tasks.put(None)
    if busy.is_set():
        signal.raise_signal(signal.SIGTERM)


def _answer(answers: TextIO, answer: dict[str, str]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""No command ends in a traceback on bad data, nothing that is data is taken for markup, and help writes nothing."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mutations import CLARA_GRADES, FOLDERS, TOKENS, click_log, letor, mutated
from thorough import tries

from rulerank.cli import output
from rulerank.cli.program import app, run

ROOT = Path(__file__).parents[2]
SEED = 13


@pytest.fixture
def program(monkeypatch, capsys, tmp_path):
    """`program("info", path)` in a folder of its own: exit code, output and errors; a traceback fails the test."""
    monkeypatch.chdir(tmp_path)

    def run_here(*arguments: object) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["rulerank", *map(str, arguments)])
        code: object = 0
        try:
            run()
        except SystemExit as left:
            code = left.code
        said = capsys.readouterr()
        assert code in (0, 1, 2, None), said.err
        assert "Traceback" not in said.err
        assert bool(code) == ("error" in said.err.lower()), said.err
        return code, said.out, said.err

    return run_here


@pytest.fixture
def good(program, tmp_path):
    """A folder with valid files of every kind."""
    (tmp_path / "good.txt").write_bytes(letor())
    for name, data in click_log().items():
        (tmp_path / name).write_bytes(data)
    assert program("discretize", "good.txt", "--edges", "edges.json")[0] == 0
    assert program("rank", "--train", "good.txt", "--test", "good.txt", "--out", "scores.txt")[0] == 0
    assert program("clicks", "fit", "log.csv", "--starts", 1, "--out", "fit.json")[0] == 0
    return tmp_path


@pytest.mark.parametrize("token", TOKENS, ids=range(len(TOKENS)))
def test_each_fault_in_a_letor_file(program, token, tmp_path):
    lines = letor().split(b"\n")
    lines[2] = lines[2].replace(b"qid:q", b"qid:" + token)
    lines[4] += token
    (tmp_path / "bad.txt").write_bytes(b"\n".join(lines))
    program("info", "bad.txt")


@pytest.mark.parametrize("part", range(3))
def test_letor_files_of_others(program, good, part):
    rng = random.Random(SEED + part)
    codes = set()
    for _ in range(tries(8)):
        (good / "bad.txt").write_bytes(mutated(letor(), rng))
        codes.add(program("info", "bad.txt")[0])
        program("info", "bad.txt", "--json")
        program("select", "bad.txt", "--budget", 3, "--out", "chosen.txt")
        program("select", "bad.txt", "--next")
        program("rank", "--train", "good.txt", "--test", "bad.txt")
        program("evaluate", "bad.txt", "--scores", "scores.txt", "--per-query")
        for name, command in {
            "edges.json": ("discretize", "good.txt", "--apply", "bad"),
            "scores.txt": ("evaluate", "good.txt", "--scores", "bad"),
        }.items():
            (good / "bad").write_bytes(mutated((good / name).read_bytes(), rng))
            program(*command)
    assert {0, 1} <= codes


@pytest.mark.parametrize("name", click_log())
def test_click_logs_of_others(program, good, name):
    rng = random.Random(SEED)
    for _ in range(tries(12)):
        (good / f"bad-{name}").write_bytes(mutated(click_log()[name], rng))
        more: tuple[object, ...] = ()
        if "clara" in name:
            (good / "grades").write_bytes(rng.choice((CLARA_GRADES, mutated(CLARA_GRADES, rng))))
            more = ("--layout", "clara2", "--grades", "grades")
        program("clicks", "fit", f"bad-{name}", "--starts", 1, *more)
        program("clicks", "fit", f"bad-{name}", "--starts", 1, "--skip-bad", "--json", *more)


def test_click_models_of_others(program, good):
    rng = random.Random(SEED)
    for _ in range(tries(20)):
        (good / "bad.json").write_bytes(mutated((good / "fit.json").read_bytes(), rng))
        program("clicks", "evaluate", "log.csv", "--saved", "bad.json")


@pytest.mark.parametrize("kind", FOLDERS)
def test_folders_of_others(program, tmp_path, kind):
    rng = random.Random(SEED)
    codes = set()
    (tmp_path / "texts").mkdir()
    for _ in range(tries(10)):
        victim = rng.choice(list(FOLDERS[kind]))
        for name, data in FOLDERS[kind].items():
            (tmp_path / "texts" / name).write_bytes(mutated(data, rng) if name == victim else data)
        codes.add(program("prepare", "texts", "--out", "out.letor")[0])
    assert {0, 1} <= codes


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"0 qid:caf\xe9 1:1\n", ["bad.txt:1:10", "byte E9 is not UTF-8", "name the encoding"]),
        (b"0 qid:1 2000000000:1\n", ["bad.txt:1:9", "above the limit of 100000 features"]),
        (b"0 qid:" + b"q" * 501 + b" 1:1\n", ["bad.txt:1:7", "501 characters; 500 is the most"]),
        (b"0 qid:1 1:1\0\n", ["bad.txt:1:9", "a NUL byte"]),
        (
            b"".join(b"0 qid:1 %d:1\n" % (n + 1) for n in range(20_000)),
            ["bad.txt: ", "or more rows", "limit of 500.0 MB", "set RULERANK_MEMORY_MEGABYTES"],
        ),
    ],
)  # fmt: skip
def test_info_says_what_is_wrong(program, tmp_path, monkeypatch, data, words):
    monkeypatch.setenv("RULERANK_MEMORY_MEGABYTES", "500")
    (tmp_path / "bad.txt").write_bytes(data)
    code, _, said = program("info", "bad.txt")
    assert code == 1
    for each in words:
        assert each in said


def test_info_in_a_named_encoding(program, tmp_path):
    (tmp_path / "old.txt").write_bytes("0 qid:café 1:1\n".encode("cp1252"))
    assert program("info", "old.txt", "--encoding", "cp1252")[0] == 0
    assert program("info", "old.txt", "--encoding", "nonsense")[0] == 1


LITERAL = "[red]x[/red] :100: :1234: :smile: [/] [bold"


def test_what_is_data_is_shown_as_it_is(program, tmp_path):
    """rich would make styles of brackets, and emoji of names between colons."""
    folder = tmp_path / LITERAL.replace("/", "|")
    folder.mkdir()
    _, _, said = program("info", folder / "missing:100:.txt")
    assert f"{folder.name}/missing:100:.txt" in said
    file = folder / "a:100:[red].txt"
    token = LITERAL.replace(" ", "_")
    file.write_text(
        "".join(f"{n % 2} qid:{token} 1:{n % 3} 2:{n}\n1 qid:b 1:{n} 2:1 #docid = :100:\n" for n in range(9))
    )
    _, shown, said = program("info", file)
    assert "a:100:[red].txt" in "".join(shown.split())[:3000].replace("│", "")
    assert f"{token} (line 3)" in said
    _, shown, _ = program("select", file, "--out", folder / ":100:[b].txt")
    assert ":100:" in shown
    assert "written:" in shown
    assert "[b].txt" in shown.replace("\n", "")
    assert "💯" not in shown + said


def test_tables_and_notes_are_literal(capsys):
    output.table(LITERAL, [LITERAL], [(LITERAL,)], caption=LITERAL)
    output.say(LITERAL, lead=":100:")
    assert capsys.readouterr().out.count(LITERAL) == 5
    output.note(LITERAL)
    output.complain(LITERAL)
    assert capsys.readouterr().err.count(LITERAL) == 2


def test_nothing_steers_the_terminal(capsys):
    output.say("a\x1b[31mred\x07\x9b\r\udce9\ud800")
    assert capsys.readouterr().out == "a\\x1b[31mred\\x07\\x9b\\r\\xe9\\ud800\n"


def commands() -> list[list[str]]:
    found: list[list[str]] = [[]]
    for each in app.registered_commands:
        found.append([each.name or ""])
    for group in app.registered_groups:
        assert group.typer_instance is not None
        found += [
            [group.name or "", each.name or each.callback.__name__] for each in group.typer_instance.registered_commands
        ]
    return found


def test_help_writes_nothing(tmp_path):
    """Not even into folders of compiled code: Python's own are switched off here."""
    shutil.copytree(ROOT / "rulerank", tmp_path / "rulerank", ignore=shutil.ignore_patterns("__pycache__"))

    def listing() -> dict[str, tuple[int, int]]:
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")}

    before = listing()
    code = (
        "import json, sys\n"
        "from rulerank.cli.program import app\n"
        "for arguments in json.loads(sys.argv[1]):\n"
        "    app([*arguments, '--help'], standalone_mode=False)\n"
    )
    everything = commands()
    assert len(everything) > 12
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    for command in (["-m", "rulerank", "--help"], ["-c", code, json.dumps(everything)]):
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "Usage" in done.stdout
        assert listing() == before


def test_compiled_code_goes_with_the_sources_of_its_folder(tmp_path):
    """A kernel that calls another file's is compiled anew when that file changes."""
    (tmp_path / "first.py").write_text("from rulerank.kernels import kernel\n@kernel\ndef one():\n    return 1\n")
    (tmp_path / "second.py").write_text(
        "from first import one\nfrom rulerank.kernels import kernel\n@kernel\ndef two():\n    return one() + 1\n"
        "print(two(), sum(two.stats.cache_hits.values()))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}

    def result() -> str:
        return subprocess.run(
            [sys.executable, "second.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert [result(), result()] == ["2 0", "2 1"]
    (tmp_path / "first.py").write_text((tmp_path / "first.py").read_text().replace("1", "5"))
    assert [result(), result()] == ["6 0", "6 1"]

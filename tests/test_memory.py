"""Memory is worked out before it is allocated: limits, estimates that match what is measured, and refusals in time."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from rulerank import memory
from rulerank.clicks import read_log
from rulerank.collection import Collection
from rulerank.collection.pack import pack_rows, unpack_rows
from rulerank.errors import InputError, MemoryLimitError, RulerankError
from rulerank.foreign.decoding import parse_json
from rulerank.letor import read_letor
from rulerank.letor.size import SizePass
from rulerank.memory import SETTING, MemoryMeter, check_memory, memory_limit
from rulerank.prepare import Options, TextReading, prepare, read_collection
from rulerank.simulate import Dataset
from rulerank.text import read_documents

ROOT = Path(__file__).parents[1]


class TestLimit:
    def test_the_setting_goes_before_all(self, monkeypatch):
        monkeypatch.setenv(SETTING, " 100 ")
        assert memory_limit().bytes == 100 << 20
        check_memory(100 << 20, "x")
        with pytest.raises(MemoryLimitError) as error:
            check_memory(3 << 30, "reading x", "bring less")
        assert str(error.value) == (
            "reading x would need about 3.0 GB of memory, more than the limit of 100.0 MB "
            "(RULERANK_MEMORY_MEGABYTES is 100); bring less, or set RULERANK_MEMORY_MEGABYTES to more megabytes"
        )
        assert isinstance(error.value, InputError)

    @pytest.mark.parametrize("value", ["0", "many", "-5", "1e3", "٣", "9" * 30])
    def test_a_setting_that_is_no_number(self, monkeypatch, value):
        monkeypatch.setenv(SETTING, value)
        with pytest.raises(InputError):
            memory_limit()

    @pytest.fixture
    def machine(self, monkeypatch, tmp_path):
        """A machine of 64 GB whose files about control groups are ours."""
        monkeypatch.delenv(SETTING, raising=False)
        monkeypatch.setattr(memory, "_machine", lambda: 64 << 30)
        monkeypatch.setattr(memory, "_by_ulimit", lambda: None)
        monkeypatch.setattr(memory, "_PROC", tmp_path / "proc")
        monkeypatch.setattr(memory, "_GROUPS", tmp_path / "groups")
        (tmp_path / "proc" / "self").mkdir(parents=True)

        def write(path: str, text: str) -> None:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)

        return write

    def test_a_share_of_the_machine(self, machine):
        assert memory_limit().bytes == 8 << 30
        assert memory_limit().origin == "an eighth of 64.0 GB, the machine's memory"

    def test_control_groups_of_version_2_count_with_those_above(self, machine):
        machine("proc/self/cgroup", "0::/a/b\n")
        machine("groups/a/b/memory.max", "max\n")
        machine("groups/a/memory.max", f"{8 << 30}\n")
        assert memory_limit().bytes == 1 << 30
        assert "control group" in memory_limit().origin
        machine("groups/a/b/memory.max", f"{4 << 30}\n")
        assert memory_limit().bytes == 512 << 20

    def test_a_container_sees_its_group_as_the_root(self, machine):
        machine("proc/self/cgroup", "0::/\n")
        machine("groups/memory.max", f"{4 << 30}\n")
        assert memory_limit().bytes == 512 << 20
        machine("proc/self/cgroup", "0::/../other\n")
        assert memory_limit().bytes == 512 << 20

    def test_control_groups_of_version_1(self, machine):
        machine("proc/self/cgroup", "9:cpu,cpuacct:/x\n4:memory:/docker/1\n0::/\n")
        machine("groups/memory/docker/1/memory.limit_in_bytes", f"{2 << 30}\n")
        machine("groups/memory/memory.limit_in_bytes", "9223372036854771712\n")  # none
        assert memory_limit().bytes == 256 << 20

    def test_nonsense_in_these_files_is_passed_over(self, machine):
        machine("proc/self/cgroup", "\n:::\nnonsense\n0::/\n")
        machine("groups/memory.max", "²\n")
        assert memory_limit().bytes == 8 << 30

    def test_an_address_space_that_is_bounded(self, machine, monkeypatch):
        monkeypatch.setattr(memory, "_by_ulimit", lambda: 4 << 30)
        assert memory_limit().bytes == 512 << 20
        assert "ulimit" in memory_limit().origin

    def test_a_system_that_tells_nothing(self, machine, monkeypatch):
        monkeypatch.setattr(memory, "_machine", lambda: None)
        assert memory_limit().bytes == memory.UNKNOWN // memory.SHARE


def test_a_meter_refuses_once_it_is_too_much(monkeypatch):
    monkeypatch.setenv(SETTING, "1")
    meter = MemoryMeter("the texts")
    meter.add(1 << 20)
    with pytest.raises(MemoryLimitError, match="the texts would need"):
        meter.add(1)


SHAPES = {
    "few rows, many features": lambda: (
        f"0 qid:{row} " + " ".join(f"{k}:1" for k in range(1, 50_001)) for row in range(60)
    ),
    "sparse": lambda: (f"0 qid:{row % 7} {row + 1}:1" for row in range(3_000)),
    "many rows, few features": lambda: (f"0 qid:{row // 10} 1:1 2:0.5 #docid = GX{row:09d}" for row in range(200_000)),
    "a query a row": lambda: (f"0 qid:q{row} 1:1" for row in range(200_000)),
    "dense": lambda: (f"0 qid:{row // 50} " + " ".join(f"{k}:0.{k}" for k in range(1, 137)) for row in range(15_000)),
}

PEAKS = """
import io, json, os, sys
from rulerank.errors import MemoryLimitError
from rulerank.letor import read_letor
from rulerank.letor.size import SizePass
from rulerank.memory import MemoryLimit

def status(name):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(name))

def look(path):
    before = status("VmRSS")
    try:
        kept, said = read_letor(path), ""
    except MemoryLimitError as error:
        said = str(error)
    peak = status("VmHWM") - before
    shape = SizePass(path, None, 100_000, 1 << 24)(MemoryLimit(1 << 40, "test"), lambda: None)
    print(json.dumps([path, shape.rows, shape.width, shape.bytes, peak, said]), flush=True)

# Kernels are loaded before anything is measured, and each file is read in a process of its own.
read_letor(io.BytesIO(b"1 qid:1 1:2 3:4\\n1 qid:2 5:2 3:4#x\\n1 qid:1 7:1\\n"))
SizePass(io.BytesIO(b"1 qid:1 1:2\\n"), None, 100, 1 << 24)(MemoryLimit(1 << 40, "test"), lambda: None)
for path in sys.argv[1:]:
    child = os.fork()
    if not child:
        look(path)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Rows, features, estimate, measured peak and refusal, by the name of a file."""
    if not Path("/proc/self/status").exists():
        pytest.skip("needs Linux's account of a process's memory")
    folder = tmp_path_factory.mktemp("shapes")
    for name, lines in SHAPES.items():
        text = "\n".join([*lines(), ""]).encode()
        (folder / name).write_bytes(text)
        if name in ("sparse", "dense"):
            (folder / f"{name}, packed").write_bytes(gzip.compress(text, 1))
    (folder / "small").write_bytes(b"".join(b"0 qid:1 %d:1\n" % (row + 1) for row in range(20_000)))
    done = subprocess.run(
        [sys.executable, "-c", PEAKS, *sorted(map(str, folder.iterdir()))],
        capture_output=True, text=True, check=False, cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "", SETTING: "1000"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {Path(found[0]).name: found[1:] for found in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", [*SHAPES, "sparse, packed", "dense, packed"])
def test_the_estimate_is_what_reading_takes(measured, name):
    """Within a factor of two of the peak that the system reports."""
    rows, width, estimate, peak, said = measured[name]
    assert not said
    shape = name.removesuffix(", packed")
    assert rows == sum(1 for _ in SHAPES[shape]())
    assert width == {"few rows, many features": 50_000, "sparse": 3_000, "dense": 136, "a query a row": 1}.get(shape, 2)
    assert estimate / 2 < peak < 2 * estimate


def test_a_small_file_that_would_be_large_is_refused_before_it_is_allocated(measured):
    rows, width, estimate, peak, said = measured["small"]
    assert (rows, width) == (20_000, 20_000)
    assert estimate > 3_000_000_000
    assert "small: " in said
    assert "rows of" in said
    assert "more than the limit of 1,000.0 MB (RULERANK_MEMORY_MEGABYTES is 1000)" in said
    assert peak < 150_000_000


class TestLetor:
    def test_a_stream_that_cannot_be_read_twice_is_checked_as_it_grows(self, monkeypatch):
        monkeypatch.setenv(SETTING, "100")

        class Pipe(io.BytesIO):
            def seekable(self):
                return False

        data = b"".join(b"0 qid:1 %d:1\n" % (row + 1) for row in range(20_000))
        assert SizePass(Pipe(data), None, 100_000, 1 << 20)(memory_limit(), lambda: None) is None
        with pytest.raises(MemoryLimitError, match="rows of"):
            read_letor(Pipe(data))

    def test_an_open_file_stands_where_it_stood(self, monkeypatch):
        """The file is counted from where it was handed over, and the reading goes on undisturbed."""
        monkeypatch.setattr("rulerank.letor.rows.UNMEASURED", 1 << 16)
        lines = b"".join(b"0 qid:%d %d:1 3:2\n" % (row // 9, 5 + row % 70) for row in range(9_000))
        file = io.BytesIO(b"rubbish\n" + lines)
        file.seek(8)
        measured = read_letor(file)
        monkeypatch.setattr("rulerank.letor.rows.UNMEASURED", 1 << 30)
        assert measured == read_letor(io.BytesIO(lines))

    @pytest.mark.parametrize("limit", [100_000, 1 << 40])
    def test_a_feature_far_beyond_is_refused_at_once(self, limit):
        with pytest.raises(RulerankError, match=r"above the limit of|2,000,000,000 features would need"):
            read_letor(io.BytesIO(b"0 qid:1 1:1\n0 qid:1 2000000000:1\n"), max_features=limit)

    def test_a_packed_bomb_is_refused_by_what_it_unpacks_to(self, tmp_path, monkeypatch):
        monkeypatch.setenv(SETTING, "100")
        for kind, line in {"rows": b"0 qid:1 1:1\n", "comments": b"0 qid:1 1:1 #" + b"x" * 10_000 + b"\n"}.items():
            path = tmp_path / f"{kind}.gz"
            with gzip.open(path, "wb", 1) as file:
                for _ in range((150 << 20) // len(line) // 200):
                    file.write(line * 200)
            assert path.stat().st_size < 2 << 20
            with pytest.raises(MemoryLimitError, match=rf"{kind}\.gz: .* rows of 1 features"):
                read_letor(path)

    def test_a_line_without_end_is_refused_while_it_is_read(self, tmp_path):
        path = tmp_path / "line.gz"
        with gzip.open(path, "wb", 1) as file:
            for _ in range(64):
                file.write(b"1" * (1 << 20))
        with pytest.raises(RulerankError, match="the line is longer than"):
            read_letor(path)

    def test_several_files_are_joined_within_the_limit(self, monkeypatch):
        parts = [Collection.from_arrays(np.zeros((500, 500)), ["1"] * 500)] * 8
        monkeypatch.setenv(SETTING, "30")
        with pytest.raises(MemoryLimitError, match="joining 8 collections to 4,000 rows of 500 features"):
            Collection.concat(parts)


class TestPieces:
    collection = Collection.from_arrays(np.ones((400, 500)), ["1"] * 400)

    def unpacked(self, *pieces: bytes) -> Collection:
        return unpack_rows(pieces, self.collection.queries, self.collection.feature_names)

    def test_pieces_come_back(self):
        pieces = [pack_rows(self.collection, start, start + 100) for start in range(0, 400, 100)]
        assert self.unpacked(*pieces) == self.collection

    def test_a_bomb_is_refused(self, monkeypatch):
        monkeypatch.setenv(SETTING, "1")
        with pytest.raises(MemoryLimitError, match="reading the collection would need"):
            self.unpacked(zlib.compress(bytes(64 << 20)))
        with pytest.raises(MemoryLimitError):
            self.unpacked(*[pack_rows(self.collection, 0, 200)] * 2)

    def test_a_piece_that_says_it_is_larger_than_it_is(self):
        raw = zlib.decompress(pack_rows(self.collection, 0, 400))
        assert raw.count(b"(400, 500)") == 1
        with pytest.raises(InputError, match="damaged"):
            self.unpacked(zlib.compress(raw.replace(b"(400, 500), }", b"(9999999,500)}")))

    @pytest.mark.parametrize("piece", [b"", b"nonsense", zlib.compress(b""), zlib.compress(b"x")[:4]])
    def test_a_piece_that_is_none(self, piece):
        with pytest.raises(InputError, match="piece"):
            self.unpacked(piece)
        with pytest.raises(InputError, match="there is none"):
            self.unpacked()


class TestTexts:
    def test_a_packed_bomb(self, tmp_path, monkeypatch):
        monkeypatch.setenv(SETTING, "20")
        path = tmp_path / "documents.tsv.gz"
        with gzip.open(path, "wt", 1) as file:
            for number in range(3_000):
                file.write(f"{number}\ttitle\t{'wing ' * 2000}\n")
        with pytest.raises(MemoryLimitError, match="the texts up to here"):
            read_documents(path)
        (tmp_path / "queries.tsv").write_text("1\twing\n")
        with pytest.raises(MemoryLimitError, match="the texts up to here"):
            read_collection(tmp_path)

    def test_a_text_without_lines(self, tmp_path, monkeypatch):
        monkeypatch.setattr("rulerank.foreign.encodings.LONGEST_LINE", 1 << 20)
        monkeypatch.setattr("rulerank.prepare.files.LONGEST_LINE", 1 << 20)
        (tmp_path / "queries.tsv").write_text("1\twing\n")
        for encoding in ("utf-8", "utf-16"):
            (tmp_path / "documents.tsv").write_bytes(("é" * (4 << 20)).encode(encoding))
            with pytest.raises(InputError, match="a line is longer than"):
                read_collection(tmp_path)

    def test_a_table_of_a_million_columns(self, tmp_path):
        (tmp_path / "queries.tsv").write_text("1\twing\n")
        path = tmp_path / "documents.csv"
        path.write_text(",".join(["a"] * 500_000) + "\n" + ",".join(["b"] * 500_000) + "\n")
        with pytest.raises(InputError, match="500,000 columns; 10,000 is the most"):
            read_collection(tmp_path)
        path.write_text(",".join(f"a{k}" for k in range(5_000)) + "\n" + ",".join(["b"] * 5_000) + "\n")
        with pytest.raises(InputError, match="and 4970 more") as error:
            read_collection(tmp_path)
        assert len(str(error.value)) < 1000

    def test_records_with_ever_new_keys(self, tmp_path):
        (tmp_path / "queries.tsv").write_text("1\twing\n")
        path = tmp_path / "documents.jsonl"
        rows = ({"id": str(n), "text": "wing", f"k{n}": 1} for n in range(9_000))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert len(read_collection(tmp_path).documents) == 9_000
        path.write_text(json.dumps({"id": "1", "text": "wing", **{f"k{n}": 1 for n in range(100_000)}}) + "\n")
        with pytest.raises(InputError, match="is the most"):
            read_collection(tmp_path)

    def test_a_json_text_of_many_small_values(self, monkeypatch):
        monkeypatch.setenv(SETTING, "50")
        with pytest.raises(MemoryLimitError, match="a JSON text of this size"):
            parse_json("[" + "{}," * (1 << 20) + "{}]")

    def test_judgements_and_runs(self, tmp_path, monkeypatch):
        (tmp_path / "documents.tsv").write_text("1\ta\tb\n")
        (tmp_path / "queries.tsv").write_text("1\ta\n")
        monkeypatch.setenv(SETTING, "2")
        for name, line in {"qrels.txt": "1 0 1 1\n", "x.run": "1 Q0 1 1 1 x\n"}.items():
            (tmp_path / name).write_text(line * 10_000)
            with pytest.raises(MemoryLimitError, match="up to here"):
                read_collection(tmp_path)
            (tmp_path / name).unlink()

    def test_candidates_and_words(self, tmp_path, monkeypatch):
        (tmp_path / "documents.tsv").write_text("".join(f"{n}\twing {n}\tflutter of wings\n" for n in range(2_000)))
        (tmp_path / "queries.tsv").write_text("".join(f"{n}\twing {n}\n" for n in range(50)))
        gathered = read_collection(tmp_path, TextReading())
        assert len(prepare(gathered, Options(candidates=3)).collection) >= 150
        monkeypatch.setenv(SETTING, "20")
        with pytest.raises(MemoryLimitError, match="choose fewer candidates"):
            prepare(gathered, Options(candidates=2_000))
        monkeypatch.setenv(SETTING, "1")
        with pytest.raises(MemoryLimitError, match="the index of"):
            prepare(gathered)


class TestClicks:
    HEAD = "query,documents,grades,clicks\n"

    def test_ever_new_lists(self, tmp_path, monkeypatch):
        monkeypatch.setenv(SETTING, "5")
        path = tmp_path / "log.csv.gz"
        with gzip.open(path, "wt", 1) as file:
            file.write(self.HEAD)
            file.writelines(f"q{n},a{n} b{n},1 0,0 1\n" for n in range(20_000))
        with pytest.raises(MemoryLimitError, match="the sessions up to here"):
            read_log(path)

    def test_one_long_list_among_short_ones(self, monkeypatch):
        monkeypatch.setenv(SETTING, "8")
        names = [f"d{n}" for n in range(62)]
        long = f"q,{' '.join(names)},{' '.join('1' * 62)},{' '.join('0' * 62)}\n"
        short = "".join(f"q{n},d1,1,0\n" for n in range(9_000))
        assert read_log(io.BytesIO((self.HEAD + short).encode()), layout="csv").configurations == 9_000
        with pytest.raises(MemoryLimitError):
            read_log(io.BytesIO((self.HEAD + long + short).encode()), layout="csv")

    def test_a_line_without_end(self, monkeypatch):
        monkeypatch.setattr("rulerank.clicks.source.LONGEST_LINE", 1 << 20)
        for layout in ("csv", "jsonl"):
            with pytest.raises(InputError, match="a line is longer than"):
                read_log(io.BytesIO(b"x" * (2 << 20)), layout=layout)


def test_folds_of_a_simulation(monkeypatch):
    collection = Collection.from_arrays(
        np.random.default_rng(0).random((400, 500)), np.arange(400) // 10, np.arange(400) % 2
    )
    assert len(Dataset.from_collection(collection, 5).splits) == 5
    monkeypatch.setenv(SETTING, "5")
    with pytest.raises(MemoryLimitError, match="in 5 folds"):
        Dataset.from_collection(collection, 5)

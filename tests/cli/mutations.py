"""Files that are nearly right: small valid inputs of every format, and mutations of them drawn with a seed."""

from __future__ import annotations

import json
import random

TOKENS = (
    *(b"\0", b"\xe9", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf0\x9f\x98", "\u0663".encode(), "²".encode()),
    *(b"1e999", b"-1e999", b"nan", b"inf", b"Infinity", b"-1", b"1_000", b"0x10", b"9" * 23, b"9" * 5000, b"1.5"),
    *(b"1e-400", b"", b" ", b"\t", b"\n", b"\r", b"\r\n", b"\x0b", b"\x1c", b"\x85", "\u2028".encode(), b"#", b":"),
    *(b",", b"[", b"]", b"{", b"}", b'"', b"\\", b"\\ud800", b"\\u0000", b"null", b"true", b"NULL", b"qid:", b"[red]"),
    *(b":100:", b"<DOC>", b".I ", b"x" * 700, b"2000000000:1", b"=1+1", b"\x1b[31m"),
)  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Return a file with one to four faults."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(found))
        stop = min(len(found), at + rng.choice((0, 1, 1, 3, 8, 40)))
        match rng.randrange(7):
            case 0 | 1 | 2:
                found[at:stop] = rng.choice(TOKENS)
            case 3:
                found[at:at] = found[at:stop] * rng.choice((1, 3))
            case 4:
                del found[at:stop]
            case 5:
                found[at:stop] = bytes(rng.randrange(256) for _ in range(stop - at))
            case 6 if rng.random() < 0.3:
                del found[at:]
    return bytes(found)


def letor(rows: int = 36) -> bytes:
    """A LETOR file of four queries."""
    rng = random.Random(1)
    lines = []
    for row in range(rows):
        values = " ".join(f"{feature}:{row % 3 + rng.random() * feature:.3f}" for feature in range(1, 5))
        lines.append(f"{row % 3} qid:q{row // 9} {values} #docid = D{row} café")
    return "\n".join([*lines, ""]).encode()


def click_log(rows: int = 12) -> dict[str, bytes]:
    """A click log in the layouts of text."""
    rng = random.Random(2)
    table = []
    for row in range(rows):
        documents = [f"d{row % 4}{place}" for place in range(3)]
        grades, clicks = [rng.randint(0, 2) for _ in documents], [rng.randint(0, 1) for _ in documents]
        table.append(
            {"query": f"q{row % 4}", "documents": documents, "grades": grades, "clicks": clicks, "sessions": 3}
        )
    csv = ["query,documents,grades,clicks,sessions"] + [
        f"{row['query']},{','.join(' '.join(map(str, row[name])) for name in ('documents', 'grades', 'clicks'))},3"
        for row in table
    ]
    clara = [f"s{row}\t0\tQ\tq{row % 4}\t1\tu1\tu2\tu3\ns{row}\t1\tC\tu{row % 3 + 1}" for row in range(rows)]
    return {
        "log.csv": "\n".join([*csv, ""]).encode(),
        "log.jsonl": "".join(json.dumps(row) + "\n" for row in table).encode(),
        "clara2-SearchLog.tsv": "\n".join([*clara, ""]).encode(),
    }


CLARA_GRADES = b"query\turl\tgrade\n" + b"".join(
    f"q{query}\tu{url}\t{(query + url) % 3}\n".encode() for query in range(4) for url in (1, 2, 3)
)

_WORDS = ("wing", "lift", "flow", "shock", "plate", "boundary", "layer", "heat")
_TEXTS = [" ".join(_WORDS[(n * k) % 8] for k in range(1, 9)) for n in range(1, 9)]

FOLDERS: dict[str, dict[str, bytes]] = {
    "beir": {
        "corpus.jsonl": "".join(
            json.dumps({"_id": f"D{n}", "title": _WORDS[n], "text": text}) + "\n" for n, text in enumerate(_TEXTS)
        ).encode(),
        "queries.jsonl": "".join(json.dumps({"_id": f"q{n}", "text": _WORDS[n]}) + "\n" for n in range(3)).encode(),
        "qrels.tsv": b"query-id\tcorpus-id\tscore\n" + b"".join(b"q%d\tD%d\t1\n" % (n, n) for n in range(3)),
        "bm25.run": b"".join(b"q%d Q0 D%d 1 14.2 x\n" % (n, n) for n in range(3)),
    },
    "table": {
        "documents.csv": b"id,title,text,views\n"
        + "".join(f'D{n},{_WORDS[n]},"{text}",{n}\n' for n, text in enumerate(_TEXTS)).encode(),
        "queries.tsv": "".join(f"q{n}\t{_WORDS[n]}\n" for n in range(3)).encode(),
        "qrels.txt": b"".join(b"q%d 0 D%d 1\n" % (n, n) for n in range(3)),
    },
    "smart": {
        "x.all": "".join(f".I {n}\n.T\n{_WORDS[n - 1]}\n.W\n{text}\n" for n, text in enumerate(_TEXTS, 1)).encode(),
        "x.qry": "".join(f".I {n}\n.W\n{_WORDS[n]}\n" for n in range(1, 4)).encode(),
        "x.rel": b"".join(b"%d %d 0 0.0\n" % (n, n) for n in range(1, 4)),
    },
    "trec": {
        "docs.sgml": "".join(
            f"<DOC><DOCNO>D{n}</DOCNO>\n<TITLE>{_WORDS[n]}</TITLE>\n<TEXT>{text}</TEXT></DOC>\n"
            for n, text in enumerate(_TEXTS)
        ).encode(),
        "topics.txt": "".join(f"<top><num> Number: {n}\n<title> {_WORDS[n]}\n</top>\n" for n in range(3)).encode(),
        "qrels.txt": b"".join(b"%d 0 D%d 1\n" % (n, n) for n in range(3)),
    },
}
"""Folders as `prepare` takes them, by format."""

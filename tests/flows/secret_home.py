"""A home that older rules filled: secrets of every kind, in every place where a home can hold one."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.records import Change, Rejected, SourcePosition
from sunrise.domain.text.analysis import terms
from tasks.receipt_files import write_receipt, write_whole
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations

PLACES = (
    "summary", "detail", "escaped detail", "name", "episode", "change", "quarantine", "receipt", "page",
    "spool", "escaped spool", "memory", "old memory", "tagged memory", "backup",
)  # fmt: skip
DIMENSION = 8


@dataclass(frozen=True, slots=True)
class Planted:
    """A secret, and a text that makes it known as one."""

    value: str
    text: str


def _random(
    seed: str, length: int, alphabet: str = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
) -> str:
    digest = hashlib.shake_256(seed.encode()).digest(length)
    # A digit and a letter at the head, so that each looks like what it is.
    return "a7" + "".join(alphabet[byte % len(alphabet)] for byte in digest)[2:]


def _kinds(seed: str) -> list[Planted]:
    # Put together from parts: nobody who looks for secrets in a checkout should find one here.
    heads = {
        "sk" + "-ant-": 40, "sk" + "-proj-": 40, "gh" + "p_": 36, "glpat" + "-": 20, "xox" + "b-": 30,
        "npm" + "_": 36, "hf" + "_": 34, "AI" + "za": 35,
    }  # fmt: skip
    tokens = [head + _random(seed + head, length) for head, length in heads.items()]
    words = {
        "password: {}": 12, "密碼：{}": 12, "api_key={}": 24, "export DB_KEY={}": 24, "token: {}": 24,
        "postgres://app:{}@db/main": 14, "authorization: bearer {}": 30, "client_secret = {}": 24,
    }  # fmt: skip
    named = [(text, _random(seed + text, length)) for text, length in words.items()]
    return [Planted(token, f"use {token} there") for token in tokens] + [
        Planted(value, text.format(value)) for text, value in named
    ]


def planted(place: str) -> list[Planted]:
    """Return what stands in one place: sixteen secrets, which stand nowhere else."""
    return _kinds(place)


def all_values() -> list[bytes]:
    """Return every secret of the home, as bytes."""
    return [one.value.encode() for place in PLACES for one in planted(place)]


def write_secret_home(home: Path) -> None:
    """Fill an empty folder."""
    home.mkdir(parents=True)
    (home / "sunrise.toml").write_text('[embedder]\nname = "none"\n', encoding="utf-8")
    with closing(SqliteLedger(home / "ledger.sqlite", clock=FrozenClock(NOW))) as ledger:
        _fill_ledger(ledger)
        ledger.backup(home / "backups" / "sunrise-old" / "ledger.sqlite")
    _say_it_differently(home / "backups" / "sunrise-old" / "ledger.sqlite")
    _fill_memories(home)
    _fill_files(home)


def _fill_ledger(ledger: SqliteLedger) -> None:
    rows = [observation(f"plain-{number}") for number in range(40)]
    for number, one in enumerate(planted("summary")):
        rows.append(
            observation(f"summary-{number}", summary=one.text, summary_en=one.text, terms=terms(one.text))
        )
    for number, one in enumerate(planted("detail")):
        detail = json.dumps({"note": one.text, "password": one.value}, ensure_ascii=False)
        rows.append(observation(f"detail-{number}", detail_json=detail))
    for number, one in enumerate(planted("escaped detail")):
        rows.append(observation(f"escaped-{number}", detail_json=_escaped({"note": one.text})))
    for number, one in enumerate(planted("name")):
        rows.append(
            observation(
                f"{number} {one.text}", source_ref=one.text, tool_name=one.text, terms=terms(one.text)
            )
        )
    ledger.commit_harvest(
        observations(*rows),
        rejected=[
            Rejected("spool", str(number), "malformed_json", one.text)
            for number, one in enumerate(planted("quarantine"))
        ],
        position=None,
        episodes=_episodes(),
    )
    ledger.record_changes(
        [
            Change("mem:m-plain", "scope", json.dumps(one.text), "null", f"because {one.text}")
            for one in planted("change")
        ],
        run_id="r",
    )
    ledger.clear_outbox([change_id for change_id, _ in ledger.outbox()])


def _episodes() -> pa.Table:
    from contracts.observations import EpisodeFrame

    frame = EpisodeFrame.empty().to_arrow()
    rows = [
        {
            **dict.fromkeys(frame.column_names),
            "key": f"ep-{number}",
            "ts_ms": NOW,
            "type": "message",
            "source_kind": "import",
            "text": one.text,
            "detail_json": json.dumps({"said": one.text}),
        }
        for number, one in enumerate(planted("episode"))
    ]
    return pa.Table.from_pylist(rows, schema=frame.schema)


def _say_it_differently(backup: Path) -> None:
    """Give the backup secrets of its own, which nothing else in the home has."""
    with closing(sqlite3.connect(backup)) as db, db:
        for one in planted("backup"):
            db.execute("INSERT INTO notes VALUES (?, ?, 0)", (one.value[:4] + one.value[-4:], one.text))


def _fill_memories(home: Path) -> None:
    table = LanceMemories.create(home / "lance", dimension=DIMENSION)
    table.add(_memories("m-plain", ["The backup runs before each deploy", "The user likes green tea"]))
    table.tag("sunrise-clean")
    _manifest(home, "sunrise-clean", version=table.state().version)
    table.add(_memories("m-tagged", [one.text for one in planted("tagged memory")]))
    table.tag("sunrise-old")
    _manifest(home, "sunrise-old", version=table.state().version)
    table._table.delete("id LIKE 'm-tagged%'")
    table.add(_memories("m-old", [one.text for one in planted("old memory")]))
    table._table.delete("id LIKE 'm-old%' AND id <> 'm-old-0'")
    table.merge(pa.table({"id": ["m-old-0"], "text": ["nothing to see"], "terms": ["nothing see"]}))
    table.add(_memories("m-secret", [one.text for one in planted("memory")]))
    table.build_missing_indices()
    table.tag("sunrise-newest")
    _manifest(home, "sunrise-newest", version=table.state().version)
    table.add(_memories("m-late", ["The port of the server is 4242"]))


def _memories(head: str, texts: list[str]) -> pa.Table:
    rng = np.random.default_rng(len(texts))
    rows = [
        {
            "id": f"{head}-{number}",
            "text": text,
            "terms": terms(text),
            "category": "fact",
            "source_ref": text,
            "vector": rng.standard_normal(DIMENSION).tolist(),
        }
        for number, text in enumerate(texts)
    ]
    vector = pa.field("vector", pa.list_(pa.float32(), DIMENSION))
    names = ("id", "text", "terms", "category", "source_ref")
    return pa.Table.from_pylist(rows, schema=pa.schema([*(pa.field(n, pa.string()) for n in names), vector]))


def _manifest(home: Path, tag: str, *, version: int) -> None:
    manifest = {
        "tag": tag, "reason": "test", "created_ms": NOW, "version": version, "rows": 1, "digest": "d",
        "ledger_sha256": "s",
    }  # fmt: skip
    write_whole(home / "backups" / tag / "manifest.json", json.dumps(manifest))


def _fill_files(home: Path) -> None:
    spool = home / "spool" / "agent.jsonl"
    spool.parent.mkdir()
    lines = [{"id": 1, "summary": "plain"}]
    lines += [
        {"id": f"s{n}", "summary": one.text, "password": one.value} for n, one in enumerate(planted("spool"))
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    text += "".join(_escaped({"summary": one.text}) + "\n" for one in planted("escaped spool"))
    spool.write_text(text, encoding="utf-8")
    receipt = RunReceipt(
        run_id="old-run", flow="grade", status=RunStatus.OK, started_ms=NOW, finished_ms=NOW,
        facts={str(number): one.text for number, one in enumerate(planted("receipt"))},
    )  # fmt: skip
    write_receipt(home / "receipts", receipt)
    with closing(SqliteLedger(home / "ledger.sqlite", clock=FrozenClock(NOW))) as ledger:
        ledger.save_run(receipt)
    rows = "".join(f"<td title='{one.text}'>{one.text}</td>" for one in planted("page"))
    picture = "<img src='data:image/png;base64,c2stYW50LXRoaXMtaXMtYS1waWN0dXJl'>"
    write_whole(home / "reports" / "runs" / "old-run.html", f"<html><body>{picture}{rows}</body></html>")


def _escaped(value: dict[str, str]) -> str:
    """Return JSON in which every letter of a text is an escape."""
    inside = ", ".join(
        f'{json.dumps(name)}: "{"".join(f"{chr(92)}u{ord(letter):04x}" for letter in text)}"'
        for name, text in value.items()
    )
    return f"{{{inside}}}"


def copy_of(template: Path, home: Path) -> Path:
    """Copy a home."""
    return shutil.copytree(template, home)


def position_at_end(path: Path) -> SourcePosition:
    """Return a position that has read a whole file."""
    from sunrise.adapters.jsonl_lines import fingerprint_at

    stat = path.stat()
    with path.open("rb") as file:
        mark = fingerprint_at(file, stat.st_size)
    return SourcePosition(str(path), stat.st_dev, stat.st_ino, stat.st_size, 1, mark)

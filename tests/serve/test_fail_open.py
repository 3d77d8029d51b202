"""What each call answers where a part is down: reads say what is missing, writes say that they failed."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from sunrise.errors import StoreError
from tests.serving import make_home, served

EVENTS = {"events": [{"summary": "a"}]}
SERVICE = '[embedder]\nname = "openai"\nbase_url = "http://127.0.0.1:9"\nmodel = "m"\ndimension = 2\n'


def test_without_an_embedder_the_words_answer(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", config=SERVICE)
    with served(home) as running:
        answer = running.recall("green tea")
        assert answer.status == 200
        assert [item["ref"] for item in answer.json["items"]] == ["mem:m-tea"]
        ready = running.ask("GET", "/readyz")
        assert (ready.status, ready.json["status"], ready.json["embedder"]) == (503, "not_ready", "failed")
        assert running.ask("GET", "/healthz").status == 200
        assert running.ask("POST", "/v1/event", EVENTS).status == 202


def test_without_an_index_nothing_fails_and_the_receipt_says_why(own_home: Path) -> None:
    with served(own_home) as running:
        shutil.rmtree(own_home / "lance/memories.lance/_indices")
        answer = running.recall("green tea")
        assert answer.status == 200
        assert answer.json["receipt"]["lexicalSkipped"] is not None
        assert any(one.startswith("lexical_skipped:") for one in answer.json["receipt"]["warnings"])


def test_without_a_table_nothing_fails(own_home: Path) -> None:
    with served(own_home) as running:
        shutil.rmtree(own_home / "lance")
        answer = running.recall("green tea")
        assert (answer.status, answer.json["items"]) == (200, [])
        assert answer.json["receipt"]["reason"] in {"store_failed", "no_leg", "no_match"}
        # The home's own table is made anew, as at any other time.
        assert running.recall("green tea").status == 200
        assert running.ask("POST", "/v1/event", EVENTS).status == 202


def test_while_the_ledger_is_locked_reads_go_on(own_home: Path) -> None:
    with served(own_home) as running:
        other = sqlite3.connect(own_home / "ledger.sqlite", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        try:
            assert [item["ref"] for item in running.recall("green tea").json["items"]] == ["mem:m-tea"]
            assert running.ask("GET", "/readyz").status == 200
            assert running.ask("POST", "/v1/event", EVENTS).status == 202
        finally:
            other.close()


def test_without_a_ledger_the_memories_answer(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(own_home) as running:
        ledger = running.service.home.ledger
        monkeypatch.setattr(type(ledger), "get_note", _raise_store_error)
        assert [item["ref"] for item in running.recall("green tea").json["items"]] == ["mem:m-tea"]
        ready = running.ask("GET", "/readyz")
        assert (ready.status, ready.json["ledger"]) == (503, "failed")


def test_on_a_full_disk_reads_go_on_and_writes_say_so(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(own_home) as running:
        running.ask("POST", "/v1/event", EVENTS)
        before = (own_home / "spool/http/events.jsonl").read_bytes()
        # What the system says of a full disk, for files of the spool alone.
        monkeypatch.setattr("sunrise.adapters.spool_writer.os.fsync", _raise_no_space)
        answer = running.ask("POST", "/v1/event", EVENTS)
        assert (answer.status, answer.reason, answer.headers["retry-after"]) == (503, "store_failed", "5")
        assert b"spool" not in answer.body
        assert running.recall("green tea").json["items"]
    assert (own_home / "spool/http/events.jsonl").read_bytes() == before


def test_what_nobody_foresaw_is_a_problem_too(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(own_home) as running:
        monkeypatch.setattr(running.service, "recall", _raise_anything)
        answer = running.recall("xyzzy")
        assert (answer.status, answer.reason) == (500, "failed")
        assert answer.headers["content-type"] == "application/problem+json"
        assert b"secret" not in answer.body
        # And the connection after it is served.
        assert running.ask("GET", "/healthz").status == 200


def _raise_store_error(*_: object) -> None:
    raise StoreError("the ledger is gone")


def _raise_no_space(_: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _raise_anything(_: object) -> None:
    raise ZeroDivisionError("a secret")

"""Secrets in the ledger: in any text of any table, and in pages that no row needs any more."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.adapters.sqlite_sweep import find_secrets_in
from sunrise.domain.capture_identity import hidden_key
from sunrise.domain.records import Rejected
from sunrise.domain.secret_spans import RedactedField
from sunrise.domain.text.analysis import terms
from sunrise.errors import StoreError
from tests.fakes import FrozenClock
from tests.homes import observation, observations, position
from tests.ledgers import WHOLE, change, put, raw

TOKEN = "gh" + "p_" + "a1B2" * 9
SAID = f"use {TOKEN} there"
MARKED = "use [redacted:github-token] there"


def swept(ledger: SqliteLedger) -> int:
    done = ledger.redact_records(ledger.find_secrets().records, run_id="sweep-1")
    assert ledger.finish_redaction() is True
    return done


def pages(ledger: SqliteLedger) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(ledger.path.parent.glob(f"{ledger.path.name}*")))


def test_a_clean_ledger_is_seen_and_left_alone(ledger: SqliteLedger) -> None:
    put(ledger, *(observation(f"k{number}") for number in range(5)))
    found = ledger.find_secrets()
    assert (found.records, found.values) == ((), frozenset())
    assert found.seen["observations"] == 5
    assert ledger.redact_records((), run_id="sweep-1") == 0
    assert ledger.needs_finishing() is False


def test_every_text_of_an_observation_is_redacted_and_its_terms_follow(ledger: SqliteLedger) -> None:
    put(
        ledger,
        observation(
            "k", summary=SAID, summary_en=SAID, tool_name=SAID, scope=SAID, session_key=SAID, agent_id=SAID,
            source_ref=SAID, detail_json=json.dumps({"a": [SAID], "password": "swordfish"}),
        ),
    )  # fmt: skip
    (record,) = ledger.find_secrets().records
    assert (record.table, record.key) == ("observations", (1,))
    assert {one.record_ref for one in record.fields} == {"obs:1"}
    assert {one.field for one in record.fields} == {
        "summary", "summary_en", "tool_name", "scope", "session_key", "agent_id", "source_ref", "detail_json",
    }  # fmt: skip
    assert swept(ledger) == 1
    columns = "summary, summary_en, tool_name, scope, session_key, agent_id, source_ref"
    assert raw(ledger, f"SELECT {columns} FROM observations") == [(MARKED,) * 7]
    assert raw(ledger, "SELECT detail_json FROM observations") == [
        ('{"a":["use [redacted:github-token] there"],"password":"[redacted:field]"}',)
    ]
    assert raw(ledger, "SELECT terms FROM observations") == [(terms(f"{MARKED} {MARKED} {MARKED}"),)]
    assert TOKEN.encode() not in pages(ledger)
    assert ledger.check() == WHOLE


def test_the_number_of_the_terms_follows_too(ledger: SqliteLedger) -> None:
    put(ledger, observation("secret", summary=SAID, terms=terms(SAID)))
    swept(ledger)
    put(ledger, observation("again", summary=MARKED, terms=terms(MARKED)), offset=2)
    numbers = raw(ledger, "SELECT fingerprint FROM observations ORDER BY id")
    assert numbers[0] == numbers[1] != (None,)


def test_a_key_with_a_secret_becomes_the_key_that_harvest_would_give_it(ledger: SqliteLedger) -> None:
    put(ledger, observation(SAID), observation(hidden_key(SAID + "!")), observation(SAID + "!"))
    assert swept(ledger) == 2
    keys = [key for (key,) in raw(ledger, "SELECT key FROM observations ORDER BY id")]
    assert keys[0] == hidden_key(SAID)
    # The third would be called what the second, read again by today's rules, is called already.
    assert keys[1] == hidden_key(SAID + "!") != keys[2]
    assert len(set(keys)) == 3


def test_append_only_tables_are_redacted_and_stay_append_only(ledger: SqliteLedger) -> None:
    ledger.record_changes([change("mem:a", "scope", SAID, None)], run_id="r")
    assert swept(ledger) == 1
    assert raw(ledger, "SELECT before, after FROM changes") == [(json.dumps(MARKED), "null")]
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        ledger._db.execute("UPDATE changes SET reason = 'x'")


def test_an_error_leaves_the_ledger_and_its_guards_as_they_were(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.record_changes([change("mem:a", "scope", SAID, None)], run_id="r")
    found = ledger.find_secrets().records
    monkeypatch.setattr(ledger, "_note", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ledger.redact_records(found, run_id="sweep-1")
    assert raw(ledger, "SELECT before FROM changes") == [(json.dumps(SAID),)]
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        ledger._db.execute("UPDATE changes SET reason = 'x'")


def test_refused_rows_that_differ_by_their_secret_alone_stay_two(ledger: SqliteLedger) -> None:
    other = SAID.replace("a1B2", "c3D4")
    ledger.quarantine([Rejected("spool", "7", "malformed_json", sample) for sample in (SAID, other)])
    assert swept(ledger) == 2
    rows = raw(ledger, "SELECT position, sample FROM quarantine ORDER BY id")
    assert [sample for _, sample in rows] == [MARKED, MARKED]
    assert rows[0][0] == "7"
    assert rows[1][0].startswith("7 id:")


def test_small_tables_are_looked_through_too(ledger: SqliteLedger) -> None:
    ledger.put_note("baseline", json.dumps({"said": SAID}))
    ledger.commit_harvest(observations(), rejected=(), position=position(source=SAID))
    with ledger.writing() as db:
        db.execute("INSERT INTO pack_log VALUES (1, 0, 'h', 's', 0, 0, 0, ?)", (json.dumps({"q": SAID}),))
    found = ledger.find_secrets().records
    assert {record.table for record in found} == {"notes", "offsets", "pack_log"}
    # A row that is known by its secret is not called by it.
    assert not [one for record in found for one in record.fields if TOKEN in one.record_ref]
    assert swept(ledger) == 3
    assert ledger.find_secrets().records == ()
    assert TOKEN.encode() not in pages(ledger)


def test_what_was_taken_is_noted_once_for_each_record_field_and_kind(
    ledger: SqliteLedger, clock: FrozenClock
) -> None:
    put(ledger, observation("k", summary=f"{SAID}, password: hunter2!", source_ref=SAID))
    swept(ledger)
    ledger.note_redactions([RedactedField("mem:a", "text", "token")], run_id="sweep-1")
    assert raw(ledger, "SELECT run_id, record_ref, field, kind, at_ms FROM redactions ORDER BY id") == [
        ("sweep-1", "obs:1", "summary", "github-token", clock.ms),
        ("sweep-1", "obs:1", "summary", "password", clock.ms),
        ("sweep-1", "obs:1", "source_ref", "github-token", clock.ms),
        ("sweep-1", "mem:a", "text", "token", clock.ms),
    ]


def test_a_row_that_was_mended_or_is_gone_is_passed_over(ledger: SqliteLedger) -> None:
    put(ledger, observation("a", summary=SAID), observation("b", summary=SAID))
    found = ledger.find_secrets().records
    with ledger.writing() as db:
        db.execute("UPDATE observations SET summary = 'mended' WHERE id = 1")
        db.execute("DELETE FROM observations WHERE id = 2")
    assert ledger.redact_records(found, run_id="sweep-1") == 0
    assert ledger.needs_finishing() is False


def test_pages_of_rows_that_are_gone_are_freed(ledger: SqliteLedger) -> None:
    put(ledger, observation("gone", summary=SAID * 50), observation("kept", summary=SAID))
    with ledger.writing() as db:
        db.execute("DELETE FROM observations WHERE id = 1")
    assert TOKEN.encode() in pages(ledger)
    swept(ledger)
    assert TOKEN.encode() not in pages(ledger)


@pytest.fixture
def reader(ledger: SqliteLedger) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as db:
        yield db


def test_a_reader_in_the_way_is_told_of_and_a_note_waits(
    ledger: SqliteLedger, reader: sqlite3.Connection
) -> None:
    put(ledger, observation("k", summary=SAID))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM observations").fetchone()
    ledger.redact_records(ledger.find_secrets().records, run_id="sweep-1")
    assert ledger.finish_redaction(patience_s=0.1) is False
    assert ledger.needs_finishing() is True
    assert ledger.find_secrets().records == ()
    reader.execute("COMMIT")
    assert ledger.finish_redaction(patience_s=0.1) is True
    assert ledger.needs_finishing() is False
    assert TOKEN.encode() not in pages(ledger)


def test_a_position_is_renewed_only_where_nobody_moved_it(ledger: SqliteLedger) -> None:
    was = position(1)
    put(ledger, observation("k"))
    renewed = type(was)(was.source, was.device, was.inode, was.offset, was.line, "new")
    assert ledger.renew_position(renewed, was=was) is True
    assert ledger.source_position("spool") == renewed
    assert ledger.renew_position(was, was=was) is False
    assert ledger.source_position("spool") == renewed


def test_a_backup_is_looked_through_and_not_changed(ledger: SqliteLedger, tmp_path: Path) -> None:
    put(ledger, observation("k", summary=SAID))
    backup = tmp_path / "copy" / "ledger.sqlite"
    digest = ledger.backup(backup)
    found = find_secrets_in(backup)
    assert ([record.key for record in found.records], found.values) == ([(1,)], {TOKEN})
    assert ledger.backup(tmp_path / "again.sqlite") == digest
    assert [path.name for path in backup.parent.iterdir()] == ["ledger.sqlite"]


def test_a_file_that_is_no_ledger_cannot_be_looked_through(tmp_path: Path) -> None:
    (tmp_path / "torn.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="cannot be read"):
        find_secrets_in(tmp_path / "torn.sqlite")

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.harvest import harvest
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.settings import load_settings
from tests.homes import CAPTURES, run_body, write_captures

COUNTS = ("seen", "inserted", "duplicate", "quarantined", "redacted")


def go(path: Path, *, dry_run: bool = False) -> RunReceipt:
    return run_body(path, harvest, flow="harvest", dry_run=dry_run)


def counts(receipt: RunReceipt) -> list[int]:
    return [receipt.counts[name] for name in COUNTS]


def kept(path: Path) -> tuple[int, int]:
    with open_home(load_settings(path)) as home:
        return home.ledger.count("observations"), home.ledger.count("quarantine")


def test_what_the_agent_wrote_is_read_once(home_path: Path) -> None:
    receipt = go(home_path)
    assert (receipt.status, counts(receipt)) == (RunStatus.OK, [3, 3, 0, 0, 0])
    assert receipt.counts["bytes"] == (home_path / "spool" / "agent.jsonl").stat().st_size
    assert receipt.figures["rows_per_second"] > 0
    again = go(home_path)
    assert (counts(again), again.counts["bytes"]) == ([0, 0, 0, 0, 0], 0)
    assert kept(home_path) == (3, 0)


def test_what_comes_later_is_read_from_where_it_stopped(home_path: Path) -> None:
    go(home_path)
    spool = home_path / "spool" / "agent.jsonl"
    # A repeated line is a duplicate; what stands twice in a batch counts once.
    write_captures(spool, [CAPTURES[0], {"id": 9, "kind": "note", "summary": "new"}] * 2, append=True)
    receipt = go(home_path)
    assert counts(receipt) == [4, 1, 3, 0, 0]
    assert kept(home_path) == (4, 0)


def test_bad_lines_are_kept_apart_with_their_reason(home_path: Path) -> None:
    token = "sk-ant-api03-" + "a1B2" * 20
    lines: list[dict[str, Any] | str] = [
        "{",
        "[]",
        {"kind": "note"},
        {"id": 8, "kind": "note", "summary": f"the key is {token}"},
    ]
    write_captures(home_path / "spool" / "bad.jsonl", lines)
    receipt = go(home_path)
    assert counts(receipt) == [7, 4, 0, 3, 1]
    assert receipt.groups["quarantined_by_reason"] == {
        "malformed_json": 1, "missing_text": 1, "not_an_object": 1,
    }  # fmt: skip
    assert receipt.status is RunStatus.OK
    assert token not in (home_path / "ledger.sqlite").read_bytes().decode("latin-1")
    # Reading the same again refuses nothing twice.
    write_captures(home_path / "spool" / "bad.jsonl", lines)
    go(home_path)
    assert kept(home_path) == (4, 3)


def test_a_source_that_is_mostly_refused_is_told_of(home_path: Path) -> None:
    write_captures(home_path / "spool" / "bad.jsonl", ["{"] * 9)
    receipt = go(home_path)
    assert receipt.status is RunStatus.ANOMALY
    assert [(one.code, one.message) for one in receipt.anomalies] == [
        ("mostly_refused", "75% of the lines were refused")
    ]


def test_one_source_that_cannot_be_read_keeps_no_other_from_it(home_path: Path) -> None:
    (home_path / "spool" / "a-folder.jsonl").mkdir()
    receipt = go(home_path)
    assert (receipt.status, receipt.counts["inserted"]) == (RunStatus.ANOMALY, 3)
    assert [one.code for one in receipt.anomalies] == ["source_unreadable"]
    assert "a-folder.jsonl" in receipt.anomalies[0].message


def test_captures_elsewhere_are_read_by_glob(home_path: Path, tmp_path: Path) -> None:
    write_captures(tmp_path / "gateway" / "one.jsonl", [{"id": 70, "summary": "elsewhere"}])
    with (home_path / "sunrise.toml").open("a") as file:
        for path in (f"{tmp_path}/gateway/*.jsonl", "missing.jsonl"):
            file.write(f'[[sources]]\nkind = "capture"\npath = "{path}"\n')
    receipt = go(home_path)
    assert counts(receipt) == [4, 4, 0, 0, 0]
    assert [anomaly.code for anomaly in receipt.anomalies] == ["source_missing"]


def test_small_batches_give_the_same(home_path: Path) -> None:
    lines = [{"id": n, "kind": "note", "summary": f"line {n}"} for n in range(100, 350)]
    write_captures(home_path / "spool" / "many.jsonl", lines)
    with (home_path / "sunrise.toml").open("a") as file:
        file.write("[harvest]\nbatch_lines = 100\n")
    assert counts(go(home_path)) == [253, 253, 0, 0, 0]
    assert counts(go(home_path)) == [0, 0, 0, 0, 0]


def test_a_dry_run_counts_and_keeps_nothing(home_path: Path) -> None:
    write_captures(home_path / "spool" / "bad.jsonl", ["{", CAPTURES[0]])
    receipt = go(home_path, dry_run=True)
    assert counts(receipt)[0] == 5
    assert receipt.counts["quarantined"] == 1
    assert kept(home_path) == (0, 0)
    assert counts(go(home_path)) == [5, 3, 1, 1, 0]


BAD_SCOPE = {"id": 7, "kind": "note", "summary": "the tram was late", "scope": "bad scope!!"}


def test_a_line_whose_scope_is_no_name_waits_until_it_is_one(home_path: Path) -> None:
    inner = {"id": 8, "kind": "note", "summary": "a parcel waits", "detail": {"scope": "-x"}}
    write_captures(home_path / "spool" / "said.jsonl", [BAD_SCOPE, inner])
    receipt = go(home_path)
    assert receipt.groups["quarantined_by_reason"] == {"bad_scope": 2}
    assert counts(receipt) == [5, 3, 0, 2, 0]
    with (home_path / "sunrise.toml").open("a", encoding="utf-8") as file:
        file.write('\n[scope_policy]\nvalidation_mode = "normalize"\n')
    assert go(home_path).counts["resolved"] == 2
    with open_home(load_settings(home_path)) as home:
        rows = home.ledger.trust_standings(tier=None, limit=10)
        assert {one.text for one in rows} >= {"the tram was late", "a parcel waits"}


@pytest.mark.parametrize(("mode", "kept_as"), [("normalize", "bad-scope"), ("none", "bad scope!!")])
def test_a_scope_is_put_in_order_where_the_policy_says_so(home_path: Path, mode: str, kept_as: str) -> None:
    with (home_path / "sunrise.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[scope_policy]\nvalidation_mode = "{mode}"\n')
    write_captures(home_path / "spool" / "said.jsonl", [BAD_SCOPE])
    assert counts(go(home_path))[1:4] == [4, 0, 0]
    with open_home(load_settings(home_path)) as home:
        assert isinstance(home.ledger, SqliteLedger)
        with home.ledger.reading() as db:
            (found,) = db.execute("SELECT scope FROM observations WHERE summary LIKE 'the tram%'").fetchall()
    assert found == (kept_as,)

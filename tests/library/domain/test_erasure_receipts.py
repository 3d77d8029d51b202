"""What the receipt of an erasure tells, in plain values."""

from __future__ import annotations

import json

from sunrise.domain.answers import erase_answer_of, explained_answer_of
from sunrise.domain.erasure import EraseResult, HolderKind, erasure_of, is_complete, places, still_holding
from sunrise.domain.forget import ForgetReceipt, ForgetResult, ForgetStatus
from sunrise.domain.receipts import Anomaly, RunReceipt, RunStatus
from sunrise.domain.scrubber import SECRETS
from sunrise.domain.secret_spans import scrubbed_json
from sunrise.domain.secrets import gate_pattern
from sunrise.domain.sought_texts import sought_texts
from sunrise.domain.turn_log import LoggedTurn


def receipt(**values: object) -> RunReceipt:
    return RunReceipt(run_id="r", flow="erase", status=RunStatus.ANOMALY, started_ms=0, **values)  # type: ignore[arg-type]


def test_places_and_holders_are_told_by_name_and_kind() -> None:
    told = receipt(
        groups={
            "found_by_place": {"spool": 3, "backups": 1},
            "erased_by_place": {"spool": 3},
            "left_by_place": {"backups": 1},
        },
        refs={"still_holds_backup": ("backups/a/ledger.sqlite",), "still_holds_memory": ("mem:x",)},
        facts={"by_text": "yes", "complete": "no"},
        anomalies=(Anomaly("text_remains", "look at it", 2),),
    )
    assert places(told) == {
        "spool": {"found": 3, "erased": 3, "left": 0},
        "backups": {"found": 1, "erased": 0, "left": 1},
    }
    assert [(one.name, one.kind) for one in still_holding(told)] == [
        ("mem:x", HolderKind.MEMORY),
        ("backups/a/ledger.sqlite", HolderKind.BACKUP),
    ]
    assert erasure_of(told).to_dict() == {
        "runId": "r",
        "status": "anomaly",
        "reason": None,
        "complete": False,
        "byText": "yes",
        "places": places(told),
        "foundIn": [],
        "stillHolds": [
            {"path": "mem:x", "kind": "memory"},
            {"path": "backups/a/ledger.sqlite", "kind": "backup"},
        ],
        "anomalies": [{"code": "text_remains", "message": "look at it", "count": 2}],
    }


def test_a_run_that_was_busy_is_not_complete() -> None:
    assert (is_complete(receipt()), places(receipt())) == (False, {})
    assert is_complete(receipt(facts={"complete": "yes"}))


def test_secrets_are_taken_out_by_the_same_hands() -> None:
    said = {"password": "swordfish", "note": "log in with password: hunter2"}
    assert SECRETS.gates == (gate_pattern(),)
    assert SECRETS.scrub(said["note"]).kinds == ("password",)
    assert SECRETS.scrub_value(said)["password"] == "[redacted:field]"
    assert SECRETS.blank(said["note"]) == "log in with password: [*****]"


def test_what_is_no_json_is_scrubbed_as_a_plain_text() -> None:
    by = sought_texts(["The key is under the mat"])
    for text, after in (
        ('{"a": "the key is  under the mat"}', '{"a": "[redacted:erased]"}'),
        ('{"a": "the key is under the mat', '{"a": "[redacted:erased]'),
    ):
        found = scrubbed_json(text, dumps=json.dumps, scrub=by.scrub, scrub_value=by.scrub_value)
        assert (found.text, found.kinds) == (after, ("erased",))


def test_an_answer_tells_of_an_erasure_or_that_there_was_nothing_to_erase() -> None:
    gone = ForgetReceipt(at_ms=1, status=ForgetStatus.FORGOTTEN, refs=("mem:x",))
    forgotten = ForgetResult(ForgetStatus.FORGOTTEN, ("mem:x",), (), gone)
    done = erase_answer_of(EraseResult(forgotten, erasure_of(receipt(facts={"complete": "yes"}))))
    assert (done["status"], done["refs"], done["erasure"]["complete"]) == ("forgotten", ["mem:x"], True)
    nothing = ForgetReceipt(at_ms=1, status=ForgetStatus.NOT_FOUND)
    none = erase_answer_of(EraseResult(ForgetResult(ForgetStatus.NOT_FOUND, (), (), nothing)))
    assert (none["status"], none["erasure"]) == ("not_found", None)


def test_an_answer_explains_the_last_turn_or_none() -> None:
    turn = LoggedTurn("s", "global", 1, (), {"schema": "x"}, number=3)
    assert explained_answer_of(turn) == {"session": "s", "number": 3, "turn": {"schema": "x"}}
    assert explained_answer_of(None) == {"session": None, "number": None, "turn": None}

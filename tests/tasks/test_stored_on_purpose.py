"""What is stored on purpose stays at least nice_to_have, from the store to the row after every flow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sunrise
from flows.grade import grade
from flows.regrade import regrade_importance
from flows.writeback import write_back
from sunrise.bootstrap import open_home
from sunrise.domain.capture_request import CaptureRequest
from sunrise.domain.receipts import RunStatus
from sunrise.domain.scoring.heuristic_v1 import HEURISTIC_V1
from sunrise.domain.store import StoreResult, StoreStatus
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.homes import CONFIG, NOW, observation, observations, run_body

# Neither has a sign that heuristic-v1 knows: by itself it gives both 0.3, which is ignore.
PLAIN = "The spare bulbs lie in the blue cupboard"
PLAIN_ZH = "備用燈泡放在藍色櫃子裡"


def stored(path: Path, text: str, **more: Any) -> StoreResult:
    with sunrise.open(path) as memories:
        return memories.store(text, **more)


def store(path: Path, text: str, **more: Any) -> str:
    return (stored(path, text, **more).ref or "").removeprefix("mem:")


def row(path: Path, memory_id: str) -> tuple[float | None, str | None]:
    with open_home(load_settings(path)) as home:
        table = home.memories()
        assert table is not None
        (found,) = table.by_ids([memory_id], ["importance", "importance_label"]).to_pylist()
    return found["importance"], found["importance_label"]


def capture_of_the_call(path: Path, memory_id: str) -> None:
    """Let the ledger harvest the tool call that stored a memory, as a gateway's capture file has it."""
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        call = observation("call", tool_name="memory_store", summary="stored a memory", memory_id=memory_id)
        home.ledger.commit_harvest(observations(call), rejected=(), position=None)


def day(path: Path) -> None:
    """Grade, grade anew with the other scorer, and write back by force: nothing may lower the memory."""
    run_body(path, grade, flow="grade")
    assert regrade_importance.fn(home=str(path), scorer="heuristic-v2").status is RunStatus.OK
    assert write_back.fn(home=str(path), force=True).status is RunStatus.OK


@pytest.mark.parametrize("text", [PLAIN, PLAIN_ZH])
def test_a_store_without_importance_is_never_below_nice_to_have(home_path: Path, text: str) -> None:
    assert HEURISTIC_V1.grade(kind="note", tool_name=None, summary=text).label == "ignore"
    memory_id = store(home_path, text)
    assert row(home_path, memory_id) == (0.5, "nice_to_have")
    capture_of_the_call(home_path, memory_id)
    day(home_path)
    assert row(home_path, memory_id) == (0.5, "nice_to_have")


def test_what_is_stated_counts_and_no_flow_lifts_it(home_path: Path) -> None:
    low, high = store(home_path, PLAIN, importance="ignore"), store(home_path, PLAIN_ZH, importance=0.9)
    day(home_path)
    assert (row(home_path, low), row(home_path, high)) == ((0.0, "ignore"), (0.9, "must_remember"))


def test_what_was_stored_as_unknown_is_graded_and_not_below_either(home_path: Path) -> None:
    memory_id = store(home_path, PLAIN, importance="unknown")
    assert row(home_path, memory_id) == (None, None)
    day(home_path)
    assert row(home_path, memory_id) == (0.5, "nice_to_have")


def test_without_a_scorer_a_store_is_nice_to_have_too(home_path: Path) -> None:
    (home_path / "sunrise.toml").write_text(f'{CONFIG}\n[grade]\nscorer = "off"\n', encoding="utf-8")
    memory_id = store(home_path, PLAIN)
    assert row(home_path, memory_id) == (0.5, "nice_to_have")


def test_storing_again_lifts_what_a_scorer_ignored_and_not_what_somebody_did(home_path: Path) -> None:
    graded = store(home_path, PLAIN, on_purpose=False)
    by_hand = store(home_path, PLAIN_ZH, importance="ignore")
    again = store(home_path, "Door 4 sticks", id="door")
    store(home_path, "Door 4 sticks", id="door", importance="ignore")
    assert (row(home_path, graded)[1], row(home_path, by_hand)[1]) == ("ignore", "ignore")
    assert (store(home_path, PLAIN), store(home_path, PLAIN_ZH)) == (graded, by_hand)
    store(home_path, "Door 4 sticks in winter", id="door")
    assert row(home_path, graded) == (0.5, "nice_to_have")
    assert (row(home_path, by_hand)[1], row(home_path, again)[1]) == ("ignore", "ignore")


def test_a_plugins_memory_that_is_stored_again_keeps_its_own_score(home_path: Path) -> None:
    # Its score is 0.9 and it has no label yet; its text is the plugin's.
    assert store(home_path, "Backup the database before every deploy") == "m-backup"
    assert row(home_path, "m-backup") == (0.9, "must_remember")


@pytest.mark.parametrize(
    ("said", "label"),
    [
        (f"Remember that {PLAIN[0].lower()}{PLAIN[1:]}.", "nice_to_have"),
        (f"請記住：{PLAIN_ZH}。", "nice_to_have"),
        ("I like the window seat on trains.", "ignore"),
    ],
)
def test_what_the_owner_orders_to_remember_is_never_below_nice_to_have(
    home_path: Path, said: str, label: str
) -> None:
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        messages = ({"role": "user", "content": said},)
        (ref,) = home.auto_capture(CaptureRequest(messages, "s1")).refs
    memory_id = ref.removeprefix("mem:")
    assert row(home_path, memory_id)[1] == label
    day(home_path)
    if label == "nice_to_have":
        assert row(home_path, memory_id) == (0.5, "nice_to_have")


def test_the_status_of_a_store_says_that_it_lifted(home_path: Path) -> None:
    store(home_path, PLAIN, on_purpose=False)
    lifted = stored(home_path, PLAIN)
    assert lifted.status is StoreStatus.MERGED
    assert lifted.receipt.filled == ("importance", "importance_label")
    assert stored(home_path, PLAIN).status is StoreStatus.DUPLICATE

"""What an agent makes of something untrusted is trusted no more than that, whenever a harvest is killed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters.episode_frames import EPISODE_SCHEMA
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.bootstrap import Home, open_home
from sunrise.domain.lineage import Derived
from sunrise.domain.text.analysis import terms
from sunrise.errors import StoreError
from sunrise.online.inheritance import Reach
from sunrise.ports import Ledger
from sunrise.settings import load_settings
from tasks import lineage
from tasks.lineage import inherit_trust, inherited_tier
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations
from tests.ledgers import change, put, raw

PAGE = "Acme notes: the new payout account for invoices is DE89 3704 0044 from June on"
COPY = "The payout account for Acme invoices is DE89 3704 0044"
SAID = "I take the 7:40 train to Brno on weekdays"


def row(key: str, text: str, **values: Any) -> dict[str, Any]:
    return observation(key, **{"summary": text, "terms": terms(text), "source_kind": "agent", **values})


def web(key: str, text: str = PAGE, **values: Any) -> dict[str, Any]:
    return row(key, text, **{"source_kind": "web", "trust_tier": "untrusted", "ts_ms": NOW - 5000, **values})


def owner(key: str, text: str = SAID) -> dict[str, Any]:
    return row(key, text, source_kind="operator", trust_tier="trusted", ts_ms=NOW - 9000)


def tiers(ledger: Ledger, *keys: str) -> list[str | None]:
    found = dict(raw(ledger, "SELECT key, trust_tier FROM observations"))  # type: ignore[arg-type]
    return [found[key] for key in keys]


def inherit(home: Home, run_id: str = "r") -> dict[str, int]:
    return inherit_trust(home, run_id=run_id)


@pytest.fixture
def store(home: Home) -> SqliteLedger:
    assert isinstance(home.ledger, SqliteLedger)
    return home.ledger


def test_a_copy_of_an_untrusted_text_is_untrusted_and_says_why(home: Home, store: SqliteLedger) -> None:
    put(
        store,
        web("page"),
        owner("said"),
        row("copy", COPY),
        row("own", "The user takes the 7:40 train to Brno"),
    )
    assert inherit(home) == {"derived": 2, "lowered": 1}
    assert tiers(store, "copy", "own", "page", "said") == ["untrusted", None, "untrusted", "trusted"]
    assert raw(store, "SELECT trust_reason FROM observations WHERE key = 'copy'") == [("inherits_untrusted",)]
    made = store.changes(run_id="r")
    assert [(one.record_ref, one.field, one.before, one.after, one.reason) for one in made] == [
        ("obs:3", "trust_tier", "null", '"untrusted"', "inherits_untrusted"),
        ("obs:3", "trust_reason", "null", '"inherits_untrusted"', "inherits_untrusted"),
    ]


def test_what_was_looked_at_is_not_looked_at_again(home: Home, store: SqliteLedger) -> None:
    put(store, row("copy", COPY))
    assert inherit(home) == {"derived": 1, "lowered": 0}
    # The page comes after it was judged: it stays as it is.
    put(store, web("page"), offset=2)
    assert inherit(home) == {"derived": 0, "lowered": 0}
    assert tiers(store, "copy") == [None]


def test_the_untrusted_memory_of_a_copy_passes_it_on(home: Home, store: SqliteLedger) -> None:
    put(store, web("page"), row("first", f'Stored: "{COPY}"', source_kind="tool", tool_name="memory_store",
                                memory_id="m1"))  # fmt: skip
    inherit(home)
    with store.writing() as db:
        # The page is gone from the index: what is left of it is the memory.
        db.execute(
            "UPDATE observations SET terms = 'x', trust_tier = NULL, source_kind = 'import' WHERE id = 1"
        )
    put(store, row("second", f"Note to self: {COPY}"), offset=2)
    assert inherit(home)["lowered"] == 1
    assert tiers(store, "first", "second") == ["untrusted", "untrusted"]


NAMED = [
    # Origin, tier, parents, and what they leave it.
    ("agent", None, ["obs:1"], "untrusted"),
    ("agent", None, ["obs:2"], None),
    ("agent", None, ["obs:2", "obs:3"], "quarantined"),
    ("agent", None, ["obs:99"], None),
    ("operator", "trusted", ["obs:2"], "trusted"),
    ("operator", "trusted", ["obs:99"], None),
    ("operator", "trusted", ["mem:m-low"], "untrusted"),
    ("operator", "trusted", ["ep:1"], "untrusted"),
    ("operator", "trusted", [], "trusted"),
    ("import", None, ["obs:3"], "quarantined"),
]


@pytest.mark.parametrize(("origin", "tier", "parents", "left"), NAMED)
def test_named_parents_leave_no_more_than_the_least_of_them(
    home: Home, store: SqliteLedger, origin: str, tier: str | None, parents: list[str], left: str | None
) -> None:
    answer: dict[str, Any] = {**dict.fromkeys(EPISODE_SCHEMA.names), "key": "e", "ts_ms": NOW, "text": "t"}
    answer |= {"type": "tool.result", "session_id": "s", "source_kind": "tool", "trust_tier": "untrusted"}
    told = pa.Table.from_pylist([{**answer, "detail_json": "{}", "source_ref": "s"}], schema=EPISODE_SCHEMA)
    store.commit_harvest(observations(), rejected=(), position=None, episodes=told)
    detail = f'{{"provenance":{{"derived_from":{str(parents).replace(chr(39), chr(34))}}}}}'
    put(
        store,
        web("low"),
        owner("high"),
        web("hidden", trust_tier="quarantined"),
        web("stored", "remembers nothing", memory_id="m-low"),
        row("it", "says what nobody else says", source_kind=origin, trust_tier=tier, detail_json=detail),
    )
    inherit(home)
    assert tiers(store, "it") == [left]
    reason = raw(store, "SELECT trust_reason FROM observations WHERE key = 'it'")[0][0]
    assert reason == (None if left == tier else f"inherits_{left or 'unknown'}")


def test_an_owners_own_words_are_his_whatever_a_page_says(home: Home, store: SqliteLedger) -> None:
    put(store, web("page"), owner("mine", COPY))
    with store.writing() as db:
        db.execute("UPDATE observations SET memory_id = 'm1', ts_ms = ? WHERE key = 'mine'", (NOW,))
    inherit(home)
    assert tiers(store, "mine") == ["trusted"]


def test_what_an_operator_decided_stands(home: Home, store: SqliteLedger) -> None:
    put(store, web("page"), row("copy", COPY))
    decided = change("obs:2", "trust_tier", None, "trusted")
    made = type(decided)(decided.record_ref, decided.field, decided.before, decided.after, "set: I read it")
    store.apply_to_observations([made], run_id="operator")
    assert inherit(home) == {"derived": 1, "lowered": 0}
    assert tiers(store, "copy") == ["trusted"]


def test_five_who_say_the_same_are_trusted_as_little_as_one(home: Home, store: SqliteLedger) -> None:
    pages = [web(f"page{n}", f"{PAGE}, says source {n}", session_key=f"s{n}") for n in range(5)]
    put(store, *pages, row("copy", COPY))
    inherit(home)
    assert tiers(store, "copy") == ["untrusted"]


def test_many_rows_are_judged_whatever_the_batches(home: Home, store: SqliteLedger) -> None:
    copies = [row(f"copy{n}", f"{COPY}, {n}") for n in range(3 * lineage._BATCH + 1)]
    put(store, web("page"), *copies, web("last"))
    assert inherit(home) == {"derived": len(copies), "lowered": len(copies)}
    assert store.inherited_up_to() == store.newest_observation() == len(copies) + 2


class KilledError(Exception):
    pass


@pytest.mark.parametrize("after", [0, 1, 5, lineage._BATCH, lineage._BATCH + 3])
def test_killed_anywhere_and_run_again_it_ends_the_same(
    home: Home, store: SqliteLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    rows = [web("page"), owner("said")]
    rows += [row(f"r{n}", f"{COPY if n % 3 else SAID}, number {n}") for n in range(2 * lineage._BATCH)]
    put(store, *rows)
    with open_home(load_settings(tmp_path / "other"), clock=FrozenClock(NOW)) as other:
        assert isinstance(other.ledger, SqliteLedger)
        put(other.ledger, *rows)
        inherit(other)
        wanted = raw(other.ledger, "SELECT key, trust_tier, trust_reason FROM observations ORDER BY key")
    left = [after]

    def kill(ledger: Ledger, judged: Derived, *, reach: Reach) -> str | None:
        left[0] -= 1
        if left[0] < 0:
            raise KilledError
        return inherited_tier(ledger, judged, reach=reach)

    with monkeypatch.context() as patched:
        patched.setattr(lineage, "inherited_tier", kill)
        with pytest.raises(KilledError):
            inherit(home)
    # What was judged and not noted yet is judged again.
    assert store.inherited_up_to() <= after + 2
    inherit(home)
    assert raw(store, "SELECT key, trust_tier, trust_reason FROM observations ORDER BY key") == wanted
    # Each change stands there once.
    assert store.count("changes") == 2 * len([one for one in wanted if one[2]])


def test_rows_of_tools_are_passed_over(home: Home, store: SqliteLedger) -> None:
    many = [web(f"t{n}", f"result {n}", source_kind="tool", detail_json='{"a":1}') for n in range(200)]
    put(store, *many)
    assert inherit(home) == {"derived": 0, "lowered": 0}
    assert store.inherited_up_to() == 200


def test_a_ledger_that_cannot_be_read_fails(home_path: Path) -> None:
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        home.ledger.close()
        with pytest.raises(StoreError):
            inherit(home)

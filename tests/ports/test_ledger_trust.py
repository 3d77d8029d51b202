"""What the ledger says of trust: which rows owe their words to others, and what was before them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from sunrise.adapters.episode_frames import EPISODE_SCHEMA
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.lineage import Derived
from sunrise.domain.retention import DAY_MS
from sunrise.domain.text.analysis import terms
from tests.homes import NOW, observation, observations
from tests.ledgers import change, put, raw


def row(key: str, text: str = "", **values: Any) -> dict[str, Any]:
    text = text or f"summary of {key}"
    return observation(key, **{"summary": text, "terms": terms(text), "source_kind": "agent", **values})


def episode(number: int, **values: Any) -> dict[str, Any]:
    made: dict[str, Any] = dict.fromkeys(EPISODE_SCHEMA.names)
    return {
        **made,
        "key": f"s1#{number}",
        "ts_ms": NOW - 10_000 + number,
        "type": "tool.result",
        "session_id": "s1",
        "source_kind": "tool",
        "source_ref": f"session:s1#{number}",
        "trust_tier": "untrusted",
        "text": f"answer {number}",
        "detail_json": "{}",
        **values,
    }


def tell(ledger: SqliteLedger, *episodes: dict[str, Any]) -> None:
    rows = pa.Table.from_pylist(list(episodes), schema=EPISODE_SCHEMA)
    ledger.commit_harvest(observations(), rejected=(), position=None, episodes=rows)


def at(ledger: SqliteLedger, episode_id: int, *, ts_ms: int = NOW) -> Derived:
    return Derived(1, ts_ms, None, None, "", episode_id=episode_id)


# Derived rows


def test_rows_that_owe_their_words_to_others_are_found_oldest_first(ledger: SqliteLedger) -> None:
    put(
        ledger,
        row("tool", source_kind="tool", trust_tier="untrusted"),
        row("agent"),
        row("system", source_kind="system"),
        row("owner", source_kind="operator", trust_tier="trusted"),
        row("stored", source_kind="tool", memory_id="m1"),
        row("low", trust_tier="untrusted"),
        row("hidden", trust_tier="quarantined"),
        row(
            "named",
            source_kind="operator",
            trust_tier="trusted",
            detail_json='{"provenance":{"parents":["obs:1","mem:m1"]}}',
        ),
        row("import", source_kind="import"),
    )
    found = ledger.derived_rows(after_id=0, limit=10)
    assert [(one.row_id, one.parents, one.is_owners) for one in found] == [
        (2, (), False), (3, (), False), (5, (), False), (8, ("obs:1", "mem:m1"), True),
    ]  # fmt: skip
    assert (found[0].ts_ms, found[0].tier, found[0].terms) == (NOW - 1000, None, "summari of agent")
    assert [one.row_id for one in ledger.derived_rows(after_id=2, limit=2)] == [3, 5]
    assert ledger.newest_observation() == 9


@pytest.mark.parametrize("provenance", ['"obs:1"', "5", "null", "[]", '{"parents": "ep:x"}', '"{"'])
def test_a_provenance_that_names_nobody_has_no_parents(ledger: SqliteLedger, provenance: str) -> None:
    put(ledger, row("a", detail_json=f'{{"provenance":{provenance}}}'))
    (found,) = ledger.derived_rows(after_id=0, limit=1)
    assert found.parents == ()


def test_one_row_is_found_whatever_its_tier(ledger: SqliteLedger) -> None:
    put(ledger, row("a", trust_tier="quarantined"), row("b", source_kind="tool"))
    ledger.apply_to_observations([change("obs:1", "trust_reason", None, "why")], run_id="r")
    found = ledger.derived_row(1)
    assert found is not None
    assert (found.row_id, found.tier, found.reason) == (1, "quarantined", "why")
    assert (ledger.derived_row(2), ledger.derived_row(99)) == (None, None)


def test_the_mark_of_what_was_looked_at_never_goes_back(ledger: SqliteLedger) -> None:
    assert (ledger.inherited_up_to(), ledger.newest_observation()) == (0, 0)
    ledger.set_inherited_up_to(7)
    ledger.set_inherited_up_to(3)
    assert ledger.inherited_up_to() == 7


# Where a row may come from


def test_what_stands_before_a_row_in_its_session_is_told_apart(ledger: SqliteLedger) -> None:
    owner = {"type": "conversation.user", "source_kind": "operator"}
    tell(
        ledger,
        episode(1, **owner, trust_tier="trusted"),
        episode(2),
        episode(3, type="tool.call", trust_tier=None),
        episode(4, tool_name="memory_recall"),
        episode(5, **owner, trust_tier="untrusted"),
        episode(6, **owner, trust_tier=None),
        episode(7, type="conversation.assistant", source_kind="agent", trust_tier=None),
        episode(8, source_kind="web", trust_tier=None),
        episode(9, tool_name="memory_store"),
        episode(10),
        episode(11, session_id="s2"),
    )
    assert ledger.session_sources(at(ledger, 9)) == ([1], [8, 5, 2])
    assert ledger.session_sources(at(ledger, 11)) == ([], [])
    assert ledger.session_sources(Derived(1, NOW, None, None, "")) == ([], [])
    assert (ledger.episode_text(2), ledger.episode_text(99)) == ("answer 2", "")


def test_what_was_read_later_and_said_before_stands_before(ledger: SqliteLedger) -> None:
    tell(ledger, episode(5), episode(1))
    assert ledger.session_sources(at(ledger, 1)) == ([], [2])
    assert ledger.session_sources(at(ledger, 2)) == ([], [1])


def test_a_memory_is_judged_by_the_whole_text_that_was_stored(ledger: SqliteLedger) -> None:
    call = {"type": "tool.call", "tool_call_id": "c1", "detail_json": '{"arguments":{"text":"all of it"}}'}
    tell(
        ledger,
        episode(1, **call),
        episode(2, tool_call_id="c1"),
        episode(3, **{**call, "session_id": "s2"}),
        episode(4, tool_call_id="c2"),
        episode(5, type="tool.call", tool_call_id="c3", detail_json='{"arguments":{"text":7}}'),
        episode(6, tool_call_id="c3"),
        episode(7),
    )
    assert ledger.stored_text(2) == "all of it"
    assert [ledger.stored_text(number) for number in (4, 6, 7, 99)] == [None] * 4


SENTENCE = "the payout account of acme is de89-3704"


def like(ledger: SqliteLedger, text: str = SENTENCE, **values: Any) -> tuple[list[str], list[Any]]:
    asked = Derived(99, values.pop("ts_ms", NOW), None, None, terms(text))
    words = [word for word in dict.fromkeys(terms(text).split()) if word not in {"the", "of", "is"}]
    return ledger.rows_like(asked, words, since_ms=values.pop("since_ms", 0))


def test_rows_like_one_are_the_owners_and_those_that_are_untrusted(ledger: SqliteLedger) -> None:
    said = f"{SENTENCE} I think"
    put(
        ledger,
        row("owner", said, source_kind="operator", trust_tier="trusted"),
        row("guest", said, source_kind="operator", trust_tier="untrusted"),
        row("somebody", said, source_kind="operator"),
        row("tool", said, source_kind="tool", tool_name="exec"),
        row("web", said, source_kind="web", trust_tier="untrusted"),
        row("recalled", said, source_kind="tool", tool_name="memory_recall", trust_tier="untrusted"),
        row("stored", said, source_kind="tool", tool_name="memory_store", memory_id="m1"),
        row("poisoned", said, source_kind="tool", tool_name="memory_store", memory_id="m2",
            trust_tier="untrusted"),
        row("agent", said),
        row("other", "nothing of the kind", source_kind="tool"),
    )  # fmt: skip
    owners, others = like(ledger)
    assert owners == [terms(said)]
    # The guest, the tool, the web and the poisoned memory; what nobody can place is no source.
    assert others == [(terms(said), None)] * 4


def test_only_what_was_said_before_and_not_long_before_counts(ledger: SqliteLedger) -> None:
    times = {"old": NOW - 40 * DAY_MS, "then": NOW - DAY_MS, "later": NOW + 1}
    put(ledger, *(row(key, f"{SENTENCE} {key}", source_kind="tool", ts_ms=ts) for key, ts in times.items()))
    put(ledger, row("undated", f"{SENTENCE} undated", source_kind="tool", ts_ms=NOW + 9, ts_flag="missing"))
    put(ledger, row("owner", f"{SENTENCE} owner", source_kind="operator", trust_tier="trusted",
                    ts_ms=NOW - 400 * DAY_MS))  # fmt: skip
    owners, others = like(ledger, since_ms=NOW - 30 * DAY_MS)
    assert [text.split()[-1] for text, _ in others] == ["undat", "then"]
    assert [text.split()[-1] for text in owners] == ["owner"]


def test_frequent_words_are_looked_up_side_by_side(ledger: SqliteLedger) -> None:
    noise = [row(f"n{n}", f"account {n} of acme; payout {n}", source_kind="tool") for n in range(300)]
    put(ledger, *noise, row("it", "the payout account of acme", source_kind="tool"))
    _, others = like(ledger, "payout account acme")
    assert terms("the payout account of acme") in [text for text, _ in others]
    assert like(ledger, "nowhere") == ([], [])
    assert ledger.rows_like(at(ledger, 1), [], since_ms=0) == ([], [])


def test_the_syntax_of_the_index_is_no_way_in(ledger: SqliteLedger) -> None:
    put(ledger, row("a", "x AND y OR (z) NEAR -c:*", source_kind="tool"), row("b", "AND", source_kind="tool"))
    for text in ("x AND y", "OR (z)", "NEAR", "-c:*", "a^b", "col:x"):
        like(ledger, text)


# Tiers


def test_a_ref_has_the_tier_of_its_record_and_a_memory_the_least(ledger: SqliteLedger) -> None:
    tell(ledger, episode(1))
    put(
        ledger,
        row("a", memory_id="m1", trust_tier="trusted"),
        row("b", memory_id="m1"),
        row("c", memory_id="m2", trust_tier="trusted"),
    )
    refs = ["obs:1", "obs:2", "obs:9", "ep:1", "ep:9", "mem:m1", "mem:m2", "mem:x", "doc:r:p#1"]
    assert ledger.tiers_of(refs) == {
        "obs:1": "trusted", "obs:2": None, "ep:1": "untrusted", "mem:m1": None, "mem:m2": "trusted",
    }  # fmt: skip


def test_standings_are_newest_first_and_of_one_tier(ledger: SqliteLedger) -> None:
    put(
        ledger,
        row("a", "one", trust_tier="quarantined", memory_id="m1"),
        row("b", "two", trust_tier="quarantined"),
        row("c", "three"),
    )
    ledger.apply_to_observations([change("obs:1", "trust_reason", None, "payload:x")], run_id="r")
    found = ledger.trust_standings(tier="quarantined", limit=10)
    assert [(one.ref, one.tier, one.reason, one.origin, one.text, one.memory_id) for one in found] == [
        ("obs:2", "quarantined", None, "agent", "two", None),
        ("obs:1", "quarantined", "payload:x", "agent", "one", "m1"),
    ]
    assert found[0].at_ms == NOW - 1000
    assert [one.ref for one in ledger.trust_standings(tier=None, limit=10)] == ["obs:3"]
    assert [one.ref for one in ledger.trust_standings(tier="quarantined", limit=1)] == ["obs:2"]
    assert [one.ref for one in ledger.observation_standings([3, 1, 99])] == ["obs:1", "obs:3"]
    assert [one.ref for one in ledger.standings_of_memories(["m1", "m9"])] == ["obs:1"]


def test_trusted_rows_of_the_owner_are_found_by_marks(ledger: SqliteLedger) -> None:
    put(
        ledger,
        row("a", "the [box]", source_kind="operator", trust_tier="trusted"),
        row("b", "the box", source_kind="operator", trust_tier="trusted"),
        row("c", "Ana (7): hi", source_kind="operator", trust_tier="trusted"),
        row("d", "the [box]", source_kind="operator", trust_tier="untrusted"),
        row("e", "the [box]", source_kind="agent", trust_tier="trusted"),
    )
    found = ledger.owners_with_marks(("[", "): "), after_id=0, limit=10)
    assert [one.ref for one in found] == ["obs:1", "obs:3"]
    assert [one.ref for one in ledger.owners_with_marks(("[", "): "), after_id=1, limit=1)] == ["obs:3"]


def test_the_quarantined_are_found_without_reading_the_others(ledger: SqliteLedger) -> None:
    plan = raw(
        ledger,
        "EXPLAIN QUERY PLAN SELECT id FROM observations o WHERE o.trust_tier = 'quarantined'"
        " ORDER BY o.id DESC LIMIT 5",
    )
    assert "observations_distrusted" in plan[0][-1]


# What was decided


def test_the_history_of_trust_is_told_in_order_and_tells_who_decided(ledger: SqliteLedger) -> None:
    put(ledger, row("a"), row("b"))
    ledger.apply_to_observations([change("obs:1", "trust_tier", None, "untrusted")], run_id="r1")
    ledger.apply_to_observations([change("obs:1", "trust_tier", "untrusted", "quarantined")], run_id="r2")
    ledger.apply_to_observations([change("obs:1", "scope", None, "ops")], run_id="r2")
    assert ledger.trust_history(["obs:1", "obs:2"]) == {"obs:1": ((None, "test"), ("untrusted", "test"))}
    assert ledger.decided_by_operator(["obs:1", "obs:2"]) == frozenset()
    released = replace(change("mem:m1", "trust_tier", "quarantined", None), reason="released")
    ledger.record_changes([released], run_id="r3")
    assert ledger.decided_by_operator(["mem:m1", "obs:1"]) == {"mem:m1"}

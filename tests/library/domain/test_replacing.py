"""Which memories a text replaces: a table by hand, and a law over trust."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.replacing import Successor, WhyNot, replaced_ids, why_not
from sunrise.domain.trust import QUARANTINED, TIERS
from sunrise.errors import DataError

NEW = Successor(id="new", scope="global", tier=None)


def row(**more: Any) -> dict[str, Any]:
    return {"id": "old", "scope": "global", "trust_tier": None, "state": "active", **more}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([row()], None),
        ([row(scope=None)], None),
        ([row(scope="", state=None)], None),
        ([row(state="superseded")], None),
        ([row(trust_tier="untrusted")], None),
        ([row(trust_tier="a tier of somebody else")], None),
        ([], WhyNot.NOT_FOUND),
        ([row(scope="home")], WhyNot.NOT_FOUND),
        ([row(scope="home"), row(scope="home")], WhyNot.NOT_FOUND),
        ([row(), row()], WhyNot.AMBIGUOUS),
        ([row(), row(scope="home")], WhyNot.AMBIGUOUS),
        ([row(trust_tier="trusted")], WhyNot.TRUSTED_MORE),
        ([row(trust_tier="trusted", state="archived")], WhyNot.TRUSTED_MORE),
        ([row(state="archived")], WhyNot.ARCHIVED),
    ],
)
def test_why_a_memory_is_not_replaced(rows: list[dict[str, Any]], reason: WhyNot | None) -> None:
    assert why_not("old", rows, NEW) is reason


def test_a_memory_does_not_replace_itself_and_one_that_does_not_stand_replaces_nothing() -> None:
    assert why_not("new", [row(id="new")], NEW) is WhyNot.ITSELF
    outdated = Successor(id="new", scope="global", tier="trusted", is_current=False)
    hidden = Successor(id="new", scope="global", tier=QUARANTINED)
    assert [why_not("old", [row()], one) for one in (outdated, hidden)] == [WhyNot.NOTHING_STANDS] * 2


@given(st.sampled_from(TIERS), st.sampled_from([tier for tier in TIERS if tier != QUARANTINED]))
def test_only_what_is_trusted_no_less_replaces(old: str | None, new: str | None) -> None:
    # From the least: quarantined, untrusted, unknown, trusted.
    may = TIERS.index(new) >= TIERS.index(old)
    reason = why_not("old", [row(trust_tier=old)], Successor(id="new", scope="global", tier=new))
    assert reason is (None if may else WhyNot.TRUSTED_MORE)


def test_ids_may_hold_a_colon_and_are_named_once() -> None:
    assert replaced_ids(("working_set:home", "mem:working_set:home", "a")) == ("working_set:home", "a")
    assert replaced_ids(()) == ()


@pytest.mark.parametrize("refs", [["obs:7"], [" "], "m-tea", ["a"] * 21, ["a" * 257]])
def test_what_names_no_memory_is_refused(refs: Any) -> None:
    with pytest.raises(DataError) as error:
        replaced_ids(refs)
    assert error.value.reason == "bad_replaces"

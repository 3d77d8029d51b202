"""Origins bind trust: a claim can lower a tier, and nothing can raise it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.trust import (
    CEILINGS,
    TIERS,
    Origin,
    ceiling,
    is_operators_decision,
    known_tier,
    least,
    may_be_must,
    tier_after_release,
    tier_at_entry,
)

# From the least to the most, written down once more by hand.
ORDER = ["quarantined", "untrusted", None, "trusted"]
TIER = st.sampled_from(ORDER)
ORIGIN = st.sampled_from([str(origin) for origin in Origin])


def test_each_origin_has_its_ceiling() -> None:
    assert dict(CEILINGS) == {
        "operator": "trusted",
        "agent": None,
        "system": None,
        "import": None,
        "tool": "untrusted",
        "web": "untrusted",
    }
    assert {str(origin) for origin in Origin} == set(CEILINGS)


@pytest.mark.parametrize("name", ["", "owner", "Operator", "operator ", "admin", "god"])
def test_an_origin_that_nobody_knows_gives_no_trust(name: str) -> None:
    assert ceiling(name) is None
    assert tier_at_entry(name, claimed="trusted") is None


@given(st.lists(TIER, min_size=1))
def test_the_least_is_the_first_in_the_order_of_trust(tiers: list[str | None]) -> None:
    assert least(*tiers) == ORDER[min(ORDER.index(tier) for tier in tiers)]
    assert list(TIERS) == ORDER


def test_of_nothing_and_of_what_is_no_tier_nothing_is_known() -> None:
    assert least() is None
    assert least("boundless", "trusted") is None
    assert least("boundless", "untrusted") == "untrusted"


@given(ORIGIN, st.sampled_from([*ORDER, "boundless"]), st.lists(TIER))
def test_nothing_that_is_said_raises_a_tier_above_its_origin(
    origin: str, claimed: str | None, parents: list[str | None]
) -> None:
    tier = tier_at_entry(origin, claimed=claimed, parents=parents)
    assert ORDER.index(tier) <= ORDER.index(ceiling(origin))
    assert all(ORDER.index(tier) <= ORDER.index(parent) for parent in parents)
    # Saying nothing is no less than saying the most.
    silent = tier_at_entry(origin, claimed=None, parents=parents)
    assert silent == tier_at_entry(origin, claimed="trusted", parents=parents)


@given(ORIGIN, TIER, TIER)
def test_a_stay_in_quarantine_washes_nothing_clean(
    origin: str, inherited: str | None, before: str | None
) -> None:
    tier = tier_after_release(origin, inherited=inherited, before=before)
    assert tier != "quarantined"
    assert ORDER.index(tier) <= ORDER.index(ceiling(origin))
    for other in (inherited, before):
        assert ORDER.index(tier) <= max(ORDER.index(other), ORDER.index("untrusted"))


def test_a_memory_of_nobody_is_unknown_when_released() -> None:
    assert tier_after_release(None) is None
    assert tier_after_release("operator") == "trusted"
    assert tier_after_release("operator", inherited="quarantined") == "untrusted"


def test_what_an_operator_decided_is_told_by_its_reason() -> None:
    assert [is_operators_decision(reason) for reason in ("released", "set: mine", "fill_empty", "set")] == [
        True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize("origin", [*map(str, Origin), "god", None])
@pytest.mark.parametrize("tier", ORDER)
def test_only_what_is_trusted_or_of_no_known_origin_may_be_must(tier: str | None, origin: str | None) -> None:
    is_low = tier in ("untrusted", "quarantined")
    assert may_be_must(tier, origin) is (tier == "trusted" or (origin is None and not is_low))


def test_a_tier_that_is_none_is_unknown() -> None:
    assert [known_tier(one) for one in (*ORDER, "Trusted", "trusted by the owner", "")] == [
        *ORDER,
        None,
        None,
        None,
    ]

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.retention import DAY_MS, RetentionPolicy, Standing, Tier, Verdict, judge, tier_of

NOW = 1_000 * DAY_MS
POLICY = RetentionPolicy(p1_days=90, p2_days=30)
JUDGED = {"importance_label": "ignore", "importance_score": 0.1}


def standing(**values: Any) -> Standing:
    whole: dict[str, Any] = {
        "kind": "note",
        "importance_label": "ignore",
        "priority": None,
        "state": "captured",
        "created_ms": 0,
        "archived_at_ms": None,
        "last_used_ms": None,
    }
    return Standing(**{**whole, **values})


def verdict(**values: Any) -> Verdict:
    return judge(standing(**values), policy=POLICY, now_ms=NOW)


@pytest.mark.parametrize(
    ("values", "tier"),
    [
        ({"kind": "note"}, Tier.P2),
        ({"kind": "tool"}, Tier.P2),
        ({"kind": "decision"}, Tier.P1),
        ({"kind": "preference"}, Tier.P1),
        ({"kind": "fact"}, Tier.P1),
        ({"kind": "note", "priority": "P0"}, Tier.P0),
        ({"kind": "decision", "priority": "P2"}, Tier.P2),
        ({"kind": "note", "priority": "p0"}, Tier.P2),
        ({"kind": "note", "priority": "urgent"}, Tier.P2),
    ],
)
def test_the_tier_is_what_the_record_says_else_by_kind(values: dict[str, Any], tier: Tier) -> None:
    assert tier_of(standing(**values)) is tier


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        # P2 has 30 days, to the millisecond.
        ({"created_ms": NOW - 30 * DAY_MS}, Verdict.ARCHIVE),
        ({"created_ms": NOW - 30 * DAY_MS + 1}, Verdict.PROTECTED_YOUNG),
        # P1 has 90.
        ({"kind": "fact", "created_ms": NOW - 90 * DAY_MS}, Verdict.ARCHIVE),
        ({"kind": "fact", "created_ms": NOW - 89 * DAY_MS}, Verdict.PROTECTED_YOUNG),
        # Use counts in place of age.
        ({"last_used_ms": NOW - 29 * DAY_MS}, Verdict.PROTECTED_RECENT_USE),
        ({"last_used_ms": NOW - 30 * DAY_MS}, Verdict.ARCHIVE),
        ({"created_ms": NOW, "last_used_ms": NOW - 40 * DAY_MS}, Verdict.ARCHIVE),
        # What protects.
        ({"priority": "P0"}, Verdict.PROTECTED_P0),
        ({"priority": "P0", "importance_label": None}, Verdict.PROTECTED_P0),
        ({"importance_label": "must_remember"}, Verdict.PROTECTED_MUST_REMEMBER),
        ({"importance_label": None}, Verdict.PROTECTED_UNGRADED),
        ({"importance_label": "unknown"}, Verdict.PROTECTED_UNGRADED),
        # Only what was judged to be ignored goes by its age: here no recall was ever served.
        ({"importance_label": "nice_to_have"}, Verdict.PROTECTED_NO_RECALL_YET),
        ({"importance_score": 0.1}, Verdict.ARCHIVE),
        ({"importance_score": 0.45}, Verdict.PROTECTED_NO_RECALL_YET),
        ({"kind": "hard_rule"}, Verdict.PROTECTED_HARD_RULE),
        ({"kind": "hard_rule", "trust_tier": "untrusted"}, Verdict.ARCHIVE),
        ({"kind": "hard_rule", "state": "superseded"}, Verdict.ARCHIVE),
        ({"is_pinned": True}, Verdict.PROTECTED_PINNED),
        ({"is_pinned": True, "state": "superseded"}, Verdict.ARCHIVE),
        ({"state": None}, Verdict.ARCHIVE),
        ({"state": "stale"}, Verdict.ARCHIVE),
        # What is archived stays so, until it is used.
        ({"state": "archived", "archived_at_ms": 50}, Verdict.REST),
        ({"state": "archived", "archived_at_ms": 50, "last_used_ms": 50}, Verdict.REST),
        ({"state": "archived", "archived_at_ms": 50, "last_used_ms": 51}, Verdict.REVIVE),
        ({"state": "archived", "archived_at_ms": None, "last_used_ms": 1}, Verdict.REVIVE),
        ({"state": "archived", "priority": "P0"}, Verdict.REST),
    ],
)
def test_verdicts(values: dict[str, Any], wanted: Verdict) -> None:
    assert verdict(**values) is wanted


@pytest.mark.parametrize(
    ("served", "values", "wanted"),
    [
        # P2 has 30 days, and they begin on the day of the first recall.
        (NOW - 29 * DAY_MS, {}, Verdict.PROTECTED_TOO_EARLY),
        (NOW - 30 * DAY_MS, {}, Verdict.ARCHIVE),
        (NOW - 30 * DAY_MS, {"kind": "fact"}, Verdict.PROTECTED_TOO_EARLY),
        (NOW - 90 * DAY_MS, {"kind": "fact"}, Verdict.ARCHIVE),
        # Or on the day on which it came here, where that is later.
        (0, {"entered_ms": NOW - 29 * DAY_MS}, Verdict.PROTECTED_TOO_EARLY),
        (0, {"entered_ms": NOW - 30 * DAY_MS}, Verdict.ARCHIVE),
        (0, {"last_used_ms": NOW - 29 * DAY_MS}, Verdict.PROTECTED_RECENT_USE),
        # What was used once has the days of P1: a month may have 31.
        (0, {"last_used_ms": NOW - 31 * DAY_MS}, Verdict.PROTECTED_RECENT_USE),
        (0, {"last_used_ms": NOW - 90 * DAY_MS}, Verdict.ARCHIVE),
        (0, {"last_used_ms": NOW - 30 * DAY_MS, **JUDGED}, Verdict.ARCHIVE),
        (0, {"created_ms": NOW - 29 * DAY_MS}, Verdict.PROTECTED_YOUNG),
        # A low score that something speaks for is no judgement against it.
        (0, {"importance_label": "ignore", "importance_score": 0.45}, Verdict.ARCHIVE),
        (
            NOW - DAY_MS,
            {"importance_label": "ignore", "importance_score": 0.45},
            Verdict.PROTECTED_TOO_EARLY,
        ),
        (NOW - DAY_MS, {"importance_label": "ignore", "importance_score": 0.1}, Verdict.ARCHIVE),
    ],
)
def test_the_clock_of_a_record_begins_when_it_could_first_be_used(
    served: int, values: dict[str, Any], wanted: Verdict
) -> None:
    policy = RetentionPolicy(p1_days=90, p2_days=30, served_since_ms=served)
    held = standing(**{"importance_label": "nice_to_have", **values})
    assert judge(held, policy=policy, now_ms=NOW) is wanted


def test_the_reason_says_whether_it_was_ignored_or_not_used() -> None:
    assert standing(importance_score=0.1).why_archived == "ignored_P2"
    assert standing(kind="fact", importance_label="nice_to_have").why_archived == "unused_P1"


def test_p0_has_no_limit() -> None:
    assert (POLICY.limit_ms(Tier.P1), POLICY.limit_ms(Tier.P2)) == (90 * DAY_MS, 30 * DAY_MS)
    with pytest.raises(KeyError):
        POLICY.limit_ms(Tier.P0)


@given(
    label=st.sampled_from(["must_remember", "unknown", None]),
    created=st.integers(0, NOW),
    used=st.none() | st.integers(0, NOW),
)
def test_important_and_ungraded_records_are_never_archived(
    label: str | None, created: int, used: int | None
) -> None:
    found = verdict(importance_label=label, created_ms=created, last_used_ms=used)
    assert found is not Verdict.ARCHIVE

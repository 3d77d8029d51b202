"""The stamp of an event that came by HTTP, and what of its body is kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.adapters.jsonl_lines import dump_json
from sunrise.domain.capture import capture_row
from sunrise.domain.capture_origin import LOCAL, UNSTAMPED, ClaimLimits
from sunrise.domain.capture_stamp import EVENT_FIELDS, known_fields, opened, stamp_of
from sunrise.domain.trust import TIERS, ceiling
from sunrise.errors import DataError

STAMP = stamp_of(caller="agent", scope="agent:1", highest_origin="agent", at_ms=5)
ORIGINS = ("operator", "agent", "tool", "web", "import", "system")


def taken(limits: ClaimLimits, **record: Any) -> Any:
    row, _ = capture_row({"text": "tea", **record}, dumps=dump_json, fallback_ms=1, now_ms=2, limits=limits)
    return row


def test_an_event_is_read_within_its_stamp() -> None:
    event, limits = opened({"stamp": STAMP, "event": {"text": "tea", "scope": "agent:2"}})
    assert limits == ClaimLimits("agent", by_token=True, scope="agent:1")
    assert taken(limits, **event).scope == "agent:1"


WRONG = {
    "caller": ("", None, 1),
    "scope": ("", " ", None),
    "highest_origin": ("tool", "", None, ["agent"]),
    "received_at_ms": (-1, None, "5", True, 1.5),
}


@pytest.mark.parametrize(
    "line",
    [
        {}, {"stamp": STAMP}, {"event": {}}, {"stamp": STAMP, "event": {}, "scope": "x"},
        {"stamp": STAMP, "event": "text"}, {"stamp": [], "event": {}},
        *({"stamp": {**STAMP, name: one}, "event": {}} for name, values in WRONG.items() for one in values),
        *({"stamp": {one: STAMP[one] for one in STAMP if one != name}, "event": {}} for name in STAMP),
    ],
)  # fmt: skip
def test_a_line_without_a_valid_stamp_is_refused(line: dict[str, Any]) -> None:
    with pytest.raises(DataError) as refused:
        opened(line)
    assert refused.value.reason == "no_valid_stamp"


def test_what_no_capture_has_is_dropped_and_counted() -> None:
    event = {**dict.fromkeys(EVENT_FIELDS, "x"), "stamp": 1, "event": 2, "trusted": 3, "Detail": 4}
    assert known_fields(event) == (dict.fromkeys(EVENT_FIELDS, "x"), 4)


@pytest.mark.parametrize(
    ("limits", "claimed", "origin"),
    [
        (LOCAL, None, "import"), (LOCAL, "operator", "agent"), (LOCAL, "system", "system"),
        (ClaimLimits("operator"), "operator", "operator"), (ClaimLimits("operator"), None, "import"),
        (UNSTAMPED, None, "agent"), (UNSTAMPED, "import", "agent"), (UNSTAMPED, "system", "agent"),
        (UNSTAMPED, "web", "web"), (UNSTAMPED, "tool", "tool"), (UNSTAMPED, "operator", "agent"),
        (ClaimLimits("operator", by_token=True), None, "agent"),
        (ClaimLimits("operator", by_token=True), "operator", "operator"),
    ],
)  # fmt: skip
def test_an_origin_is_believed_as_far_as_its_interface_goes(
    limits: ClaimLimits, claimed: str | None, origin: str
) -> None:
    assert taken(limits, source_kind=claimed).source_kind == origin


@pytest.mark.parametrize(
    ("limits", "label"),
    [
        (LOCAL, "must_remember"), (UNSTAMPED, None), (ClaimLimits("agent", by_token=True, scope="a"), None),
        (ClaimLimits("operator", by_token=True, scope="a"), "must_remember"),
    ],
)  # fmt: skip
def test_only_the_owners_token_puts_a_row_before_all_others(limits: ClaimLimits, label: str | None) -> None:
    for stated in (0.95, "high", {"score": "96%", "label": "ignore"}):
        assert taken(limits, importance=stated).importance_label == label
    assert taken(limits, detail={"importance": 0.6}).importance_label == "nice_to_have"


@given(
    st.sampled_from([None, *ORIGINS]), st.sampled_from([None, *ORIGINS]), st.sampled_from([None, *TIERS]),
    st.sampled_from(["agent", "operator"]), st.sampled_from([None, "exec"]), st.booleans(),
)  # fmt: skip
def test_no_claim_gives_more_trust_than_the_highest_origin(
    claimed: str | None, inner: str | None, tier: str | None, highest: str, tool: str | None, by_token: bool
) -> None:
    detail = {"source_kind": inner, "trust": tier, "provenance": {"trust_tier": "trusted"}}
    row = taken(ClaimLimits(highest, by_token=by_token), source_kind=claimed, detail=detail, tool_name=tool)
    assert TIERS.index(row.trust_tier) <= TIERS.index(ceiling(highest))
    assert TIERS.index(row.trust_tier) <= TIERS.index(ceiling(row.source_kind))
    assert row.source_kind != "operator" or (claimed == "operator" and highest == "operator" and not tool)

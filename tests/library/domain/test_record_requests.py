"""Refs as people write them, and the bounds of what can be asked."""

from __future__ import annotations

from typing import Any

import pytest

from sunrise.domain.admin import ListRequest
from sunrise.domain.record_requests import AskedRef, TimelineRequest, asked_ref
from sunrise.domain.transfer import ImportRequest
from sunrise.domain.trust_at_import import imported_tier
from sunrise.errors import DataError


@pytest.mark.parametrize(
    ("said", "kind", "key"),
    [
        ("mem:3f0c", "mem", "3f0c"),
        ("3f0c", "mem", "3f0c"),
        (" obs:12\n", "obs", "12"),
        ("agent:1:tea", "mem", "agent:1:tea"),
        ("mem:agent:1", "mem", "agent:1"),
        ("doc:repo:a.md#1", "mem", "doc:repo:a.md#1"),
    ],
)
def test_a_ref_names_a_record(said: str, kind: str, key: str) -> None:
    assert asked_ref(said) == AskedRef(kind, key)


@pytest.mark.parametrize("said", ["", "  ", "a b", "mem:a b", "mem:" + "a" * 257])
def test_what_is_no_ref_is_refused(said: str) -> None:
    with pytest.raises(DataError) as error:
        asked_ref(said)
    assert error.value.reason == "bad_ref"


@pytest.mark.parametrize(("key", "row_id"), [("12", 12), ("-1", -1), ("1e3", -1), ("٣", -1), ("9" * 19, -1)])
def test_an_observation_has_a_number(key: str, row_id: int) -> None:
    assert AskedRef("obs", key).row_id == row_id


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"ref": "a", "at_ms": 5},
        {"at_ms": 5, "before": 201},
        {"at_ms": 5, "after": -1},
        {"at_ms": 5, "window_ms": 0},
        {"at_ms": 5, "window_ms": 367 * 86_400_000},
    ],
)
def test_a_timeline_is_bounded(asked: dict[str, Any]) -> None:
    with pytest.raises(DataError) as error:
        TimelineRequest(**asked)
    assert error.value.reason == "bad_timeline"


def test_pages_and_batches_are_bounded() -> None:
    for limit in (0, 1001):
        with pytest.raises(DataError, match="limit"):
            ListRequest(limit=limit)
    for batch in (0, 100_001):
        with pytest.raises(DataError, match="batch"):
            ImportRequest(batch=batch)


@pytest.mark.parametrize("claimed", ["trusted", "untrusted", "quarantined", None])
def test_a_file_raises_no_trust_by_itself(claimed: str | None) -> None:
    alone = imported_tier(claimed, vouched=False, looks_like_order=False)
    assert alone == ("untrusted" if claimed == "trusted" else claimed)
    assert imported_tier(claimed, vouched=True, looks_like_order=False) == claimed
    for vouched in (True, False):
        assert imported_tier(claimed, vouched=vouched, looks_like_order=True) == "quarantined"


@pytest.mark.parametrize("by_speaker", ["untrusted", None])
def test_who_vouches_for_a_file_does_not_vouch_for_whom_its_texts_name(by_speaker: str | None) -> None:
    tiers = [
        imported_tier(claimed, vouched=True, looks_like_order=False, by_speaker=by_speaker)
        for claimed in ("trusted", "untrusted", None)
    ]
    assert tiers == [by_speaker, "untrusted", None]

"""A text for a memory that is there: it says the same already, or it is written anew by its id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.importance import (
    NICE_TO_HAVE_FROM,
    Importance,
    ImportanceLabel,
    below_must,
    label_from_score,
)
from sunrise.domain.records import RecordState
from sunrise.domain.store import StoreStatus
from sunrise.domain.text.dated_terms import dated_terms
from sunrise.domain.trust import QUARANTINED, TRUSTED, Origin, check_not_trusted, least, may_be_must
from sunrise.online.likeness import READ, Alike
from sunrise.online.memory_changes import MemoryChange
from sunrise.online.named_memory import own_names
from sunrise.online.store_call import Outcome, StoreCall
from sunrise.online.store_vectors import Embedded

_FILLED = ("category", "expires_at_ms", "review_at_ms")
_FOLLOWING = ("terms", "updated_at_ms")
"""Columns whose change alone is none."""
_KEPT_LABELS = (ImportanceLabel.MUST_REMEMBER, ImportanceLabel.NICE_TO_HAVE)


def told(call: StoreCall, same: Mapping[str, Any], *, version: int) -> Outcome:
    """Say which memory holds the text, and fill in what it lacks of what the request states."""
    values = _lacking(call, same)
    # Nothing can be written to a row that shares its id.
    if not values or own_names([same], memories=call.memories) != [same["id"]]:
        return _unchanged(call, same)
    call.change(MemoryChange(same, values, version), StoreStatus.MERGED)
    return Outcome(
        status=StoreStatus.MERGED,
        memory_id=same["id"],
        alike=Alike(same),
        filled=tuple(sorted(values)),
        run_id=call.run_id,
    )


def read_by_id(call: StoreCall, memory_id: str) -> list[dict[str, Any]]:
    """Return the rows of an id with all that an upsert sets."""
    columns = [*READ, "createdAt", *call.said.governance(call.request, now_ms=call.now_ms)]
    rows: list[dict[str, Any]] = call.memories.by_ids([memory_id], columns).to_pylist()
    return rows


def rewritten(call: StoreCall, row: Mapping[str, Any], *, version: int) -> Outcome:
    """Write a memory anew: its text with what goes with it, and of the rest what the request states."""
    if (row["scope"] or DEFAULT_SCOPE) != call.said.scope:
        return Outcome(status=StoreStatus.REFUSED, reason="id_of_another_scope")
    if not call.request.may_change_trusted:
        check_not_trusted([row])
    values = _new_values(call, row)
    if all(row.get(name) == value for name, value in values.items() if name not in _FOLLOWING):
        return _unchanged(call, row)
    is_new_text = row["text"] != call.said.text
    made = call.embed() if is_new_text else Embedded()
    status = StoreStatus.QUARANTINED if values["trust_tier"] == QUARANTINED else StoreStatus.UPDATED
    observation_id = call.change(MemoryChange(row, values, version), status, with_text=is_new_text)
    if made.column is not None and made.vector is not None:
        call.memories.write_vectors(made.column, [row["id"]], made.vector[None, :])
    return Outcome(
        status=status,
        memory_id=row["id"],
        embedded=made,
        observation_id=observation_id,
        run_id=call.run_id,
    )


def _lacking(call: StoreCall, same: Mapping[str, Any]) -> dict[str, Any]:
    request, governance = call.request, call.said.governance(call.request, now_ms=call.now_ms)
    stated = {
        "category": request.category,
        "expires_at_ms": governance["expires_at_ms"],
        "review_at_ms": governance["review_at_ms"],
    }
    if same.get("trust_tier") == TRUSTED and not call.request.may_change_trusted:
        # When what is trusted ends is the owner's to say.
        stated["expires_at_ms"] = None
    values = {name: stated[name] for name in _FILLED if stated[name] is not None and not same.get(name)}
    values |= _importance_beside(call, same)
    is_outdated = same.get("state") == RecordState.SUPERSEDED
    if same.get("state") == RecordState.ARCHIVED or (is_outdated and _may_bring_back(call, same)):
        # What is said again is in use.
        values |= {"state": RecordState.ACTIVE.value, "archived_at_ms": None}
    return values


def _importance_beside(call: StoreCall, row: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the importance that a store adds to a memory that is there: what is stated fills an empty label.

    What is stored on purpose lifts the memory to the least that a purpose gives, but for one that somebody
    labelled `ignore` by hand.
    """
    said, label = call.said.importance, row.get("importance_label")
    if call.request.importance is not None:
        is_missing = said.label is not ImportanceLabel.UNKNOWN and not label
        return _stated(call, row) if is_missing else {}
    if not call.request.on_purpose or label in _KEPT_LABELS:
        return {}
    if label == ImportanceLabel.IGNORE and call.ledger.is_ignored_by_hand(row["id"]):
        return {}
    own = None if label else _own_score(row.get("importance"))
    return _importance(said if own is None else Importance(own, label_from_score(own)))


def _importance(value: Importance) -> dict[str, Any]:
    return {"importance": value.score, "importance_label": value.label.value}


def _stated(call: StoreCall, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a store states of a memory: it is made a must by the owner, or where that has no effect."""
    said = call.said.importance
    if call.request.source_kind == Origin.OWNER or not may_be_must(
        row.get("trust_tier"), row.get("source_kind")
    ):
        return _importance(said)
    score, label = below_must(said.score, said.label.value)
    return {"importance": score, "importance_label": label}


def _own_score(value: float | None) -> float | None:
    """Return the score of a memory without a label, where it already stands for enough."""
    return value if value is not None and NICE_TO_HAVE_FROM <= value <= 1 else None


def _new_values(call: StoreCall, row: Mapping[str, Any]) -> dict[str, Any]:
    request, said = call.request, call.said
    values = said.governance(request, now_ms=call.now_ms)
    kept = {
        "scope": True,
        "category": request.category is None,
        "importance": request.importance is None,
        "importance_label": request.importance is None,
        "agentId": request.agent_id is None,
        "expires_at_ms": values["expires_at_ms"] is None,
        "review_at_ms": values["review_at_ms"] is None,
    }
    values = {name: value for name, value in values.items() if not kept.get(name)}
    if request.importance is None:
        values |= _importance_beside(call, row)
    # Another text raises no trust, whoever gives it.
    return values | {
        "text": said.text,
        "terms": dated_terms(said.text, row.get("createdAt"), call.policy.zone),
        "trust_tier": least(row.get("trust_tier"), said.tier),
    }


def _may_bring_back(call: StoreCall, row: Mapping[str, Any]) -> bool:
    """Return whether a text may undo that its memory was replaced: who is trusted less than that may not."""
    tier = row.get("trust_tier")
    return least(call.said.tier, tier) == least(tier)


def _unchanged(call: StoreCall, row: Mapping[str, Any]) -> Outcome:
    call.replacing.look(call.successor(row))
    if call.request.idempotency_key is not None:
        call.note(row["id"], StoreStatus.DUPLICATE, with_text=False)
    else:
        call.replacing.note()
    return Outcome(status=StoreStatus.DUPLICATE, memory_id=row["id"], alike=Alike(row))

"""Answers as plain values under the names that agents read: the same in every door."""

from __future__ import annotations

from typing import Any

from sunrise.domain.capture_request import CaptureResult
from sunrise.domain.erasure import EraseResult
from sunrise.domain.forget import ForgetResult
from sunrise.domain.recall import RecallItem, RecallResult
from sunrise.domain.store import StoreResult
from sunrise.domain.turn_log import LoggedTurn
from sunrise.domain.turn_request import AutoRecallResult


def answer_of(result: RecallResult) -> dict[str, Any]:
    """Return the items and the receipt under the names that agents read."""
    return {"items": [item_of(one) for one in result.items], "receipt": result.receipt.to_dict()}


def turn_answer_of(result: AutoRecallResult) -> dict[str, Any]:
    """Return what is put before the agent, the memories it is made of, and the receipt."""
    items = [item_of(one) for one in result.items]
    return {"text": result.text, "items": items, "receipt": result.receipt.to_dict()}


def store_answer_of(result: StoreResult) -> dict[str, Any]:
    """Return what became of a text, and the memory that holds it."""
    return {"ref": result.ref, "status": result.status.value, "receipt": result.receipt.to_dict()}


def forget_answer_of(result: ForgetResult) -> dict[str, Any]:
    """Return what is gone, and what a query may have meant."""
    candidates = [
        {
            "ref": one.ref,
            "text": one.text,
            "scope": one.scope,
            "score": one.score,
            "createdAtMs": one.created_at_ms,
        }
        for one in result.candidates
    ]
    return {
        "status": result.status.value,
        "refs": list(result.refs),
        "candidates": candidates,
        "receipt": result.receipt.to_dict(),
    }


def erase_answer_of(result: EraseResult) -> dict[str, Any]:
    """Return what is gone, and what its erasure did in every store."""
    erasure = None if result.erasure is None else result.erasure.to_dict()
    return {**forget_answer_of(result.forgotten), "erasure": erasure}


def capture_answer_of(result: CaptureResult) -> dict[str, Any]:
    """Return the memories that were made or written anew, and why not more."""
    return {"refs": list(result.refs), "receipt": result.receipt.to_dict()}


def explained_answer_of(turn: LoggedTurn | None) -> dict[str, Any]:
    """Return the last turn with its whole receipt; ``turn`` is None where there was none."""
    if turn is None:
        return {"session": None, "number": None, "turn": None}
    return {"session": turn.session_key, "number": turn.number, "turn": dict(turn.receipt)}


def item_of(item: RecallItem) -> dict[str, Any]:
    """
    Return one memory under the names that agents read.

    >>> item_of(RecallItem("mem:1", "tea", "global", None, None, None, None, 0.5))["importanceLabel"] is None
    True
    """
    return {
        "ref": item.ref,
        "text": item.text,
        "scope": item.scope,
        "importanceLabel": item.importance_label,
        "trustTier": item.trust_tier,
        "category": item.category,
        "createdAtMs": item.created_at_ms,
        "date": item.date,
        "score": item.score,
    }

"""The answer to a recall, or to a turn, as plain values: the same in every door."""

from __future__ import annotations

from typing import Any

from sunrise.domain.recall import RecallItem, RecallResult
from sunrise.domain.turn_request import AutoRecallResult


def answer_of(result: RecallResult) -> dict[str, Any]:
    """Return the items and the receipt under the names that agents read."""
    return {"items": [item_of(one) for one in result.items], "receipt": result.receipt.to_dict()}


def turn_answer_of(result: AutoRecallResult) -> dict[str, Any]:
    """Return what is put before the agent, the memories it is made of, and the receipt."""
    items = [item_of(one) for one in result.items]
    return {"text": result.text, "items": items, "receipt": result.receipt.to_dict()}


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
        "score": item.score,
    }

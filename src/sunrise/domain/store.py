"""What is asked of store and what it answers: the request, its outcome, and a receipt without any text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.admission.candidate import Candidate, fingerprint_text
from sunrise.domain.filters import check_scope, sql_text
from sunrise.domain.importance import IMPORTANCE_VALUES, stated_importance
from sunrise.domain.ranking import PLUGIN_SEED_ID
from sunrise.domain.replacing import NotReplaced, replaced_ids
from sunrise.domain.retention import DAY_MS
from sunrise.domain.scope_policy import ScopePolicy
from sunrise.domain.scoring.heuristic_v1 import HEURISTIC_V1
from sunrise.domain.scoring.signals import Scorer
from sunrise.domain.text.analysis import written_terms
from sunrise.domain.trust import CEILINGS, Origin
from sunrise.errors import DataError

STORE_SCHEMA: Final = "sunrise.store.v1"
MAX_CHARS: Final = 50_000
"""A longer text is cut: nobody recalls it whole, and no rule looks at all of it."""

MAX_NAME: Final = 256
"""The longest id, idempotency key and source ref."""

_CATEGORY: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_ID: Final = re.compile(r"[^\s\x00-\x1f\x7f]+")


class StoreStatus(StrEnum):
    """
    What became of a text.

    ``duplicate`` and ``merged`` name the memory that says the same; where it lacked what the request tells of
    category, importance or times, that was filled in, which is ``merged``. ``quarantined`` is stored too, but
    nobody recalls it until an operator has read it. ``refused`` is not stored, and the receipt says why.
    """

    CREATED = "created"
    DUPLICATE = "duplicate"
    MERGED = "merged"
    UPDATED = "updated"
    QUARANTINED = "quarantined"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePolicy:
    """
    The knobs of a store.

    Without a ``scorer`` what names no importance is unknown until it is graded. ``zone`` says when a day
    begins. Without ``scopes`` a scope is taken as it is named.
    """

    scorer: Scorer | None = HEURISTIC_V1
    embed_timeout_s: float = 3.0
    max_chars: int = MAX_CHARS
    zone: tzinfo = field(default=UTC)
    scopes: ScopePolicy | None = None


DEFAULT_POLICY: Final = StorePolicy()


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """
    One text to be remembered.

    ``importance`` is what :func:`sunrise.domain.importance.stated_importance` reads; None asks the scorer.
    What is stored ``on_purpose`` without a stated importance is at least ``nice_to_have``. Without a
    ``scope`` it is of the policy's default one. With an ``id`` the memory of that id is made or written anew.
    The same ``idempotency_key`` twice is one store. It is not recalled after ``expires_at_ms``, or
    ``ttl_days`` from now. ``again`` stores also what was forgotten.
    ``replaces`` are refs or ids of memories of the scope that the text puts out of date: recall gives them
    behind all others. ``said_at_ms`` is when the text was said, where that was not now: a new memory is dated
    by it. Whoever ``may_change_trusted`` memories may rewrite and replace those that are trusted.

    Raises:
        DataError: A value makes no sense; reasons ``bad_scope``, ``bad_id``, ``bad_key``, ``bad_category``,
            ``bad_importance``, ``bad_source_kind``, ``bad_expiry``, ``bad_replaces`` and ``bad_text``.
    """

    text: str
    scope: str = ""
    category: str | None = None
    importance: object = None
    source_kind: str = Origin.AGENT.value
    source_ref: str | None = None
    agent_id: str | None = None
    id: str | None = None
    idempotency_key: str | None = None
    ttl_days: float | None = None
    expires_at_ms: int | None = None
    review_at_ms: int | None = None
    again: bool = False
    replaces: tuple[str, ...] = ()
    on_purpose: bool = True
    said_at_ms: int | None = None
    may_change_trusted: bool = True

    def __post_init__(self) -> None:
        check_scope(self.scope)
        named = self.replaced_ids
        for name in (self.id, self.idempotency_key, self.source_ref, self.agent_id, *named):
            # Half a surrogate pair is no text that a store can take.
            sql_text(name or "")
        _check(
            self.id is None
            or (
                _ID.fullmatch(self.id) is not None and len(self.id) <= MAX_NAME and self.id != PLUGIN_SEED_ID
            ),
            "bad_id",
            "an id has no spaces",
        )
        key = self.idempotency_key
        _check(key is None or 0 < len(key.strip()) <= len(key) <= MAX_NAME, "bad_key", "a key is not empty")
        _check(
            self.category is None or _CATEGORY.fullmatch(self.category) is not None,
            "bad_category",
            "a category is a word such as preference, decision or fact",
        )
        _check(
            self.importance is None or stated_importance(self.importance) is not None,
            "bad_importance",
            f"importance is {IMPORTANCE_VALUES}",
        )
        _check(self.source_kind in CEILINGS, "bad_source_kind", f"an origin is one of {', '.join(CEILINGS)}")
        days = self.ttl_days
        _check(
            (days is None or (self.expires_at_ms is None and math.isfinite(days) and 0 < days <= _MAX_DAYS))
            and (self.expires_at_ms or 0) <= _MAX_MS
            and (self.review_at_ms or 0) <= _MAX_MS,
            "bad_expiry",
            "give either ttl_days above 0 or expires_at_ms, and a time that a calendar has",
        )

    @property
    def replaced_ids(self) -> tuple[str, ...]:
        """The ids of the memories that the text replaces."""
        return replaced_ids(self.replaces)

    def expiry(self, now_ms: int) -> int | None:
        """
        Return when the memory ends, as epoch milliseconds.

        >>> StoreRequest("tea", ttl_days=0.5).expiry(1000)
        43201000
        """
        return self.expires_at_ms if self.ttl_days is None else now_ms + round(self.ttl_days * DAY_MS)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreReceipt:
    """
    How a store came about, in refs, counts and codes; never the text.

    ``reason`` says why a text was refused, ``embedding_skipped`` why it has no vector yet: the index flow
    makes it. ``near`` are memories that say nearly the same and were kept apart. ``run_id`` is what the
    audit trail and `sunrise undo` know the store by. ``replayed`` tells that the idempotency key was known.
    ``inherits`` is the tier of something that the text repeats, where it has it from there.
    ``replaced`` are the memories that are out of date now, ``not_replaced`` those that were named in vain.
    """

    at_ms: int
    scope: str
    status: StoreStatus
    ref: str | None = None
    reason: str | None = None
    text_chars: int = 0
    clipped: bool = False
    redacted: tuple[str, ...] = ()
    payload: tuple[str, ...] = ()
    inherits: str | None = None
    category: str | None = None
    importance_label: str | None = None
    importance_method: str | None = None
    trust_tier: str | None = None
    model_id: str | None = None
    embedding_skipped: str | None = None
    duplicate_of: str | None = None
    filled: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    not_replaced: tuple[NotReplaced, ...] = ()
    observation_ref: str | None = None
    run_id: str | None = None
    replayed: bool = False
    finished: int = 0
    latency_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a caller should show: something is not as it was asked for."""
        skipped = self.embedding_skipped
        return (
            *(() if skipped in (None, "embedder_none") else (f"embedding_skipped:{skipped}",)),
            *(("text_clipped",) if self.clipped else ()),
            *(f"redacted:{kind}" for kind in self.redacted),
            *(f"quarantined:{code}" for code in self.payload),
            *(() if self.inherits is None else (f"inherits:{self.inherits}",)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values under the names that agents read, ``embeddingSkipped`` among them."""
        return {
            "schema": STORE_SCHEMA,
            "atMs": self.at_ms,
            "scope": self.scope,
            "status": self.status.value,
            "ref": self.ref,
            "reason": self.reason,
            "textChars": self.text_chars,
            "clipped": self.clipped,
            "redacted": list(self.redacted),
            "payload": list(self.payload),
            "category": self.category,
            "importanceLabel": self.importance_label,
            "importanceMethod": self.importance_method,
            "trustTier": self.trust_tier,
            "modelId": self.model_id,
            "embeddingSkipped": self.embedding_skipped is not None,
            "embeddingSkipReason": self.embedding_skipped,
            "duplicateOf": self.duplicate_of,
            "filled": list(self.filled),
            "near": list(self.near),
            "replaced": list(self.replaced),
            "notReplaced": [{"ref": one.ref, "reason": one.reason.value} for one in self.not_replaced],
            "observationRef": self.observation_ref,
            "runId": self.run_id,
            "replayed": self.replayed,
            "finished": self.finished,
            "warnings": list(self.warnings),
            "latencyMs": dict(self.latency_ms),
        }


@dataclass(frozen=True, slots=True)
class StoreResult:
    """What became of a text, the memory that holds it now (``mem:<id>``), and the receipt."""

    ref: str | None
    status: StoreStatus
    receipt: StoreReceipt


def same_text(text: str) -> str:
    """
    Return what two texts share exactly when they say the same thing.

    Case, spaces, punctuation around words and the script of Chinese make no difference; numbers, signs,
    accents, endings of words and their order do. The ledger keeps hashes of this: it must not change.

    >>> same_text("The cache lives in RAM.") == same_text("the CACHE  lives in RAM")
    True
    >>> same_text("it is 5 below") == same_text("it is -5 below")
    False
    """
    return fingerprint_text(
        Candidate(
            key="", ts_ms=0, kind="", tool_name=None, text=text, terms=written_terms(text), source_kind="",
        )
    )  # fmt: skip


def _check(holds: bool, reason: str, message: str) -> None:  # noqa: FBT001  said where it is asked
    if not holds:
        raise DataError(message, reason=reason)


_MAX_MS: Final = 253_402_300_799_999
"""The end of the year 9999."""

_MAX_DAYS: Final = 36_525.0

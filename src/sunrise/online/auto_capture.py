"""Auto-capture: what the owner said in a turn and is worth keeping becomes memories, each once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sunrise.domain import filters
from sunrise.domain.auto_capture import AutoCapturePolicy, CaptureCandidate, Extraction, extracted
from sunrise.domain.auto_capture_receipt import capture_receipt
from sunrise.domain.capture_repeats import KeptText
from sunrise.domain.capture_request import CaptureRequest, CaptureResult
from sunrise.domain.capture_selection import Settlement, settled
from sunrise.domain.capture_signs import CaptureCategory
from sunrise.domain.scope_policy import ScopePolicy
from sunrise.domain.sessions import Session, session_of
from sunrise.domain.store import DEFAULT_POLICY, StorePolicy, StoreRequest, StoreResult, StoreStatus
from sunrise.domain.text.analysis import query_terms
from sunrise.domain.trust import Origin
from sunrise.errors import DataError, StoreError
from sunrise.online.store import finish_stores, store
from sunrise.ports import Clock, Embedder, Ledger, MemoryReader, MemoryTable

_NEAREST: Final = 16
_TERMS: Final = 12
_READ: Final = ("id", "text", "scope", "category", "createdAt")


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturePolicy:
    """The knobs of what is captured, of its scopes, and of how it is stored."""

    capture: AutoCapturePolicy = field(default_factory=AutoCapturePolicy)
    scopes: ScopePolicy = field(default_factory=ScopePolicy)
    store: StorePolicy = DEFAULT_POLICY


@dataclass(frozen=True, slots=True)
class CapturePorts:
    """What a capture needs of the world. ``memories`` is None where the agent has not made its table yet."""

    memories: MemoryTable | None
    ledger: Ledger
    embedder: Embedder
    clock: Clock


def auto_capture(request: CaptureRequest, *, ports: CapturePorts, policy: CapturePolicy) -> CaptureResult:
    """
    Keep what the owner said in a session: preferences and decisions, a few a turn, each once.

    Reading a session again, as the gateway hands it over at every turn, keeps nothing twice; what was
    forgotten since stays forgotten. Of two statements that say nearly the same the one that says more stays.
    A store that fails costs that statement until the session is read again, and the receipt warns.
    """
    now = ports.clock.now_ms()
    session = session_of(
        request.session_id,
        session_key=request.session_key,
        agent_id=request.agent_id,
        in_group=request.in_group,
    )
    found = extracted(
        request.messages,
        session=session,
        policy=policy.capture,
        scopes=policy.scopes,
        scope=request.scope,
        zone=policy.store.zone,
    )
    if not policy.capture.enabled or ports.memories is None:
        reason = "disabled" if not policy.capture.enabled else "no_memories"
        return CaptureResult((), replace(capture_receipt(found, Settlement(), at_ms=now), reason=reason))
    known, recent, failed = _before(found, ports.memories, ports.ledger)
    chosen = settled(found, policy=policy.capture, recent=recent, known=known)
    receipt = capture_receipt(found, chosen, at_ms=now)
    results = [_stored(one, session, known, ports, policy) for one in chosen.candidates]
    made = [one for one in results if one is not None]
    return CaptureResult(
        tuple(one.ref for one in made if one.ref is not None),
        replace(
            receipt,
            stored=sum(one.status in _NEW for one in made),
            replaced=sum(one.status is StoreStatus.UPDATED for one in made),
            failed=len(results) - len(made) + failed,
        ),
    )


_NEW: Final = (StoreStatus.CREATED, StoreStatus.QUARANTINED)


def _before(
    found: Extraction, memories: MemoryTable, ledger: Ledger
) -> tuple[dict[str, str], list[KeptText], int]:
    """Return the memories of keys that were captured before, what stands near to the others, and failures."""
    known: dict[str, str] = {}
    recent: dict[str, KeptText] = {}
    failed = 0
    for one in found.candidates:
        try:
            stored = ledger.stored_under(one.key, request=one.text)
            if stored is not None:
                known[one.key] = stored.memory_id
                if stored.is_pending:
                    # The ledger took it at an earlier turn and the table did not.
                    finish_stores(memories=memories, ledger=ledger)
            else:
                recent |= {near.key: near for near in _near(one, memories)}
        except StoreError:
            failed += 1
    return known, list(recent.values()), failed


def _near(one: CaptureCandidate, memories: MemoryReader) -> Sequence[KeptText]:
    """Return the texts of the scope that have the most of a statement's words."""
    telling = sorted(query_terms(one.text), key=lambda term: (-len(term), term))[:_TERMS]
    where = filters.in_scope(one.scope.scope, columns=memories.schema().names)
    try:
        rows = memories.search_terms(" ".join(telling), columns=_READ, where=where, limit=_NEAREST)
    except DataError:
        # Before the first index there is nothing to search in, and store looks for the same text itself.
        return ()
    return [
        KeptText(
            key=row["id"],
            text=row["text"] or "",
            scope=one.scope.scope,
            category=row.get("category") or "",
            created_ms=row.get("createdAt"),
        )
        for row in rows.to_pylist()
        if row["id"]
    ]


def _stored(
    one: CaptureCandidate,
    session: Session,
    known: dict[str, str],
    ports: CapturePorts,
    policy: CapturePolicy,
) -> StoreResult | None:
    """Store one statement as the owner's; None where it failed."""
    memories = ports.memories
    if memories is None:
        return None
    ttl = policy.capture.todo_stale_ttl_days if one.category is CaptureCategory.TODO else None
    request = StoreRequest(
        one.text,
        scope=one.scope.scope,
        category=str(one.category),
        source_kind=str(Origin.OWNER),
        source_ref=f"session:{session.session_id}"[:200],
        agent_id=session.agent_id,
        id=None if one.replaces is None else known.get(one.replaces, one.replaces),
        idempotency_key=one.key,
        said_at_ms=one.created_ms,
        ttl_days=ttl,
        on_purpose=one.explicit,
    )
    try:
        return store(
            request,
            memories=memories,
            ledger=ports.ledger,
            embedder=ports.embedder,
            clock=ports.clock,
            policy=policy.store,
        )
    except StoreError:
        return None

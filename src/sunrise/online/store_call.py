"""One store on its way: what is asked, of whom and when, and what has become of it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.lineage import Derived
from sunrise.domain.records import RecordState, memory_ref, observation_ref
from sunrise.domain.replacing import Successor
from sunrise.domain.store import StorePolicy, StoreReceipt, StoreRequest, StoreStatus
from sunrise.domain.stored import NewStore, Stored
from sunrise.domain.trust import QUARANTINED, UNTRUSTED, Origin, least
from sunrise.online.inheritance import inherited_tier, tier_beside
from sunrise.online.likeness import Alike
from sunrise.online.memory_changes import MemoryChange, apply_change, record_change
from sunrise.online.recall_trail import Trail
from sunrise.online.store_admission import Admitted
from sunrise.online.store_replacing import Replacing
from sunrise.online.store_vectors import Embedded, embedded
from sunrise.ports import Embedder, Ledger, MemoryTable


@dataclass(slots=True)
class StoreCall:
    """
    What is asked, of whom, and when.

    ``said`` is the text as it may be stored; its tier falls where it repeats something untrusted.
    """

    request: StoreRequest
    said: Admitted
    memories: MemoryTable
    ledger: Ledger
    embedder: Embedder
    policy: StorePolicy
    now_ms: int
    trail: Trail
    run_id: str
    replacing: Replacing

    @property
    def said_at_ms(self) -> int:
        """When the text was said: now, unless the request names a time."""
        stated = self.request.said_at_ms
        return self.now_ms if stated is None else stated

    @property
    def asked(self) -> str:
        """What is asked under an idempotency key: the same key with another request is a mistake."""
        one = self.request
        named = sorted(one.replaced_ids)
        return json.dumps(
            [one.text, one.scope or DEFAULT_SCOPE, one.id, one.source_kind, *([named] if named else [])]
        )

    def inherit(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Lower the tier of the text to that of what it repeats, in the ledger or in some rows."""
        said = self.said
        if self.request.source_kind == Origin.OWNER or said.tier == QUARANTINED:
            return
        made = Derived(0, self.now_ms, said.tier, None, said.terms)
        with self.trail.stage("inherit"):
            tier = tier_beside(made, rows)
            if least(said.tier, tier) not in (UNTRUSTED, QUARANTINED):
                tier = inherited_tier(self.ledger, made)
            self.said = said.lowered(tier)

    def embed(self) -> Embedded:
        """Return the vector of the text, or why there is none."""
        with self.trail.stage("embed"):
            return embedded(
                self.said.text,
                memories=self.memories,
                embedder=self.embedder,
                timeout_s=self.policy.embed_timeout_s,
            )

    def successor(self, row: Mapping[str, Any]) -> Successor:
        """Return the memory of a row, which stands for the text, as one that others are replaced by."""
        return Successor(
            id=row["id"],
            scope=self.said.scope,
            tier=least(self.said.tier, row.get("trust_tier")),
            is_current=row.get("state") != RecordState.SUPERSEDED,
        )

    def note(
        self,
        memory_id: str,
        status: StoreStatus,
        *,
        with_text: bool,
        row: Mapping[str, Any] | None = None,
        gone: tuple[str, ...] = (),
    ) -> Stored:
        """
        Note in the ledger what becomes of the request, so that it can be told again and finished.

        What it replaces was looked at before, and is noted with it.
        """
        said = self.said
        observation = said.observation(self.request, now_ms=self.now_ms) if with_text else None
        new = NewStore(
            memory_id=memory_id,
            status=status.value,
            scope=said.scope,
            request=self.asked,
            run_id=self.run_id,
            text=said.text if with_text else None,
            key=self.request.idempotency_key,
            observation=observation,
            row=row,
        )
        with self.ledger.transaction():
            noted = self.ledger.begin_store(new, gone=gone)
            if noted.is_new:
                self.replacing.note()
            else:
                self.replacing.leave()
        return noted

    def change(self, change: MemoryChange, status: StoreStatus, *, with_text: bool = False) -> int | None:
        """Change a memory that is there, and return the observation of its new text, if it gets one."""
        with self.trail.stage("write"):
            after = {**change.read, **change.values}
            self.replacing.look(self.successor(after))
            with self.ledger.transaction():
                noted = self.note(change.read["id"], status, with_text=with_text)
                pending = record_change(
                    change, ledger=self.ledger, run_id=self.run_id, reason=f"store:{status}"
                )
            apply_change(change, pending, memories=self.memories, ledger=self.ledger)
        return noted.observation_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a store."""

    status: StoreStatus
    memory_id: str | None = None
    reason: str | None = None
    alike: Alike = field(default_factory=Alike)
    filled: tuple[str, ...] = ()
    embedded: Embedded = field(default_factory=Embedded)
    observation_id: int | None = None
    run_id: str | None = None
    replayed: bool = False

    @property
    def ref(self) -> str | None:
        """The ref of the memory that holds the text."""
        return None if self.memory_id is None else memory_ref(self.memory_id)


def new_run_id(now_ms: int, door: str) -> str:
    """Return what the audit trail knows a call by, as runs are called: its time, its door, and digits."""
    moment = datetime.fromtimestamp(now_ms / 1000, tz=UTC)
    return f"{moment:%Y%m%dT%H%M%S}-{door}-{secrets.token_hex(6)}"


def receipt_of(call: StoreCall, outcome: Outcome, *, finished: int) -> StoreReceipt:
    """Return the receipt of a store."""
    said, same = call.said, outcome.alike.same
    return StoreReceipt(
        at_ms=call.now_ms,
        scope=said.scope,
        status=outcome.status,
        ref=outcome.ref,
        reason=outcome.reason,
        text_chars=len(said.text),
        clipped=said.clipped,
        redacted=said.redacted,
        payload=said.payload,
        inherits=said.inherits,
        category=said.category,
        importance_label=said.label,
        importance_method=said.importance_columns.get("importance_method"),
        trust_tier=said.tier,
        model_id=call.embedder.model_id if outcome.embedded.column else None,
        embedding_skipped=outcome.embedded.skipped,
        duplicate_of=None if same is None else memory_ref(same["id"]),
        filled=outcome.filled,
        near=outcome.alike.near,
        replaced=call.replacing.replaced,
        not_replaced=call.replacing.left,
        observation_ref=None if outcome.observation_id is None else observation_ref(outcome.observation_id),
        run_id=outcome.run_id or (call.run_id if call.replacing.has_noted else None),
        replayed=outcome.replayed,
        finished=finished,
        latency_ms=call.trail.latency_ms,
    )

"""One record whole: its governance fields, what changed them, what it belongs to, how it was used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Final

from sunrise.domain.admin import Backend
from sunrise.domain.record_requests import (
    AskedRef,
    GetRequest,
    GetResult,
    asked_ref,
    is_within,
)
from sunrise.domain.record_views import MemoryView, ObservationView, RecordedChange, RecordLink, Usage
from sunrise.domain.secrets import redact
from sunrise.domain.times import written_time
from sunrise.domain.trust import QUARANTINED
from sunrise.online.admin_rows import VIEW_COLUMNS, memories_in, views_of
from sunrise.online.admin_trail import AdminTrail
from sunrise.online.named_memory import named_memories, own_names
from sunrise.ports import Clock, MemoryReader, RecordLedger

NOT_FOUND: Final = "not_found"
AMBIGUOUS: Final = "ambiguous"
NO_LEDGER: Final = "no_ledger"
_MAX_LINKS: Final = 100


def get_record(
    request: GetRequest,
    *,
    memories: MemoryReader | None,
    ledger: RecordLedger | None,
    clock: Clock,
    backend: Backend,
    zone: tzinfo = UTC,
) -> GetResult:
    """
    Return one record, a memory or an observation, with its history; it is dated in *zone*.

    Nothing is guessed: where several memories begin as the ref does, their refs are returned in its place.

    Raises:
        DataError: The ref names no kind of record; reason ``bad_ref``.
    """
    asked = asked_ref(request.ref)
    trail = AdminTrail("get", clock.now_ms(), backend, {"ref": f"{asked.kind}:{asked.key}"})
    found = _Found()
    with trail.open_to_failure(), trail.stage("find"):
        found = _find(asked, request, trail, memories, ledger, zone)
    ref = found.ref
    history = _History()
    if found.is_shared:
        trail.warnings.append("history_skipped:shared_id")
    elif ref is not None:
        history = _history(ref, request, trail, ledger)
    elif trail.reason is None:
        trail.reason = AMBIGUOUS if found.candidates else NOT_FOUND
    trail.counts.update(returned=int(ref is not None), changes=len(history.changes), links=len(history.links))
    return GetResult(
        receipt=trail.receipt(),
        memory=found.memory,
        observation=found.observation,
        candidates=found.candidates,
        has_more=found.has_more,
        changes=history.changes,
        links=history.links,
        usage=history.usage,
    )


def shown_observation(one: ObservationView, *, with_quarantined_texts: bool, zone: tzinfo) -> ObservationView:
    """Return an observation as it may be shown: no secret, no quarantined text unless asked for."""
    is_shown = not one.is_forgotten and (with_quarantined_texts or one.trust_tier != QUARANTINED)
    text = redact(one.text or "").text if is_shown else None
    source_ref = None if one.source_ref is None else redact(one.source_ref).text
    return replace(one, text=text, date=written_time(one.at_ms, zone=zone), source_ref=source_ref)


@dataclass(frozen=True, slots=True)
class _Found:
    memory: MemoryView | None = None
    observation: ObservationView | None = None
    candidates: tuple[str, ...] = ()
    has_more: bool = False
    is_shared: bool = False
    """Whether a row of another scope has the same id: what the ledger knows of it may be that row's."""

    @property
    def ref(self) -> str | None:
        """The ref of what was found."""
        one = self.memory or self.observation
        return None if one is None else one.ref


@dataclass(frozen=True, slots=True)
class _History:
    changes: tuple[RecordedChange, ...] = ()
    links: tuple[RecordLink, ...] = ()
    usage: Usage = Usage()  # noqa: RUF009  frozen


def _find(
    asked: AskedRef,
    request: GetRequest,
    trail: AdminTrail,
    memories: MemoryReader | None,
    ledger: RecordLedger | None,
    zone: tzinfo,
) -> _Found:
    shown = request.with_quarantined_texts
    if asked.kind == "obs":
        if ledger is None:
            trail.reason = NO_LEDGER
            return _Found()
        rows = [
            one for one in ledger.observations_by_ids([asked.row_id]) if is_within(one.scope, request.scopes)
        ]
        views = [shown_observation(one, with_quarantined_texts=shown, zone=zone) for one in rows[:1]]
        return _Found(observation=views[0] if views else None)
    table = trail.seen(memories)
    if table is None:
        return _Found()
    meant = named_memories(asked.key, VIEW_COLUMNS, memories=table, scopes=request.scopes)
    if len(meant.refs) != 1:
        return _Found(candidates=meant.refs, has_more=meant.has_more)
    memory = next(views_of(memories_in(meant.rows), with_quarantined_texts=shown, zone=zone), None)
    row = meant.rows.to_pylist()[0]
    is_shared = meant.names[0] == row["id"] and own_names([row], memories=table) != [row["id"]]
    return _Found(memory=memory and replace(memory, ref=meant.refs[0]), is_shared=is_shared)


def _history(ref: str, request: GetRequest, trail: AdminTrail, ledger: RecordLedger | None) -> _History:
    if ledger is None:
        trail.warnings.append(f"history_skipped:{NO_LEDGER}")
        return _History()
    kind, _, key = ref.partition(":")
    changes: tuple[RecordedChange, ...] = ()
    links: tuple[RecordLink, ...] = ()
    usage = Usage()
    with trail.open_to_failure("history"), trail.stage("history"):
        changes = ledger.history_of(ref, limit=request.history)
        links = ledger.links_of_memory(key, limit=_MAX_LINKS) if kind == "mem" else ()
        usage = ledger.usage_of(ref)
    return _History(tuple(map(_shown_change, changes)), links, usage)


def _shown_change(change: RecordedChange) -> RecordedChange:
    before, after = redact(change.before).text, redact(change.after).text
    return replace(change, before=before, after=after, reason=redact(change.reason).text)

"""What was captured before and after a record or a moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any, Final

from sunrise.domain.admin import Backend
from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.record_requests import TimelineRequest, TimelineResult, asked_ref, is_within
from sunrise.domain.record_views import ObservationView
from sunrise.online.admin_get import AMBIGUOUS, NO_LEDGER, NOT_FOUND, shown_observation
from sunrise.online.admin_rows import moment
from sunrise.online.admin_trail import AdminTrail
from sunrise.online.named_memory import named_memories
from sunrise.ports import Clock, MemoryReader, RecordLedger

UNKNOWN_AGE: Final = "unknown_age"
_LATEST: Final = 2**63 - 1


def timeline(
    request: TimelineRequest,
    *,
    memories: MemoryReader | None,
    ledger: RecordLedger | None,
    clock: Clock,
    backend: Backend,
    zone: tzinfo = UTC,
) -> TimelineResult:
    """
    Return what was captured around a record or a moment, oldest first, and no more than is asked for.

    Around an observation that is its session, or its scope where it has no session; around a memory the same
    of the newest observation that names it, else its own scope at the time when it was made. Rows are dated
    in *zone*.

    Raises:
        DataError: The ref names no kind of record; reason ``bad_ref``.
    """
    trail = AdminTrail("timeline", clock.now_ms(), backend, _told(request))
    place: _Place | None = None
    rows: tuple[ObservationView, ...] = ()
    if ledger is None:
        trail.reason = NO_LEDGER
    else:
        with trail.open_to_failure():
            with trail.stage("find"):
                place = _place(request, trail, memories, ledger)
            if place is not None:
                with trail.stage("read"):
                    rows = _around(place, request, ledger)
    trail.counts.update(returned=len(rows))
    shown = request.with_quarantined_texts
    return TimelineResult(
        receipt=trail.receipt(),
        at_ms=None if place is None else place.at_ms,
        anchor=None if place is None else place.ref,
        items=tuple(shown_observation(one, with_quarantined_texts=shown, zone=zone) for one in rows),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in time to look, and whose rows count."""

    at_ms: int
    row_id: int = _LATEST
    ref: str | None = None
    session_key: str | None = None
    scope: str | None = None


def _told(request: TimelineRequest) -> dict[str, Any]:
    asked = {
        "ref": request.ref,
        "atMs": request.at_ms,
        "scope": request.scope,
        "windowMs": request.window_ms,
        "before": request.before,
        "after": request.after,
    }
    return {name: value for name, value in asked.items() if value is not None}


def _place(
    request: TimelineRequest, trail: AdminTrail, memories: MemoryReader | None, ledger: RecordLedger
) -> _Place | None:
    if request.ref is None:
        return _Place(request.at_ms or 0, scope=request.scope)
    asked = asked_ref(request.ref)
    if asked.kind == "mem":
        return _of_memory(asked.key, trail, memories, ledger, request.scopes)
    rows = ledger.observations_by_ids([asked.row_id])
    if not rows or not is_within(rows[0].scope, request.scopes):
        trail.reason = NOT_FOUND
        return None
    return _of_observation(rows[0], asked.row_id)


def _of_observation(one: ObservationView, row_id: int, ref: str | None = None) -> _Place:
    return _Place(one.at_ms, row_id, ref or one.ref, one.session_key or None, one.scope or "")


def _of_memory(
    key: str,
    trail: AdminTrail,
    memories: MemoryReader | None,
    ledger: RecordLedger,
    scopes: tuple[str, ...] | None,
) -> _Place | None:
    table = trail.seen(memories)
    if table is None:
        return None
    meant = named_memories(key, ["createdAt", "scope"], memories=table, scopes=scopes)
    if len(meant.refs) != 1:
        trail.reason = AMBIGUOUS if meant.refs else NOT_FOUND
        return None
    ref = meant.refs[0]
    for link in ledger.links_of_memory(meant.names[0], limit=1):
        row_id = asked_ref(link.ref).row_id
        seen = ledger.observations_by_ids([row_id])
        for one in (one for one in seen if is_within(one.scope, scopes)):
            return _of_observation(one, row_id, ref)
    row = meant.rows.to_pylist()[0]
    at_ms = moment(row.get("createdAt"))
    if at_ms is None:
        trail.reason = UNKNOWN_AGE
        return None
    # The ledger leaves the default scope empty.
    scope = row.get("scope")
    return _Place(at_ms, ref=ref, scope="" if scope in (None, DEFAULT_SCOPE) else scope)


def _around(place: _Place, request: TimelineRequest, ledger: RecordLedger) -> tuple[ObservationView, ...]:
    return ledger.observations_near(
        place.at_ms,
        row_id=place.row_id,
        window_ms=request.window_ms,
        before=request.before,
        after=request.after,
        session_key=place.session_key,
        scope=place.scope,
        within=request.scopes,
    )

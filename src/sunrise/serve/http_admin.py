"""The addresses under /v1 that look through memories, and bring one back."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from sunrise.serve import admin_calls
from sunrise.serve.admin_models import (
    GetAsked,
    GetGiven,
    ListAsked,
    ListGiven,
    ReviveAsked,
    ReviveGiven,
    StatsAsked,
    StatsGiven,
    TimelineAsked,
    TimelineGiven,
)
from sunrise.serve.asking import ANSWERED, described, scope_for, scope_or_all, scopes_for, who
from sunrise.serve.service import Service
from sunrise.serve.tokens import Caller, Right

router = APIRouter(responses=described(*ANSWERED), tags=["admin"])


@router.post("/v1/list", response_model=ListGiven)
async def list_memories(asked: ListAsked, request: Request) -> Response:
    """Return one page of memories, newest first; secrets are redacted."""
    service, caller = _reader(request, with_quarantined=asked.with_quarantined_texts)
    scope = scope_or_all(request, caller, asked.scope)
    found = await service.workers.run(
        lambda: admin_calls.listed(
            service,
            scope,
            limit=asked.limit,
            cursor=asked.cursor,
            with_quarantined_texts=asked.with_quarantined_texts,
            **asked.wanted(),
        )
    )
    return JSONResponse(found)


@router.post("/v1/stats", response_model=StatsGiven)
async def stats(asked: StatsAsked, request: Request) -> Response:
    """Return how many memories there are, by scope, category, importance, trust, state, origin and age."""
    service, caller = who(request, Right.READ)
    scope = scope_or_all(request, caller, asked.scope)
    found = await service.workers.run(
        lambda: admin_calls.counted(service, caller, scope, with_vectors=asked.with_vectors)
    )
    return JSONResponse(found)


@router.post("/v1/get", response_model=GetGiven)
async def get(asked: GetAsked, request: Request) -> Response:
    """Return one record whole: its fields, what changed them, what it belongs to, how it was used."""
    service, caller = _reader(request, with_quarantined=asked.with_quarantined_texts)
    scopes = scopes_for(request, caller, asked.scope)
    shown = asked.with_quarantined_texts
    found = await service.workers.run(
        lambda: admin_calls.shown(service, asked.ref, scopes, with_quarantined_texts=shown)
    )
    return JSONResponse(found)


@router.post("/v1/timeline", response_model=TimelineGiven)
async def timeline(asked: TimelineAsked, request: Request) -> Response:
    """Return what was captured around a record or a moment, oldest first."""
    service, caller = _reader(request, with_quarantined=asked.with_quarantined_texts)
    scopes = scopes_for(request, caller, asked.scope)
    is_moment = asked.ref is None
    scope = (
        scope_for(request, caller, asked.scope) if is_moment and (asked.scope or caller.is_bound) else None
    )
    found = await service.workers.run(
        lambda: admin_calls.around(
            service,
            asked.ref,
            scopes,
            at_ms=asked.at_ms,
            scope=scope,
            window_ms=asked.window_ms,
            before=asked.before,
            after=asked.after,
            with_quarantined_texts=asked.with_quarantined_texts,
        )
    )
    return JSONResponse(found)


@router.post("/v1/revive", response_model=ReviveGiven)
async def revive(asked: ReviveAsked, request: Request) -> Response:
    """Bring an archived or replaced record back; the run that did it can be undone."""
    service, caller = who(request, Right.ADMIN)
    scopes = scopes_for(request, caller, asked.scope)
    found = await service.workers.write(
        lambda: admin_calls.revived(service, asked.ref, scopes, dry_run=asked.dry_run)
    )
    return JSONResponse(found)


def _reader(request: Request, *, with_quarantined: bool) -> tuple[Service, Caller]:
    service, caller = who(request, Right.READ)
    if with_quarantined:
        caller.check_right(Right.ADMIN)
    return service, caller

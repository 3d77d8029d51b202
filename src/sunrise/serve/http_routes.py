"""The addresses under /v1: parse, check what the caller may, call, print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from sunrise.domain.answers import answer_of, explained_answer_of, turn_answer_of
from sunrise.domain.capture import own_detail
from sunrise.domain.capture_stamp import known_fields
from sunrise.domain.recall import RecallRequest
from sunrise.domain.scope_policy import looked_in, written_scope
from sunrise.domain.turn_request import AutoRecallRequest
from sunrise.serve.asking import ANSWERED, described, scope_for, scope_to_write, turn_scope_for, who
from sunrise.serve.http_models import (
    EventsAsked,
    EventsGiven,
    ExplainAsked,
    ExplainGiven,
    HealthGiven,
    ReadyGiven,
    RecallAsked,
    RecallGiven,
    TurnAsked,
    TurnGiven,
)
from sunrise.serve.metrics import METRICS_TYPE
from sunrise.serve.problems import RefusalError
from sunrise.serve.service import Service
from sunrise.serve.tokens import Caller, Right

router = APIRouter(responses=described(*ANSWERED))


@router.post("/v1/recall", response_model=RecallGiven, tags=["memories"])
async def recall(asked: RecallAsked, request: Request) -> Response:
    """Return the memories most useful for a query, best first, with a receipt; they count as used."""
    service, caller = who(request, Right.READ)
    scope = turn_scope_for(request, caller, asked.scope, asked.query, find=looked_in)
    wanted = RecallRequest(
        asked.query,
        scope=scope or "",
        limit=asked.limit,
        include_archived=asked.include_archived,
        verbosity=asked.verbosity,
        look_elsewhere=True,
        may_see=caller.scopes,
        read_only=asked.read_only,
    )
    found = await service.workers.ask(lambda: service.recall(wanted))
    service.metrics.items.labels("/v1/recall").inc(len(found.items))
    return JSONResponse(answer_of(found))


@router.post("/v1/auto-recall", response_model=TurnGiven, tags=["turns"])
async def turn(asked: TurnAsked, request: Request) -> Response:
    """Return what is put before the agent at a turn, within its budget, and why; the turn is remembered."""
    service, caller = who(request, Right.READ)
    wanted = AutoRecallRequest(
        asked.prompt,
        session_key=asked.session_key,
        scope=asked.scope,
        turn_key=asked.turn_key,
        read_only=asked.read_only,
    )
    wanted = replace(wanted, scope=turn_scope_for(request, caller, asked.scope, wanted.spoken.text))
    found = await service.workers.ask(lambda: service.auto_recall(wanted, scopes=caller.scopes))
    service.metrics.items.labels("/v1/auto-recall").inc(len(found.items))
    return JSONResponse(turn_answer_of(found))


@router.post("/v1/explain", response_model=ExplainGiven, tags=["turns"])
async def explain(asked: ExplainAsked, request: Request) -> Response:
    """Return the last turn, and of every memory why it was or was not there; refs and codes, never a text."""
    service, caller = who(request, Right.READ)
    found = await service.workers.run(lambda: service.last_turn(asked.session_key))
    is_theirs = found is not None and (caller.scopes is None or found.scope in caller.scopes)
    return JSONResponse(explained_answer_of(found if is_theirs else None))


@router.post("/v1/event", response_model=EventsGiven, status_code=202, tags=["capture"])
async def event(asked: EventsAsked, request: Request) -> Response:
    """Keep captured events for the next harvest, all or none; what they claim is bound by the token."""
    service, caller = who(request, Right.WRITE)
    read = [known_fields(one.model_dump(exclude_none=True)) for one in asked.events]
    events, dropped = [event for event, _ in read], sum(count for _, count in read)
    scopes = [_scope_of(request, caller, one) for one in events]
    ids = await service.workers.run(lambda: service.append_events(events, caller, scopes))
    service.metrics.items.labels("/v1/event").inc(len(ids))
    service.metrics.dropped_fields.inc(dropped)
    return JSONResponse({"eventIds": list(ids), "droppedFields": dropped}, status_code=202)


@router.get("/v1/receipts/{run_id}", tags=["receipts"], responses=described(404))
async def receipt(run_id: str, request: Request) -> dict[str, Any]:
    """Return the receipt of a run of a flow: counts and codes, never a text."""
    service, caller = who(request, Right.ADMIN)
    # A run names memories of every scope.
    caller.check_unbound()
    found = await service.workers.run(lambda: service.receipt(run_id))
    if found is None:
        raise RefusalError("not_found")
    return found.to_dict()


@router.get("/healthz", response_model=HealthGiven, tags=["service"])
async def health() -> dict[str, str]:
    """Say that the process is alive."""
    return {"status": "alive"}


@router.get("/readyz", response_model=ReadyGiven, tags=["service"])
async def ready(request: Request) -> Response:
    """Say whether ledger, table and model answer; 503 when one of them has failed."""
    service: Service = request.app.state.service
    found = await service.workers.run(service.readiness)
    said = {
        "status": "ready" if found.is_ready else "not_ready",
        "ledger": found.ledger,
        "memories": found.memories,
        "embedder": found.embedder,
    }
    return JSONResponse(said, status_code=200 if found.is_ready else 503)


@router.get("/metrics", response_class=PlainTextResponse, tags=["service"])
async def metrics(request: Request) -> Response:
    """Return the counters as Prometheus reads them."""
    service, _ = who(request, Right.ADMIN)
    return Response(service.metrics.text(), media_type=METRICS_TYPE)


def _scope_of(request: Request, caller: Caller, event: Mapping[str, Any]) -> str:
    """Return the scope of an event; whatever else it names as one has to be the caller's too."""
    inner = own_detail(event).get("scope")
    if inner is not None and not isinstance(inner, str):
        raise RefusalError("not_valid", faults=[{"field": "detail.scope", "code": "string_type"}])
    settled = scope_to_write(request, caller, event.get("scope") or inner)
    scope_for(request, caller, inner)
    if not written_scope(settled, request.app.state.service.scope_policy()).is_valid:
        raise RefusalError("bad_scope")
    return settled

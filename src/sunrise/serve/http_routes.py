"""The addresses under /v1: parse, check what the caller may, call, print."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from sunrise.domain.recall import RecallRequest
from sunrise.domain.recall_answer import answer_of, turn_answer_of
from sunrise.domain.scope_policy import ScopeSource, resolved
from sunrise.domain.turn_request import AutoRecallRequest
from sunrise.serve.http_models import (
    EventAsked,
    EventsAsked,
    EventsGiven,
    HealthGiven,
    ReadyGiven,
    RecallAsked,
    RecallGiven,
    TurnAsked,
    TurnGiven,
)
from sunrise.serve.metrics import METRICS_TYPE
from sunrise.serve.problems import PROBLEM_TYPE, REASONS, RefusalError
from sunrise.serve.service import Service
from sunrise.serve.tokens import Caller, Right

RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_ANSWERED: Final = (400, 401, 403, 408, 413, 415, 422, 429, 500, 503, 504)


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    schema = {"schema": {"$ref": "#/components/schemas/ProblemGiven"}}
    return {
        status: {
            "description": "; ".join(sorted(name for name, one in REASONS.items() if one.status == status)),
            "content": {PROBLEM_TYPE: schema},
        }
        for status in statuses
    }


router = APIRouter(responses=_problems(*_ANSWERED))


@router.post("/v1/recall", response_model=RecallGiven, tags=["memories"])
async def recall(asked: RecallAsked, request: Request) -> Response:
    """Return the memories most useful for a query, best first, with a receipt. Nothing is written."""
    service, caller = _who(request, Right.READ)
    scope = _scope(request, caller, asked.scope)
    wanted = RecallRequest(
        asked.query,
        scope=scope,
        limit=asked.limit,
        include_archived=asked.include_archived,
        verbosity=asked.verbosity,
    )
    found = await service.workers.run(lambda: service.recall(wanted))
    service.metrics.items.labels("/v1/recall").inc(len(found.items))
    return JSONResponse(answer_of(found))


@router.post("/v1/auto-recall", response_model=TurnGiven, tags=["turns"])
async def turn(asked: TurnAsked, request: Request) -> Response:
    """Return what is put before the agent at a turn, within its budget, and why; the turn is remembered."""
    service, caller = _who(request, Right.READ)
    wanted = AutoRecallRequest(
        asked.prompt,
        session_key=asked.session_key,
        scope=_turn_scope(request, caller, asked),
        turn_key=asked.turn_key,
        read_only=asked.read_only,
    )
    found = await service.workers.run(lambda: service.auto_recall(wanted, scopes=caller.scopes))
    service.metrics.items.labels("/v1/auto-recall").inc(len(found.items))
    return JSONResponse(turn_answer_of(found))


@router.post("/v1/event", response_model=EventsGiven, status_code=202, tags=["capture"])
async def event(asked: EventsAsked, request: Request) -> Response:
    """Keep captured events for the next harvest, all or none; what they claim of trust is not believed."""
    service, caller = _who(request, Right.WRITE)
    events = [_event(one) for one in asked.events]
    for one in events:
        _check_event(request, caller, one)
    ids = await service.workers.run(lambda: service.append_events(events))
    service.metrics.items.labels("/v1/event").inc(len(ids))
    return JSONResponse({"eventIds": list(ids)}, status_code=202)


@router.get("/v1/receipts/{run_id}", tags=["receipts"], responses=_problems(404))
async def receipt(run_id: str, request: Request) -> dict[str, Any]:
    """Return the receipt of a run of a flow: counts and codes, never a text."""
    service, _ = _who(request, Right.ADMIN)
    known = RUN_ID.fullmatch(run_id) is not None
    found = await service.workers.run(lambda: service.receipt(run_id)) if known else None
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
    service, _ = _who(request, Right.ADMIN)
    return Response(service.metrics.text(), media_type=METRICS_TYPE)


def _who(request: Request, right: Right) -> tuple[Service, Caller]:
    caller: Caller = request.scope["sunrise.caller"]
    caller.check_right(right)
    service: Service = request.app.state.service
    return service, caller


def _scope(request: Request, caller: Caller, asked: str | None) -> str:
    # The audit is told what was asked for, whether it is let through or not.
    request.scope["sunrise.asked_scope"] = asked
    return caller.scope_for(asked)


def _turn_scope(request: Request, caller: Caller, asked: TurnAsked) -> str | None:
    """Return the scope of a turn; that of a bound caller is settled here, whatever the prompt says of it."""
    if caller.scopes is None:
        return asked.scope
    policy = request.app.state.service.scope_policy()
    named = resolved(asked.scope, asked.prompt, policy)
    scope = _scope(request, caller, None if named.source is ScopeSource.DEFAULT else named.scope)
    # What is no valid name becomes another one on the way: that has to be theirs as well.
    return _scope(request, caller, resolved(scope, "", policy).scope)


def _event(asked: EventAsked) -> dict[str, Any]:
    return asked.model_dump(exclude_none=True)


def _check_event(request: Request, caller: Caller, event: Mapping[str, Any]) -> None:
    detail = event.get("detail")
    inner = detail.get("scope") if isinstance(detail, Mapping) else None
    for asked in (event.get("scope") or inner, inner):
        if asked is not None and not isinstance(asked, str):
            raise RefusalError("not_valid", faults=[{"field": "detail.scope", "code": "string_type"}])
        _scope(request, caller, asked)

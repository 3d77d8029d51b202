"""The addresses under /v1 that change memories: store, forget, capture."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from sunrise.domain.answers import capture_answer_of, erase_answer_of, forget_answer_of, store_answer_of
from sunrise.domain.capture_request import CaptureRequest
from sunrise.domain.forget import ForgetRequest
from sunrise.domain.store import StoreRequest
from sunrise.domain.trust import CEILINGS, TRUSTED
from sunrise.serve.asking import ANSWERED, described, scope_for, scope_to_write, turn_scope_for, who
from sunrise.serve.http_models import (
    CaptureAsked,
    CaptureGiven,
    EraseByIdAsked,
    EraseByQueryAsked,
    EraseGiven,
    ForgetByIdAsked,
    ForgetByQueryAsked,
    ForgetGiven,
    StoreAsked,
    StoreGiven,
)
from sunrise.serve.tokens import Caller, Right

router = APIRouter(responses=described(*ANSWERED))


@router.post("/v1/store", response_model=StoreGiven, tags=["memories"])
async def store(asked: StoreAsked, request: Request) -> Response:
    """Store one text as a memory, or say which memory says it already; what is acknowledged is safe."""
    service, caller = who(request, Right.WRITE)
    if CEILINGS[asked.source_kind] == TRUSTED:
        caller.check_right(Right.OWNER)
    wanted = StoreRequest(
        asked.text,
        scope=scope_to_write(request, caller, asked.scope),
        category=asked.category,
        importance=asked.importance,
        source_kind=asked.source_kind,
        source_ref=asked.source_ref,
        agent_id=asked.agent_id,
        id=asked.id,
        idempotency_key=caller.key_for(asked.idempotency_key),
        ttl_days=asked.ttl_days,
        review_at_ms=asked.review_at_ms,
        replaces=tuple(asked.replaces),
        may_change_trusted=caller.is_owners,
    )
    found = await service.workers.write(lambda: service.store(wanted))
    service.metrics.items.labels("/v1/store").inc()
    return JSONResponse(store_answer_of(found))


@router.post("/v1/forget", response_model=ForgetGiven, tags=["memories"])
async def forget(asked: ForgetByIdAsked | ForgetByQueryAsked, request: Request) -> Response:
    """Forget one memory so that it does not come back, or return those that a query may mean."""
    service, caller = who(request, Right.WRITE)
    if asked.with_derived or asked.everywhere:
        caller.check_unbound()
    wanted = _forgetting(asked, request, caller)
    found = await service.workers.write(lambda: service.forget(wanted))
    service.metrics.items.labels("/v1/forget").inc(len(found.refs))
    return JSONResponse(forget_answer_of(found))


@router.post("/v1/erase", response_model=EraseGiven, tags=["memories"])
async def erase(asked: EraseByIdAsked | EraseByQueryAsked, request: Request) -> Response:
    """Forget one memory and take its text out of every store, for good; say what still holds it."""
    service, caller = who(request, Right.ADMIN)
    # The text is looked for everywhere, and what says it is changed wherever it is.
    caller.check_unbound()
    wanted = replace(_forgetting(asked, request, caller), may_take_trusted=caller.is_owners)
    found = await service.workers.write(lambda: service.erase(wanted, backups=asked.backups))
    service.metrics.items.labels("/v1/erase").inc(len(found.forgotten.refs))
    return JSONResponse(erase_answer_of(found))


@router.post("/v1/capture", response_model=CaptureGiven, tags=["turns"])
async def capture(asked: CaptureAsked, request: Request) -> Response:
    """Keep what the owner said in a session, each once, however often the session is sent."""
    service, caller = who(request, Right.WRITE)
    # Whatever is handed on here counts as the owner's own words.
    caller.check_right(Right.OWNER)
    wanted = CaptureRequest(
        asked.messages,
        session_id=asked.session_id,
        session_key=asked.session_key,
        agent_id=asked.agent_id,
        # A tag before a statement must not lead a bound caller elsewhere: the scope is settled before.
        scope=turn_scope_for(request, caller, asked.scope, ""),
        in_group=asked.in_group,
    )
    found = await service.workers.write(lambda: service.capture(wanted))
    service.metrics.items.labels("/v1/capture").inc(len(found.refs))
    return JSONResponse(capture_answer_of(found))


def _forgetting(
    asked: ForgetByIdAsked | ForgetByQueryAsked, request: Request, caller: Caller
) -> ForgetRequest:
    return ForgetRequest(
        asked.id,
        asked.query,
        scope=scope_for(request, caller, asked.scope) if asked.scope or caller.is_bound else None,
        reason=asked.reason,
        with_derived=asked.with_derived,
        everywhere=asked.everywhere,
        limit=asked.limit,
    )

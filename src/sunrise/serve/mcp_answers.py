"""How a tool of the MCP door answers: one block of JSON, the answer or a problem."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent, ToolAnnotations

from sunrise.errors import DataError, StoreError
from sunrise.serve.audit import AUDITED
from sunrise.serve.problems import RefusalError, as_refusal
from sunrise.serve.service import Service
from sunrise.serve.tokens import Caller

READS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
WRITES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
Who = Callable[[Any], Caller]
"""Says who asks, of the request that a call came with; None on stdio."""


async def answered(
    service: Service,
    who: Who,
    ctx: Context[Any],
    answer: Callable[[Caller], Awaitable[dict[str, Any]]],
    *,
    tool: str,
    scope: str | None,
) -> CallToolResult:
    """Return an answer, or as a problem what went wrong on purpose: a model reads both."""
    request = ctx.request_context.request
    caller = who(request)
    try:
        return block(await answer(caller))
    except (RefusalError, DataError, StoreError) as error:
        refusal = as_refusal(error)
        request_id = note_refusal(service, refusal, ctx, caller, route=tool, scope=scope)
        return block(refusal.to_dict(request_id), is_error=True)


def note_refusal(
    service: Service,
    refusal: RefusalError,
    ctx: Context[Any],
    caller: Caller,
    *,
    route: str,
    scope: str | None = None,
) -> str:
    """Audit what was refused, where that is to be audited, and return the id of the request."""
    request_id = request_id_of(ctx)
    if refusal.reason in AUDITED:
        service.audit.note(
            refusal.reason, request_id=request_id, client=caller.name, route=route, scope=scope
        )
    return request_id


def block(values: dict[str, Any], *, is_error: bool = False) -> CallToolResult:
    """Return values as the one block of an answer."""
    text = json.dumps(values, ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


def request_id_of(ctx: Context[Any, Any] | None) -> str:
    """Return the id of the request that a call came with, ``stdio`` where there is none."""
    request = ctx.request_context.request if ctx is not None else None
    return str(request.scope["sunrise.request_id"]) if request is not None else "stdio"


def problem_of(refusal: RefusalError) -> str:
    """Return a problem as the text of an error of the protocol."""
    return json.dumps(refusal.to_dict(""))

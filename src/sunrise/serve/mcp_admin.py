"""The tools of the MCP door that look through memories, and carry them out and in."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from sunrise.domain.admin import MAX_PAGE
from sunrise.domain.record_requests import LONGEST_ID
from sunrise.serve import admin_calls
from sunrise.serve.mcp_answers import READS, WRITES, Who, answered
from sunrise.serve.mcp_tools import tool_of
from sunrise.serve.service import Service
from sunrise.serve.tokens import Caller, Right

_CARRIES_OUT: Final = ToolAnnotations(
    # Into a file of the home, where one is named, in place of what has its name.
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)  # fmt: skip

ScopeField = Annotated[str | None, Field(max_length=256, description="Else that of the token, or every one.")]
CategoryField = Annotated[str | None, Field(max_length=200, description="Only of this category.")]
CursorField = Annotated[str | None, Field(max_length=2000, description="The nextCursor of the page before.")]


def admin_tools(service: Service, who: Who) -> list[Tool]:
    """Return ``memory_list``, ``memory_stats``, ``memory_get``, ``memory_export`` and ``memory_import``."""
    return [made(service, who) for made in (_list, _stats, _get, _export, _import)]


def _list(service: Service, who: Who) -> Tool:
    async def memory_list(
        ctx: Context[Any],
        limit: Annotated[int, Field(ge=1, le=MAX_PAGE, description="Memories, at most.")] = 50,
        cursor: CursorField = None,
        scope: ScopeField = None,
        category: CategoryField = None,
    ) -> CallToolResult:
        async def answer(caller: Caller) -> dict[str, Any]:
            caller.check_right(Right.READ)
            within = _within(caller, scope)
            return await service.workers.run(
                lambda: admin_calls.listed(service, within, limit=limit, cursor=cursor, category=category)
            )

        return await answered(service, who, ctx, answer, tool="memory_list", scope=scope)

    return tool_of(
        memory_list,
        title="List memories",
        description="One page of memories, newest first, and the cursor of the next. Ids are whole.",
        annotations=READS,
    )


def _stats(service: Service, who: Who) -> Tool:
    async def memory_stats(ctx: Context[Any], scope: ScopeField = None) -> CallToolResult:
        async def answer(caller: Caller) -> dict[str, Any]:
            caller.check_right(Right.READ)
            within = _within(caller, scope)
            return await service.workers.run(
                lambda: admin_calls.counted(service, caller, within, with_vectors=True)
            )

        return await answered(service, who, ctx, answer, tool="memory_stats", scope=scope)

    return tool_of(
        memory_stats,
        title="Count memories",
        description="How many memories there are, by scope, category, importance, trust, origin and age.",
        annotations=READS,
    )


def _get(service: Service, who: Who) -> Tool:
    async def memory_get(
        ctx: Context[Any],
        ref: Annotated[
            str, Field(min_length=1, max_length=LONGEST_ID + 4, description="mem:ID, obs:NUMBER, or an id.")
        ],
        scope: ScopeField = None,
    ) -> CallToolResult:
        async def answer(caller: Caller) -> dict[str, Any]:
            caller.check_right(Right.READ)
            scopes = (caller.scope_for(scope),) if scope else caller.scopes
            return await service.workers.run(
                lambda: admin_calls.shown(service, ref, scopes, with_quarantined_texts=False)
            )

        return await answered(service, who, ctx, answer, tool="memory_get", scope=scope)

    return tool_of(
        memory_get,
        title="Show one record",
        description="One record whole: its fields, what changed them, what it belongs to, how it was used.",
        annotations=READS,
    )


def _export(service: Service, who: Who) -> Tool:
    async def memory_export(
        ctx: Context[Any],
        format: Annotated[  # noqa: A002  the tool's own name
            Literal["jsonl", "json", "markdown"], Field(description="markdown is for people.")
        ] = "jsonl",
        scope: ScopeField = None,
        category: CategoryField = None,
        file: Annotated[str | None, Field(description="A name in HOME/exports; needs admin.")] = None,
    ) -> CallToolResult:
        async def answer(caller: Caller) -> dict[str, Any]:
            caller.check_right(Right.READ if file is None else Right.ADMIN)
            within = _within(caller, scope)
            asked = {"format": format, "category": category}
            if file is None:
                return await service.workers.run(lambda: admin_calls.exported_text(service, within, **asked))
            return await service.workers.run(lambda: admin_calls.exported_to(service, file, within, **asked))

        return await answered(service, who, ctx, answer, tool="memory_export", scope=scope)

    return tool_of(
        memory_export,
        title="Export memories",
        description="Memories as text, oldest first, without secrets; many of them go into a file.",
        annotations=_CARRIES_OUT,
    )


def _import(service: Service, who: Who) -> Tool:
    async def memory_import(
        ctx: Context[Any],
        # Not "or None": of what may be anything but a text, the server reads JSON before we do.
        lines: Annotated[str, Field(description="JSON lines, or one array.")] = "",
        file: Annotated[str | None, Field(description="Or a name in HOME/imports.")] = None,
        dedupe: Annotated[Literal["none", "id", "id_text"], Field(description="What is there already.")] = (
            "id_text"
        ),
        scope: ScopeField = None,
        *,
        dry_run: Annotated[bool, Field(description="Count only.")] = False,
    ) -> CallToolResult:
        async def answer(caller: Caller) -> dict[str, Any]:
            caller.check_right(Right.ADMIN)
            # No model vouches for what a file claims.
            into = caller.scope_to_write(scope, service.scope_policy()) if scope or caller.is_bound else None
            asked = {"dedupe": dedupe, "scope": into, "dry_run": dry_run}
            return await service.workers.write(
                lambda: admin_calls.imported(service, lines=lines or None, file=file, asked=asked)
            )

        return await answered(service, who, ctx, answer, tool="memory_import", scope=scope)

    return tool_of(
        memory_import,
        title="Import memories",
        description="Add memories that are not there yet; what a line claims of its trust is not believed.",
        annotations=WRITES,
    )


def _within(caller: Caller, scope: str | None) -> str | None:
    return caller.scope_for(scope) if scope or caller.is_bound else None

"""What the tools of the MCP door take: arguments as they came, and none that they do not know."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any, Final

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ConfigDict, ValidationError, create_model

from sunrise.serve.mcp_answers import block, request_id_of
from sunrise.serve.mcp_wire import WholeLines
from sunrise.serve.problems import RefusalError, fault_of
from sunrise.serve.service_log import note, place_of

MAX_FAULTS: Final = 20


def tool_of(
    function: Callable[..., Any], *, title: str, description: str, annotations: ToolAnnotations
) -> Tool:
    """
    Return a function as a tool.

    An argument of another name is refused: who writes ``dryRun`` or ``scopes`` must not believe to have been
    heard. The titles that pydantic makes of the names are left out; each turn of an agent pays for them.
    """
    made = Tool.from_function(
        function, title=title, description=description, annotations=annotations, structured_output=False
    )
    model = create_model(made.fn_metadata.arg_model.__name__, __base__=(_Known, made.fn_metadata.arg_model))
    schema = model.model_json_schema(by_alias=True)
    for described in (schema, *schema["properties"].values()):
        described.pop("title", None)
    return made.model_copy(update={"fn_metadata": _AsGiven(arg_model=model), "parameters": schema})


class MemoryServer(MCPServer[Any]):
    """An MCP server that answers what is wrong, or fails, as the other doors do: with a problem."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Return what a tool answers. What fails unforeseen stands in the log by its kind and its place."""
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as error:
            request_id = request_id_of(context)
            place = place_of(error.__cause__ or error)
            note("failed", level=logging.ERROR, requestId=request_id, error=place)
            return block(RefusalError("failed").to_dict(request_id), is_error=True)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            refusal = RefusalError("not_valid", faults=_faults(error.__cause__))
            return block(refusal.to_dict(request_id_of(context)), is_error=True)

    async def run_stdio_async(self) -> None:
        """Answer on standard input and output until the input ends."""
        lines = anyio.wrap_file(WholeLines(sys.stdin.buffer, encoding="utf-8", errors="replace"))
        server = self._lowlevel_server
        async with stdio_server(lines) as (reads, writes):
            await server.run(reads, writes, server.create_initialization_options())


class _Known(ArgModelBase):
    model_config = ConfigDict(extra="forbid")


class _AsGiven(FuncMetadata):
    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        # Else a text that is itself JSON, such as a line to import, would not arrive as a text.
        return data


def _faults(error: ValidationError) -> list[dict[str, str]]:
    found = {str(one["loc"][0])[:64]: one for one in reversed(error.errors()) if one["loc"]}
    return [fault_of(name, found[name]) for name in sorted(found)][:MAX_FAULTS]

"""MCP over HTTP: one address in the same application, behind the same guard."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.routing import Route

from sunrise.errors import ConfigurationError
from sunrise.serve.bodies import Receive, replayed
from sunrise.serve.guards import Scope, Send
from sunrise.serve.mcp_relay import MCP_PATH
from sunrise.serve.mcp_wire import whole
from sunrise.serve.problems import RefusalError
from sunrise.serve.service import Service
from sunrise.serve.service_log import note, place_of
from sunrise.serve.tokens import Caller

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


class McpDoor:
    """
    Adds ``/mcp`` to an application. It must run while that does.

    Each request stands for itself, and is answered with JSON: nothing is kept between two of them, so that a
    client may go on after the service was started anew. What it is made of takes half a second to load; that
    is done when the service is ready already, and whoever asks sooner waits for it.

    Raises:
        ConfigurationError: The package for it is not installed.
    """

    def __init__(self, api: FastAPI, service: Service) -> None:
        if importlib.util.find_spec("mcp") is None:
            msg = "MCP needs the serve extra (missing: mcp): install it, or set [serve] mcp = false"
            raise ConfigurationError(msg)
        self._service = service
        self._sessions: StreamableHTTPSessionManager | None = None
        self._is_there = asyncio.Event()
        self._route = Route(MCP_PATH, endpoint=self, methods=["POST"])
        api.router.routes.append(self._route)

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Load it beside what goes on, and answer until the block ends."""
        end = asyncio.Event()
        task = asyncio.create_task(self._serve(end))
        try:
            yield
        finally:
            end.set()
            await task

    # An object, not a function: Starlette hands it the connection as it is.
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        # Log and metrics name it by its route, as those that FastAPI made.
        scope["route"] = self._route
        await self._is_there.wait()
        if self._sessions is None:
            raise RefusalError("failed")
        # The guard has read the body whole.
        message = await receive()
        body = whole(message.get("body", b""))
        await self._sessions.handle_request(scope, replayed(body, receive), send)

    async def _serve(self, end: asyncio.Event) -> None:
        # The sessions must end in the task that began them.
        try:
            sessions = await asyncio.to_thread(_sessions, self._service)
            async with sessions.run():
                self._sessions = sessions
                self._is_there.set()
                await end.wait()
        except Exception as error:
            self._sessions = None
            note("mcp_failed", level=logging.ERROR, error=place_of(error))
        finally:
            self._is_there.set()


def _sessions(service: Service) -> StreamableHTTPSessionManager:
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415  when it is ready

    from sunrise.serve.mcp_server import build_mcp  # noqa: PLC0415

    server = build_mcp(service, _who)
    # Hosts and origins are the guard's to check, for every address in the same way.
    trusting = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server.streamable_http_app(json_response=True, stateless_http=True, transport_security=trusting)
    return server.session_manager


def _who(request: Any) -> Caller:
    caller: Caller = request.scope["sunrise.caller"]
    return caller

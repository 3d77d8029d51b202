"""MCP over HTTP: one address in the same application, behind the same guard."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import Route

from sunrise.serve.bodies import Receive
from sunrise.serve.guards import Scope, Send
from sunrise.serve.mcp_server import build_mcp
from sunrise.serve.service import Service
from sunrise.serve.tokens import Caller

MCP_PATH: Final = "/mcp"


def mount_mcp(api: FastAPI, service: Service) -> StreamableHTTPSessionManager:
    """
    Add ``/mcp`` to an application and return its sessions, which must run while it does.

    Each request stands for itself, and is answered with JSON: nothing is kept between two of them, so that a
    client may go on after the service was started anew.
    """
    server = build_mcp(service, _who)
    # Hosts and origins are the guard's to check, for every address in the same way.
    trusting = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server.streamable_http_app(json_response=True, stateless_http=True, transport_security=trusting)
    api.router.routes.append(Route(MCP_PATH, endpoint=_Endpoint(server.session_manager), methods=["POST"]))
    return server.session_manager


class _Endpoint:
    """An object, not a function: Starlette hands it the connection as it is."""

    def __init__(self, sessions: StreamableHTTPSessionManager) -> None:
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sessions.handle_request(scope, receive, send)


def _who(request: Any) -> Caller:
    caller: Caller = request.scope["sunrise.caller"]
    return caller

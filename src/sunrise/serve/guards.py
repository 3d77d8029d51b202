"""What stands before every request: who asks, from where, how much and how often."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl
from uuid import uuid4

from sunrise.adapters.service_transfer import IMPORT_PATH, STREAM_TYPE
from sunrise.serve.audit import AUDITED
from sunrise.serve.bodies import Message, Receive, check_depth, read_body, replayed, spool_body
from sunrise.serve.mcp_relay import SCOPES_HEADER
from sunrise.serve.problems import RefusalError
from sunrise.serve.service import ServeOptions, Service
from sunrise.serve.service_log import note, place_of
from sunrise.serve.tokens import OPERATOR, Caller, Right

Scope = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]

OPEN_PATHS: Final = frozenset({"/healthz", "/readyz"})
"""What a supervisor asks: it needs no token, and says nothing of what is kept."""

TRANSFER_PATHS: Final = frozenset({"/v1/export", "/v1/import", IMPORT_PATH, "/v1/erase"})
"""What goes through the whole table, or the whole home, and takes its time."""

REQUEST_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

_LOCAL_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_TOKEN_NAMES: Final = frozenset({
    "token", "access_token", "accesstoken", "auth_token", "authorization", "bearer", "api_key", "apikey",
})  # fmt: skip


@dataclass(slots=True)
class Arrival:
    """One request as it came: its headers by name, and what became of it."""

    scope: Scope
    headers: dict[str, list[str]]
    request_id: str
    caller: Caller | None = None
    reason: str | None = None
    status: int = 0
    has_ended: bool = False
    begin: float = field(default_factory=time.perf_counter)

    @property
    def peer(self) -> str:
        """The address it came from."""
        client = self.scope.get("client")
        return client[0] if client else "local"

    @property
    def route(self) -> str:
        """The pattern of the address, so that no part of what was sent becomes a label."""
        path = getattr(self.scope.get("route"), "path", None)
        return path if isinstance(path, str) else "other"

    def only(self, name: str) -> str | None:
        """Return a header that may come once; None where there is none."""
        values = self.headers.get(name, [])
        if len(values) > 1:
            raise RefusalError("bad_request", f"more than one header {name}")
        return values[0] if values else None


class Guard:
    """An ASGI application around another one: nothing of that is reached by what is refused."""

    def __init__(self, app: App, service: Service) -> None:
        self._app = app
        self._service = service

    @property
    def service(self) -> Service:
        """What the application asks."""
        return self._service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, by the application or by a problem."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        arrival = _arrival(scope)
        self._service.metrics.under_way.inc()
        try:
            await self._guarded(arrival, receive, self._watched(arrival, send))
        finally:
            self._service.metrics.under_way.dec()
            self._tell(arrival)

    async def _guarded(self, arrival: Arrival, receive: Receive, send: Send) -> None:
        options = self._service.options
        try:
            self._admit(arrival, options)
            body = await self._body(arrival, receive, options)
            async with asyncio.timeout(_timeout_s(arrival, options)):
                await self._app(arrival.scope, replayed(body, receive), send)
        except RefusalError as refusal:
            await _refuse(arrival, refusal, send)
        except TimeoutError:
            await _refuse(arrival, RefusalError("request_timeout"), send)
        except Exception as error:
            note("failed", level=logging.ERROR, requestId=arrival.request_id, error=place_of(error))
            await _refuse(arrival, RefusalError("failed"), send)
        finally:
            # What nobody took; a call that is not waited for any longer reads its own to the end.
            if (file := arrival.scope.pop("sunrise.file", None)) is not None:
                file.close()
        arrival.reason = arrival.reason or arrival.scope.get("sunrise.reason")

    async def _body(self, arrival: Arrival, receive: Receive, options: ServeOptions) -> bytes:
        if arrival.scope["path"] != IMPORT_PATH:
            return await _body(arrival, receive, options)
        # It may be large: whoever may not send it is refused before any of it is read.
        if arrival.caller is not None:
            arrival.caller.check_right(Right.ADMIN)
        check_content(arrival, STREAM_TYPE)
        arrival.scope["sunrise.file"] = await spool_body(
            receive,
            folder=self._service.home.path,
            most=options.settings.max_import_mib << 20,
            timeout_s=options.settings.transfer_timeout_s,
        )
        return b""

    def _admit(self, arrival: Arrival, options: ServeOptions) -> None:
        check_host(arrival, options)
        check_origin(arrival, options)
        check_address(arrival)
        if arrival.scope["path"] in OPEN_PATHS:
            arrival.caller = Caller("anyone", frozenset())
        else:
            arrival.caller = _narrowed(arrival, self._bearer(arrival, options))
        wait_s = self._service.rates.take(f"{arrival.caller.name} {arrival.peer}")
        if wait_s:
            raise RefusalError("rate_limited", retry_after_s=wait_s)
        arrival.scope["sunrise.caller"] = arrival.caller
        arrival.scope["sunrise.request_id"] = arrival.request_id

    def _bearer(self, arrival: Arrival, options: ServeOptions) -> Caller:
        if options.tokens.is_open:
            return OPERATOR
        kind, _, token = (arrival.only("authorization") or "").partition(" ")
        is_given = kind.lower() == "bearer" and bool(token.strip())
        found = options.tokens.bearer(token.strip()) if is_given else None
        if found is not None:
            return found
        wait_s = self._service.failures.take(arrival.peer)
        if wait_s:
            raise RefusalError("rate_limited", "too many wrong tokens", retry_after_s=wait_s)
        raise RefusalError("token_unknown" if is_given else "token_missing")

    def _tell(self, arrival: Arrival) -> None:
        seconds = time.perf_counter() - arrival.begin
        self._service.metrics.observe(
            arrival.route, status=arrival.status, reason=arrival.reason, seconds=seconds
        )
        note(
            "request",
            requestId=arrival.request_id,
            method=_method(arrival.scope["method"]),
            route=arrival.route,
            status=arrival.status,
            ms=round(seconds * 1000, 1),
            client=_name(arrival),
            reason=arrival.reason,
        )

    def _audit(self, arrival: Arrival) -> None:
        """Note a refusal before it is answered: whoever was refused cannot be sooner than the audit."""
        reason = arrival.reason or arrival.scope.get("sunrise.reason")
        if reason not in AUDITED:
            return
        kept = self._service.audit.note(
            reason,
            request_id=arrival.request_id,
            client=_name(arrival),
            route=arrival.route,
            scope=arrival.scope.get("sunrise.asked_scope"),
        )
        if not kept:
            note("audit_failed", level=logging.ERROR, requestId=arrival.request_id)

    def _watched(self, arrival: Arrival, send: Send) -> Send:
        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._audit(arrival)
                arrival.status = message["status"]
                named = (b"x-request-id", arrival.request_id.encode("ascii"))
                message = {**message, "headers": [*message.get("headers", []), named]}
            elif message["type"] == "http.response.body":
                arrival.has_ended = not message.get("more_body", False)
            await send(message)

        return send_on


def check_host(arrival: Arrival, options: ServeOptions) -> None:
    """
    Let a request pass that was meant for this service: a page that rebinds its name to us says another one.

    Raises:
        RefusalError: Reason ``bad_host`` or ``host_not_allowed``.
    """
    values = arrival.headers.get("host", [])
    if len(values) != 1 or not values[0]:
        raise RefusalError("bad_host")
    settings = options.settings
    own = f"[{settings.host}]" if ":" in settings.host else settings.host
    allowed = {*_LOCAL_HOSTS, own.lower(), *(one.lower() for one in settings.allowed_hosts)}
    host = values[0].lower()
    name, colon, port = host.rpartition(":")
    if colon and port.isdecimal() and port.isascii():
        host = name
    if host not in allowed:
        raise RefusalError("host_not_allowed")


def check_origin(arrival: Arrival, options: ServeOptions) -> None:
    """
    Let a request pass that no web page sent, or one of an origin that may.

    Raises:
        RefusalError: Reason ``origin_not_allowed``.
    """
    for origin in arrival.headers.get("origin", []):
        if origin not in options.settings.allowed_origins:
            raise RefusalError("origin_not_allowed")


def check_content(arrival: Arrival, wanted: str | None) -> None:
    """
    Let a body pass that is not compressed, and of the wanted type; what a foreign page's form sends is not.

    Raises:
        RefusalError: Reason ``content_type``.
    """
    kind = (arrival.only("content-type") or "").partition(";")[0].strip().lower()
    is_plain = arrival.headers.get("content-encoding", ["identity"]) == ["identity"]
    if not is_plain or (wanted is not None and kind != wanted):
        raise RefusalError("content_type")


def check_address(arrival: Arrival) -> None:
    """
    Let an address pass that carries no token: addresses are logged wherever they pass.

    Raises:
        RefusalError: Reason ``token_in_url``.
    """
    query = arrival.scope.get("query_string", b"").decode("latin-1")
    names = {name.strip().lower().replace("-", "_") for name, _ in parse_qsl(query, keep_blank_values=True)}
    if names & _TOKEN_NAMES:
        raise RefusalError("token_in_url")


def _narrowed(arrival: Arrival, caller: Caller) -> Caller:
    given = arrival.only(SCOPES_HEADER.lower())
    if given is None:
        return caller
    try:
        scopes = json.loads(given)
    except (ValueError, RecursionError):
        scopes = None
    if not isinstance(scopes, list) or not scopes or not all(isinstance(one, str) for one in scopes):
        raise RefusalError("bad_request", f"{SCOPES_HEADER} is a list of scopes as JSON")
    arrival.caller = caller
    return caller.narrowed(tuple(one.strip() for one in scopes))


def _arrival(scope: Scope) -> Arrival:
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1").strip())
    given = (headers.get("x-request-id") or [""])[0]
    return Arrival(scope, headers, given if REQUEST_ID.fullmatch(given) else uuid4().hex)


async def _body(arrival: Arrival, receive: Receive, options: ServeOptions) -> bytes:
    settings = options.settings
    length = arrival.only("content-length")
    declared = int(length) if length is not None and length.isdecimal() else None
    check_content(arrival, None)
    body = await read_body(
        receive, declared=declared, most=settings.max_body_kib * 1024, timeout_s=settings.body_timeout_s
    )
    if body:
        check_content(arrival, "application/json")
        check_depth(body, most=settings.max_depth)
    return body


async def _refuse(arrival: Arrival, refusal: RefusalError, send: Send) -> None:
    arrival.reason = refusal.reason
    if arrival.has_ended:
        return
    if arrival.status:
        # An answer has begun: it can only be broken off.
        raise refusal
    body = refusal.body(arrival.request_id)
    headers = {**refusal.headers(), "Content-Length": str(len(body))}
    if refusal.reason in {"body_too_large", "body_timeout"}:
        headers["Connection"] = "close"
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


def _timeout_s(arrival: Arrival, options: ServeOptions) -> float:
    is_transfer = arrival.scope["path"] in TRANSFER_PATHS
    return options.settings.transfer_timeout_s if is_transfer else options.settings.request_timeout_s


def _name(arrival: Arrival) -> str:
    return arrival.caller.name if arrival.caller else "unknown"


def _method(method: str) -> str:
    return method if method in {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"} else "other"

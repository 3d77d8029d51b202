"""
MCP over standard input and output where a service runs: each message is handed on to it, and its answer back.

Nothing is loaded for that but a little of the standard library, so that a client that starts its servers
itself has neither a second model nor a second table in memory.
"""

from __future__ import annotations

import base64
import http.client
import json
import re
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO, Final

from sunrise.adapters.service_client import reachable, token_of
from sunrise.adapters.service_presence import Presence, running_service
from sunrise.errors import ConfigurationError

MCP_PATH: Final = "/mcp"
SCOPES_HEADER: Final = "X-Sunrise-Scopes"
"""A list of scopes as JSON: whoever sends it is bound to them for this request."""

RESTART_S: Final = 10.0
"""So long a message waits for a service that is started anew."""

_AT_ONCE: Final = 8
_ANSWER_S: Final = 600.0
_SERVER_ERROR: Final = -32000
_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY: Final[Mapping[str, str]] = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN = re.compile(r"[\x20-\x7e]*")
_PROBE: Final = b'{"jsonrpc": "2.0", "id": "is-it-there", "method": "ping"}'


class Relay:
    """Hands messages on to the service of a home. Threads may share it."""

    def __init__(self, home: Path, *, scopes: Sequence[str] = (), restart_s: float = RESTART_S) -> None:
        self._home = home
        self._scopes = tuple(scopes)
        self._restart_s = restart_s
        self._version: str | None = None

    def is_answered(self) -> bool:
        """Return whether a service runs and speaks MCP."""
        presence = running_service(self._home)
        if presence is None:
            return False
        try:
            with _Posted(presence, _PROBE, self._headers({})) as answer:
                return answer.status == http.client.OK and b'"result"' in answer.read()
        except (OSError, http.client.HTTPException, ConfigurationError):
            return False

    def answers(self, line: bytes) -> Iterator[bytes]:
        """Yield what the service answers to one message, none to what asks for nothing."""
        message = _message(line)
        name = message.get("id")
        try:
            presence = self._presence()
            if presence is None:
                yield _error(name, "the memory service does not answer: start `sunrise serve`")
                return
            with _Posted(presence, line.strip(), self._headers(message)) as answer:
                yield from self._read(answer, message)
        except (OSError, http.client.HTTPException, ConfigurationError) as error:
            if name is not None:
                yield _error(name, f"the memory service broke off: {type(error).__name__}")

    def _read(self, answer: http.client.HTTPResponse, message: Mapping[str, Any]) -> Iterator[bytes]:
        if (answer.getheader("Content-Type") or "").startswith("text/event-stream"):
            for line in answer:
                if line.startswith(b"data:"):
                    yield line.removeprefix(b"data:").strip()
            return
        body = answer.read()
        said = _message(body)
        if "jsonrpc" in said:
            result = said.get("result")
            if message.get("method") == "initialize" and isinstance(result, dict):
                self._version = result.get("protocolVersion")
            yield b" ".join(body.split(b"\n"))
        elif answer.status >= http.client.BAD_REQUEST and message.get("id") is not None:
            yield _error(message["id"], f"{said.get('reason', answer.status)}: {said.get('title', '')}", said)

    def _presence(self) -> Presence | None:
        deadline = time.monotonic() + self._restart_s
        while (found := running_service(self._home)) is None and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    def _headers(self, message: Mapping[str, Any]) -> dict[str, str]:
        headers = {
            "Host": "localhost",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if token := token_of(self._home):
            headers["Authorization"] = f"Bearer {token}"
        if self._scopes:
            headers[SCOPES_HEADER] = json.dumps(self._scopes)
        return headers | self._routing(message)

    def _routing(self, message: Mapping[str, Any]) -> dict[str, str]:
        """Return what the protocol wants said outside of the message as well, by its version."""
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
        if not isinstance(version, str):
            return {} if self._version is None else {"MCP-Protocol-Version": self._version}
        method = str(message.get("method", ""))
        headers = {"MCP-Protocol-Version": version, "Mcp-Method": method}
        named = params.get(_NAMED_BY.get(method, ""))
        return headers | ({"Mcp-Name": _encoded(named)} if isinstance(named, str) else {})


class _Posted:
    """One request, and its connection for the time of a block."""

    def __init__(self, presence: Presence, body: bytes, headers: Mapping[str, str]) -> None:
        self._connection = http.client.HTTPConnection(
            reachable(presence.host), presence.port, timeout=_ANSWER_S
        )
        self._body, self._headers = body, headers

    def __enter__(self) -> http.client.HTTPResponse:
        self._connection.request("POST", MCP_PATH, self._body, self._headers)
        return self._connection.getresponse()

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def relay_stdio(home: Path, *, scopes: Sequence[str] = ()) -> bool:
    """Answer through the service until the input ends; False where none runs that speaks MCP."""
    relay = Relay(home, scopes=scopes)
    if not relay.is_answered():
        return False
    print("sunrise: answered by the service", file=sys.stderr, flush=True)  # noqa: T201  the client's log
    relay_messages(relay, sys.stdin.buffer, sys.stdout.buffer)
    return True


def relay_messages(relay: Relay, given: BinaryIO, out: BinaryIO) -> None:
    """Hand on each line, several at once, until there are no more and all are answered."""
    lock = threading.Lock()

    def hand_on(line: bytes) -> None:
        for answer in relay.answers(line):
            with lock:
                out.write(answer + b"\n")
                out.flush()

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for line in given:
            if b'"initialize"' in line:
                # What comes after it is sent as it was agreed upon.
                hand_on(line)
            elif line.strip():
                pool.submit(hand_on, line)


def _message(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _error(name: Any, message: str, data: Mapping[str, Any] | None = None) -> bytes:
    error: dict[str, Any] = {"code": _SERVER_ERROR, "message": message}
    if data:
        error["data"] = data
    return json.dumps({"jsonrpc": "2.0", "id": name, "error": error}).encode()


def _encoded(name: str) -> str:
    """
    Return a name as a header has it.

    >>> _encoded("memory_recall"), _encoded("茶")
    ('memory_recall', '=?base64?6Iy2?=')
    """
    is_plain = _PLAIN.fullmatch(name) is not None and not name.startswith("=?")
    return name if is_plain else f"=?base64?{base64.b64encode(name.encode()).decode()}?="

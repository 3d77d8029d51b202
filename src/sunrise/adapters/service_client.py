"""
Asks the running service of a home. Only a few modules of the standard library are loaded.

A hook pays for every import at each turn, and ``http.client`` alone takes 30 ms: it brings a reader of mail.
What is spoken to is our own service, which says how long each answer is.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

from sunrise.adapters.private_files import read_private
from sunrise.adapters.service_presence import Presence, running_service
from sunrise.errors import ConfigurationError

TIMEOUT_S: Final = 30.0
TOKEN_FILE: Final = "serve.token"  # noqa: S105  the name of a file

_MAX_LINE: Final = 65_536


def ask_service(
    home: Path, path: str, body: Mapping[str, Any], *, timeout_s: float = TIMEOUT_S
) -> dict[str, Any] | None:
    """
    Return what the service of a home answers to a POST, or None where none runs or it does not do it.

    Whoever gets None does the work in its own process, and says there what is wrong with it.
    """
    presence = running_service(home)
    if presence is None:
        return None
    try:
        return _posted(presence, path, json.dumps(body).encode(), token_of(home), timeout_s)
    except (OSError, ValueError, IndexError, ConfigurationError):
        return None


def _posted(
    presence: Presence, path: str, body: bytes, token: str | None, timeout_s: float
) -> dict[str, Any] | None:
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    head = "\r\n".join(lines).encode("ascii") + b"\r\n\r\n"
    with socket.create_connection((reachable(presence.host), presence.port), timeout_s) as connection:
        connection.sendall(head + body)
        with connection.makefile("rb") as answer:
            status = int(answer.readline(_MAX_LINE).split(maxsplit=2)[1])
            length = _length(answer)
            content = answer.read(length)
    if not 200 <= status < 300 or len(content) != length:
        return None
    found = json.loads(content)
    return found if isinstance(found, dict) else None


def _length(answer: IO[bytes]) -> int:
    """Read the headers of an answer and return how long its body is; the service always says that."""
    length = 0
    while line := answer.readline(_MAX_LINE).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return length


def token_of(home: Path) -> str | None:
    """Return the token of a home, None where there is none."""
    text = read_private(home / TOKEN_FILE)
    return None if text is None else text.strip()


def reachable(host: str) -> str:
    """Return the address at which a service that listens on this one is reached."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  a name to connect to, not to bind

"""A service that takes JSON by POST: asked with patience, up to a limit, and under no other address."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import cached_property
from threading import Event, Timer
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from sunrise.errors import StoreError

FIRST_WAIT_S: Final = 0.5
"""Before the second try; before each further one it is doubled."""

MOST_WAIT_S: Final = 60.0
"""A service that asks to wait longer is not waited for."""

_MAY_PASS: Final = frozenset({408, 429, 500, 502, 503, 504})
_CODE_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one try may take, all in all, and how often it is tried."""

    timeout_s: float
    tries: int = 1


class JsonService:
    """
    Posts JSON to one URL.

    No proxy of the environment and no redirect leads it elsewhere, for the headers may hold a key. An error
    tells the address, the status, and the code that the service gives; never a header, nor a text that was
    sent or came back.

    Raises:
        ValueError: The URL has a port that is no number.
    """

    def __init__(
        self, url: str, *, headers: Mapping[str, str], sleep: Callable[[float], object] = time.sleep
    ) -> None:
        parts = urlsplit(url)
        self._is_secure = parts.scheme == "https"
        self._host, self._port, self._path = parts.hostname or "", parts.port, parts.path
        self._name = f"{parts.scheme}://{parts.netloc}"
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        self._sleep = sleep

    def post(self, body: bytes, *, patience: Patience, max_bytes: int) -> Any:
        """
        Return the JSON of an answer that is at most so long.

        Raises:
            StoreError: There is none after all tries, or what came is none.
        """
        for number in range(patience.tries):
            try:
                return _parsed(self._once(body, patience.timeout_s, max_bytes))
            except _RefusedError as refusal:
                is_last = number + 1 == patience.tries
                if is_last or not refusal.may_pass or refusal.wait_s > MOST_WAIT_S:
                    msg = f"{self._name} {refusal}"
                    raise StoreError(msg) from refusal
                self._sleep(max(refusal.wait_s, FIRST_WAIT_S * 2**number))
        msg = f"{self._name} was not asked"
        raise StoreError(msg)

    def _once(self, body: bytes, timeout_s: float, max_bytes: int) -> bytes:
        late = Event()
        connection = self._connection(timeout_s)
        try:
            connection.connect()
            # The timeout of a socket begins anew with each byte that comes.
            watch = Timer(timeout_s, _cut, (connection.sock, late))
            watch.daemon = True
            watch.start()
            try:
                return self._exchanged(connection, body, max_bytes)
            finally:
                watch.cancel()
        except (OSError, http.client.HTTPException) as error:
            is_late = late.is_set() or isinstance(error, TimeoutError)
            said = f"gave no answer within {timeout_s:g} s" if is_late else _told(error)
            raise _RefusedError(said, may_pass=True) from error
        finally:
            connection.close()

    def _exchanged(self, connection: http.client.HTTPConnection, body: bytes, max_bytes: int) -> bytes:
        connection.request("POST", self._path, body, self._headers)
        answer = connection.getresponse()
        content = answer.read(max_bytes + 1)
        if answer.status != http.HTTPStatus.OK:
            raise _refusal(answer.status, answer.headers, content)
        if len(content) > max_bytes:
            msg = f"gave an answer of more than {max_bytes} bytes"
            raise _RefusedError(msg)
        if answer.length:
            raise http.client.IncompleteRead(content, answer.length)
        return content

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        if self._is_secure:
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=timeout_s, context=self._trusted
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout_s)

    @cached_property
    def _trusted(self) -> ssl.SSLContext:
        return ssl.create_default_context()


class _RefusedError(Exception):
    """Why one try brought nothing; whether another one may, and after how long."""

    def __init__(self, message: str, *, may_pass: bool = False, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.may_pass = may_pass
        self.wait_s = wait_s


def _cut(connected: socket.socket, late: Event) -> None:
    late.set()
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _told(error: Exception) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return "cut its answer off"
    if isinstance(error, http.client.HTTPException):
        return "does not speak HTTP as we do"
    return f"cannot be reached: {getattr(error, 'strerror', None) or type(error).__name__}"


def _refusal(status: int, headers: Message, content: bytes) -> _RefusedError:
    if http.HTTPStatus.MULTIPLE_CHOICES <= status < http.HTTPStatus.BAD_REQUEST:
        return _RefusedError(f"answers {status} and leads elsewhere: name the address where it ends")
    said = f"answers {status}{_code(content)}{_HINTS.get(status, '')}"
    wait_s = _retry_after(headers)
    if wait_s > MOST_WAIT_S:
        said += f": it asks to wait {wait_s:.0f} s"
    return _RefusedError(said, may_pass=status in _MAY_PASS, wait_s=wait_s)


_HINTS: Final = {
    401: ": it does not take the key",
    403: ": it does not take the key",
    404: ": it knows no such model, or has no such address",
    413: ": that is too much for it",
    429: ": it has no room",
}


def _code(content: bytes) -> str:
    """Return the code of an error if it is a word: a sentence might repeat a key or a text."""
    try:
        said = orjson.loads(content)["error"]["code"]
    except (ValueError, TypeError, KeyError):
        return ""
    is_word = isinstance(said, str) and said.isascii() and said.isidentifier()
    return f" ({said})" if is_word and len(said) <= _CODE_CHARS else ""


def _retry_after(headers: Message) -> float:
    """Return the seconds that a service asks to wait, a date taken against the service's own clock."""
    said = (headers.get("Retry-After") or "").strip()
    if said.isascii() and said.isdigit():
        return float(said[:9])
    try:
        then, now = parsedate_to_datetime(said), parsedate_to_datetime(headers.get("Date") or "")
        return max(0.0, (then - now).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def _parsed(content: bytes) -> Any:
    try:
        return orjson.loads(content)
    except ValueError as error:
        msg = "gave an answer that is no JSON"
        raise _RefusedError(msg) from error

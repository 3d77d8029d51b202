"""Carries many bytes to and from the running service of a home, a block at a time."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import urlencode

from sunrise.adapters.service_client import reachable, token_of
from sunrise.adapters.service_presence import running_service
from sunrise.errors import ConfigurationError, StoreError

PATIENCE_S: Final = 600.0
"""So long a whole table may take until the first byte is there."""

EXPORT_HEADER: Final = "X-Sunrise-Export"
"""Where an export says what was left out: its body has the memories for itself."""

IMPORT_PATH: Final = "/v1/import/lines"
STREAM_TYPE: Final = "application/octet-stream"

_BLOCK: Final = 256 * 1024


def fetched(home: Path, path: str, body: Mapping[str, Any], out: BinaryIO, *, told_in: str) -> Any:
    """
    Write what the service answers to a POST into an open file; return the JSON of one of its headers.

    None where no service runs or it does not do it: then nothing was written.

    Raises:
        StoreError: The service broke off in the middle, or the file cannot be written.
    """
    said = json.dumps({name: value for name, value in body.items() if value is not None})
    with _asked(home, path, said.encode(), "application/json") as answer:
        if answer is None or (told := answer.getheader(told_in)) is None:
            return None
        length, written = int(answer.getheader("Content-Length") or 0), 0
        for block in _read(answer):
            written += out.write(block)
        if written != length:
            raise StoreError(f"the service broke off after {written} of {length} bytes")
    return json.loads(told)


def sent(home: Path, path: str, stream: BinaryIO, **asked: Any) -> dict[str, Any] | None:
    """
    Send an open file to the service, a block at a time, and return what it answers.

    None where no service runs or it does not take it; the file is then at its beginning again.
    """
    if running_service(home) is None:
        return None
    words = {name: json.dumps(one) if isinstance(one, bool) else one for name, one in asked.items()}
    whole = f"{path}?{urlencode({name: one for name, one in words.items() if one is not None})}"
    with _asked(home, whole, _blocks(stream), STREAM_TYPE) as answer:
        try:
            found = None if answer is None else json.loads(answer.read())
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise StoreError(f"the service broke off: {error}") from error
    if isinstance(found, dict):
        return found
    stream.seek(0)
    return None


@contextmanager
def _asked(
    home: Path, path: str, body: bytes | Iterator[bytes], kind: str
) -> Iterator[http.client.HTTPResponse | None]:
    presence = running_service(home)
    if presence is None:
        yield None
        return
    connection = http.client.HTTPConnection(reachable(presence.host), presence.port, timeout=PATIENCE_S)
    try:
        answer = None
        try:
            headers = {"Host": "localhost", "Content-Type": kind, "Connection": "close"}
            if token := token_of(home):
                headers["Authorization"] = f"Bearer {token}"
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException, ConfigurationError):
            answer = None
        yield answer if answer is not None and answer.status == http.client.OK else None
    finally:
        connection.close()


def _read(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    try:
        while block := answer.read(_BLOCK):
            yield block
    except (OSError, http.client.HTTPException) as error:
        raise StoreError(f"the service broke off: {error}") from error


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    while block := stream.read(_BLOCK):
        yield block

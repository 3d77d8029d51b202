"""The body of a request: read whole, in bounded time and room, before anything makes sense of it."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Final

from sunrise.serve.problems import RefusalError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

# A text that has no end takes the rest with it: each byte is looked at once, whatever is sent.
_TOKENS: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[][{}]', re.DOTALL)
_STEPS: Final = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


async def read_body(receive: Receive, *, declared: int | None, most: int, timeout_s: float) -> bytes:
    """
    Return the whole body.

    Raises:
        RefusalError: It is larger than *most*, or did not come in time; nothing more of it is read.
    """
    if declared is not None and declared > most:
        raise _too_large(most)
    parts: list[bytes] = []
    await _received(receive, parts.append, most=most, timeout_s=timeout_s)
    return b"".join(parts)


async def spool_body(receive: Receive, *, folder: Path, most: int, timeout_s: float) -> BinaryIO:
    """
    Return the whole body as a file without a name, so that its size costs no memory.

    Raises:
        RefusalError: It is larger than *most*, did not come in time, or there is no room for it.
    """
    with ExitStack() as stack:
        try:
            file: BinaryIO = stack.enter_context(tempfile.TemporaryFile(dir=folder))
            # A block that goes to the system's cache takes less time than a thread would.
            await _received(receive, file.write, most=most, timeout_s=timeout_s)
            file.seek(0)
        except OSError as error:
            raise RefusalError("store_failed", retry_after_s=5.0) from error
        stack.pop_all()
        return file


async def _received(
    receive: Receive, take: Callable[[bytes], object], *, most: int, timeout_s: float
) -> None:
    size = 0
    try:
        async with asyncio.timeout(timeout_s):
            is_over = False
            while not is_over:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RefusalError("bad_request", "the body ended early")
                part = message.get("body", b"")
                size += len(part)
                if size > most:
                    raise _too_large(most)
                take(part)
                is_over = not message.get("more_body", False)
    except TimeoutError as error:
        raise RefusalError("body_timeout", f"the whole body must be there in {timeout_s:g} s") from error


def _too_large(most: int) -> RefusalError:
    return RefusalError("body_too_large", f"at most {most} bytes")


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that hands out a body that was read, and then what else comes."""
    waiting = [body]

    async def receive_again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return receive_again


def check_depth(body: bytes, *, most: int) -> None:
    """
    Let JSON pass that nests no deeper than this; whether it is JSON is for others to say.

    Raises:
        RefusalError: It is deeper; reason ``json_too_deep``.
    """
    if body.count(b"[") + body.count(b"{") <= most:
        return
    depth = 0
    for found in _TOKENS.finditer(body):
        depth += _STEPS.get(found.group(), 0)
        if depth > most:
            raise RefusalError("json_too_deep", f"at most {most} levels")

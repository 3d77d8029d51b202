"""Messages of MCP as they come over the wire: without halves of characters."""

from __future__ import annotations

import io
import json
import re
from typing import Final

_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def whole(message: bytes) -> bytes:
    r"""
    Return a message with U+FFFD in place of each half of a surrogate pair.

    Clients count in halves, and one that cuts a text in the middle of an emoji sends such a half. The library
    takes the whole message for no JSON then, and on stdio answers nothing: the caller would wait for its
    timeout.

    >>> whole(b'{"text": "cut \\ud83d"}').decode()
    '{"text": "cut \ufffd"}'
    """
    if not _HALF.search(message):
        return message
    try:
        text = json.dumps(json.loads(message), ensure_ascii=False)
    except (ValueError, RecursionError):
        # No JSON: for others to refuse.
        return message
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


class WholeLines(io.TextIOWrapper):
    """Standard input, a message a line."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # as typeshed has it for this class
        """Return the next message, empty at the end."""
        line = super().readline(size)
        return whole(line.encode()).decode().rstrip("\n") + "\n" if line else line

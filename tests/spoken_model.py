"""A model that does what it is told: `CALL tool {arguments}`, and then says what came back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

_CALL = re.compile(r"CALL (\S+) (\{.*\})")


@contextmanager
def spoken_model() -> Iterator[str]:
    """Answer chat completions as a stream, at the address that is lent."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        delta, end = _said(body)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for choice in (
            {"delta": {"role": "assistant", **delta}, "finish_reason": None},
            {"delta": {}, "finish_reason": end},
        ):
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "spoken"}
            self._send(json.dumps({**chunk, "choices": [{"index": 0, **choice}]}))
        self._send("[DONE]")

    def log_message(self, format: str, *values: Any) -> None:  # noqa: A002  the base's own name
        """Say nothing."""

    def _send(self, data: str) -> None:
        self.wfile.write(f"data: {data}\n\n".encode())


def _said(body: dict[str, Any]) -> tuple[dict[str, Any], str]:
    # The gateway adds a message of its own after the user's.
    messages = [one for one in body["messages"] if "BEGIN_OPENCLAW_INTERNAL" not in _text(one)]
    if messages[-1]["role"] == "tool":
        return {"content": _text(messages[-1])}, "stop"
    asked = _CALL.search(_text(messages[-1]))
    names = {tool["function"]["name"] for tool in body.get("tools", [])}
    if asked is None or asked[1] not in names:
        return {"content": json.dumps({"tools": sorted(names)})}, "stop"
    call = {"name": asked[1], "arguments": asked[2]}
    return {
        "tool_calls": [{"index": 0, "id": f"call_{len(messages)}", "type": "function", "function": call}]
    }, "tool_calls"


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)

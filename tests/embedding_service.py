"""A real server with the embeddings address of OpenAI, whose vectors are those of the fake embedder."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sunrise.settings import EmbedderSettings
from tests.fakes import FakeEmbedder

DIMENSION = 16
Answer = Callable[[dict[str, Any]], "tuple[int, bytes]"]


class QuietServer(ThreadingHTTPServer):
    """One that does not tell of callers who hung up."""

    def handle_error(self, *_: Any) -> None:
        return


class EmbeddingService:
    """Answers as it is told, first with what stands in a queue, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.seen_headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.queue: list[tuple[int, bytes]] = []
        self.answer: Answer = vectors
        self.headers: dict[str, str] = {}
        self.raw: Callable[[Any], None] | None = None
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                service.paths.append(self.path)
                service.seen_headers.append(dict(self.headers))
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append(body)
                if service.raw is not None:
                    service.raw(self.wfile)
                    return
                status, content = service.queue.pop(0) if service.queue else service.answer(body)
                self.send_response(status)
                for name, value in service.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                return

        self.server = QuietServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.block_on_close = False
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def settings(self, **changes: Any) -> EmbedderSettings:
        values = {"name": "openai", "base_url": self.url, "model": "tea-1", "dimension": DIMENSION}
        return EmbedderSettings.model_validate({**values, **changes})

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@contextmanager
def serving() -> Iterator[EmbeddingService]:
    service = EmbeddingService()
    try:
        yield service
    finally:
        service.close()


def vectors(body: dict[str, Any]) -> tuple[int, bytes]:
    """Answer in the wrong order and with vectors of length 3, as a service may."""
    rows = FakeEmbedder(DIMENSION).embed(body["input"]) * 3
    data = [{"index": place, "embedding": row.tolist()} for place, row in enumerate(rows)]
    return 200, json.dumps({"object": "list", "data": data[::-1]}).encode()

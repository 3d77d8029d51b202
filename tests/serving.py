"""Homes with a few memories, and a real server over one of them."""

from __future__ import annotations

import http.client
import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import uvicorn

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.service_presence import Presence, announce, only_service
from sunrise.bootstrap import open_home
from sunrise.domain.text.analysis import terms
from sunrise.sections.serve import ServeSettings
from sunrise.serve.http_app import build_app
from sunrise.serve.running import server_config
from sunrise.serve.service import ServeOptions, Service
from sunrise.serve.tokens import TokenBook
from sunrise.settings import load_settings
from tests.homes import NOW

CONFIG = '[embedder]\nname = "none"\n'

ROWS = (
    ("m-tea", "The user likes green tea", "global"),
    ("m-backup", "Backup the database before every deploy", "global"),
    ("m-zh", "部署前必須備份資料庫", "global"),
    ("m-secret-plan", "The green plan of agent one", "agent:1"),
    ("m-other", "The green plan of agent two", "agent:2"),
)


@dataclass(frozen=True)
class Answer:
    """What came back: status, headers in lower case, body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def reason(self) -> str:
        return str(self.json["reason"])


@dataclass(frozen=True)
class Served:
    """A server that runs, and what it asks."""

    port: int
    home: Path
    service: Service

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        given = {"Content-Type": "application/json"} if data else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, data, given)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read())
        finally:
            connection.close()

    def recall(self, query: str = "green", **asked: Any) -> Answer:
        headers = asked.pop("headers", {})
        return self.ask("POST", "/v1/recall", {"query": query, **asked}, **headers)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 20)


def make_home(root: Path, *, config: str = CONFIG) -> Path:
    """Make a home whose memories are indexed by words."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "sunrise.toml").write_text(config, encoding="utf-8")
    table = LanceMemories.create(root / "lance", dimension=2)
    table.add(
        pa.table({
            "id": [row[0] for row in ROWS],
            "text": [row[1] for row in ROWS],
            "terms": [terms(row[1]) for row in ROWS],
            "scope": [row[2] for row in ROWS],
            "createdAt": [NOW] * len(ROWS),
        })
    )  # fmt: skip
    table.build_missing_indices()
    return root


@contextmanager
def announced(running: Served) -> Iterator[None]:
    """Let the command line find a server for the time of a block."""
    with only_service(running.home):
        announce(running.home, Presence("127.0.0.1", running.port, os.getpid(), "test"))
        yield


@contextmanager
def served(home: Path, *, tokens: TokenBook | None = None, **settings: Any) -> Iterator[Served]:
    """Serve a home on a port of its own for the time of a block."""
    options = ServeOptions(ServeSettings(**{"mcp": False, **settings}), tokens or TokenBook())
    with open_home(load_settings(home)) as opened, socket.create_server(("127.0.0.1", 0)) as listener:
        app = build_app(opened, options)
        server = uvicorn.Server(server_config(app, options))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            thread.join(0.01)
            assert thread.is_alive()
        try:
            yield Served(listener.getsockname()[1], home, app.service)
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()

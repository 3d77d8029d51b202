"""The service as a process: its socket, its signals, and what systemd hears of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from sunrise.adapters.private_files import check_folder
from sunrise.adapters.process_memory import give_back, keep_few_arenas
from sunrise.adapters.service_presence import Presence, announce, only_service
from sunrise.adapters.systemd import notify, watchdog_s
from sunrise.bootstrap import embedder_of, open_home
from sunrise.errors import ConfigurationError
from sunrise.serve.guards import Guard
from sunrise.serve.http_app import build_app
from sunrise.serve.service import ServeOptions, Service, check_bind
from sunrise.serve.service_log import log_to, note
from sunrise.serve.tokens import load_tokens
from sunrise.settings import Settings

BACKLOG: Final = 128
USE_S: Final = 2.0
"""So often use is written that waits because a flow held the ledger when its recall was answered."""

TRIM_S: Final = 30.0
"""So often memory that is free is given back to the system."""


def serve_home(settings: Settings) -> None:
    """
    Serve a home until the process is told to stop; calls that are under way are ended first.

    Raises:
        ConfigurationError: A token file is not private, the address is not ours, or others would reach it
            without a token.
        BusyError: Another service runs on this home.
        StoreError: The ledger cannot be opened.
    """
    keep_few_arenas()
    home = check_folder(settings.home)
    # By its real path from here on: a link that is changed later leads nowhere else.
    settings = settings.replaced(home=home)
    options = ServeOptions(settings.serve, load_tokens(home))
    check_bind(options)
    with only_service(home), _listening(options) as listener, open_home(settings) as opened:
        log_to(home)
        threading.Thread(target=_load_model, args=(settings,), daemon=True).start()
        app = build_app(opened, options)
        server = _Server(server_config(app, options), home, app.service)
        _say(listener, options)
        # uvicorn ends what is under way and raises the signal once more: then all that is open is closed.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _leave)
        server.run(sockets=[listener])
    if not server.started:
        raise ConfigurationError(f"the service did not start; see {home / 'logs'}")


class _Server(uvicorn.Server):
    """Tells who waits for it when it is ready, and when it goes."""

    def __init__(self, config: uvicorn.Config, home: Path, service: Service) -> None:
        super().__init__(config)
        self._home = home
        self._service = service
        self._beats: asyncio.Task[None] | None = None
        self._trims: asyncio.Task[None] | None = None
        self._use: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.started or not sockets:
            return
        host, port = sockets[0].getsockname()[:2]
        announce(self._home, Presence(host, port, os.getpid(), version("sunrise-memory")))
        self._beats = asyncio.create_task(self._beat())
        self._trims = asyncio.create_task(_trim())
        self._use = asyncio.create_task(_write_use(self._service))
        with contextlib.suppress(NotImplementedError, AttributeError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._reload)
        notify(f"READY=1\nSTATUS=listening on {host}:{port}")
        note("ready", port=port, pid=os.getpid())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        notify("STOPPING=1")
        note("stopping")
        for task in filter(None, (self._beats, self._trims, self._use)):
            task.cancel()
        await super().shutdown(sockets)

    async def _beat(self) -> None:
        interval = watchdog_s()
        while interval is not None:
            if not self._service.workers.are_stuck():
                notify("WATCHDOG=1")
            await asyncio.sleep(interval)

    def _reload(self) -> None:
        # It reads files, and must not hold up who asks meanwhile.
        asyncio.get_running_loop().run_in_executor(None, self._service.reload)


async def _trim() -> None:
    # What was read to warm up, and what many at once were answered with, is free after that.
    while True:
        await asyncio.to_thread(give_back)
        await asyncio.sleep(TRIM_S)


async def _write_use(service: Service) -> None:
    while True:
        await asyncio.sleep(USE_S)
        await asyncio.to_thread(service.write_use)


class _TimedProtocol(H11Protocol):
    """Closes a connection whose first request does not have its headers in time, and holds nothing back."""

    header_timeout_s = 10.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # Headers and body go out one after the other; the second would wait 40 ms for word of the first.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._late = self.loop.call_later(self.header_timeout_s, self._close_if_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        self._late.cancel()
        super().connection_lost(exc)

    def _close_if_silent(self) -> None:
        begun: Any = self.cycle
        if begun is None and not self.transport.is_closing():
            self.transport.close()


def server_config(app: Guard, options: ServeOptions) -> uvicorn.Config:
    """Return how uvicorn is to run the application: nothing of its own in the log, bounds on everything."""
    settings = options.settings
    protocol = type("Protocol", (_TimedProtocol,), {"header_timeout_s": settings.header_timeout_s})
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        limit_concurrency=settings.max_connections,
        timeout_graceful_shutdown=settings.shutdown_timeout_s,
    )


@contextlib.contextmanager
def _listening(options: ServeOptions) -> Iterator[socket.socket]:
    """Bind before anything is loaded: who connects early waits for us, and is not refused."""
    host, port = options.settings.host, options.settings.port
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ConfigurationError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
    with listener:
        yield listener


def _load_model(settings: Settings) -> None:
    # Beside the loading of lancedb and of mcp, so that half a start is saved. What fails is told by `warm`.
    with contextlib.suppress(Exception):
        embedder_of(settings).embed_query(["are you awake"])


def _leave(*_: object) -> None:
    raise SystemExit(0)


def _say(listener: socket.socket, options: ServeOptions) -> None:
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    said = f"sunrise: http://{shown}:{port}" + (" and /mcp" if options.settings.mcp else "")
    if options.tokens.is_open:
        said += "; any user of this machine may ask: `sunrise serve --init-token` asks for a token"
    print(said, file=sys.stderr, flush=True)  # noqa: T201  the one line that a person who starts it sees

"""The Prefect server of a home as a child process: start, wait until healthy, notice its death, stop."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from subprocess import DEVNULL, STDOUT
from typing import Any

import psutil

from sunrise.errors import ConfigurationError, StoreError
from sunrise.settings import Settings

START_SECONDS = 120.0
"""A new data base takes 9 s on a small server; a board with a memory card takes ten times that."""
STOP_SECONDS = 15.0
_CHILDREN_SECONDS = 5.0
_LEAVE_SECONDS = 5.0
_POLL_SECONDS = 0.2
_LOG_LINES = 15


class PrefectServer:
    """A server that answers for one home; ``found`` when it ran before we came."""

    def __init__(self, settings: Settings, process: psutil.Process | None, *, found: bool = False) -> None:
        self._settings = settings
        self._process = process
        self.found = found
        self.url = api_url(settings)
        self.log = _folder(settings) / "server.log"
        self.died = False
        self._stopping = False

    @property
    def ours(self) -> bool:
        """Whether we started it, or inherited it from an earlier `up` that was killed."""
        return self._process is not None

    def alive(self) -> bool:
        """Return whether its process runs; of a server that is not ours, whether something answers."""
        if self._process is None:
            return _taken(self._settings)
        with suppress(psutil.NoSuchProcess):
            return self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE
        return False

    def wait_until_healthy(self) -> None:
        """
        Return once it answers.

        Raises:
            StoreError: It ended, or takes too long; the message ends with its log.
        """
        deadline = time.monotonic() + START_SECONDS
        while _get(self._settings, "/api/health") is not True:
            if not self.alive():
                msg = f"the Prefect server did not start; the end of {self.log}:\n{self.last_words()}"
                raise StoreError(msg)
            if time.monotonic() > deadline:
                msg = (
                    f"the Prefect server is not healthy after {START_SECONDS:.0f} s; the end of {self.log}:\n"
                )
                raise StoreError(msg + self.last_words())
            time.sleep(_POLL_SECONDS)

    def watch(self) -> None:
        """When the server dies, end the runs and make this process stop, in order or not."""
        threading.Thread(target=self._watch, name="prefect-server-watch", daemon=True).start()

    def stop(self) -> None:
        """End it if it is ours: politely first."""
        self._stopping = True
        if self._process is None:
            return
        with suppress(psutil.NoSuchProcess):
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except psutil.TimeoutExpired:
                self._process.kill()
                self._process.wait(STOP_SECONDS)

    def last_words(self) -> str:
        """Return the end of its log."""
        with suppress(OSError):
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
            return "\n".join([line for line in lines if line.strip()][-_LOG_LINES:])
        return "(no log)"

    def obituary(self) -> str:
        """Return what there is to say when it died."""
        return f"the Prefect server died; the end of {self.log}:\n{self.last_words()}"

    def _watch(self) -> None:
        while self.alive():
            time.sleep(_POLL_SECONDS)
        if self._stopping:
            return
        self.died = True
        # No run can report any more, and the runner would wait minutes for them to.
        _end_children()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_LEAVE_SECONDS)
        _end_children()
        print(f"sunrise: {self.obituary()}", file=sys.stderr, flush=True)  # noqa: T201  the last word
        os._exit(1)


def _end_children() -> None:
    children = psutil.Process().children(recursive=True)
    for child in children:
        with suppress(psutil.NoSuchProcess):
            child.terminate()
    _, stubborn = psutil.wait_procs(children, timeout=_CHILDREN_SECONDS)
    for child in stubborn:
        with suppress(psutil.NoSuchProcess):
            child.kill()


def api_url(settings: Settings) -> str:
    """Return the address at which this machine reaches the API of a home's server."""
    host = _reachable(settings.prefect.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.prefect.port}/api"


@contextmanager
def running_server(settings: Settings) -> Iterator[PrefectServer]:
    """
    Give the server of this home: the one that already answers, else a new one that ends with the block.

    It may still be starting; see :meth:`PrefectServer.wait_until_healthy`.

    Raises:
        ConfigurationError: Something else has the port.
    """
    server = _answering(settings) or _start(settings)
    try:
        yield server
    finally:
        # A second signal must not leave a server without its parent.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        server.stop()
        if server.ours:
            _pid_file(settings).unlink(missing_ok=True)


def _answering(settings: Settings) -> PrefectServer | None:
    told = _get(settings, "/api/admin/settings")
    if isinstance(told, dict) and Path(str(told.get("home"))).resolve() == _folder(settings).resolve():
        return PrefectServer(settings, _orphan(settings), found=True)
    if told is not None or _taken(settings):
        port = settings.prefect.port
        msg = (
            f"port {port} is in use by something else: set another port under [prefect] in sunrise.toml "
            "or as SUNRISE_PREFECT__PORT"
        )
        raise ConfigurationError(msg)
    return None


def _start(settings: Settings) -> PrefectServer:
    command = [sys.executable, "-m", "prefect", "server", "start"]
    place = ["--host", settings.prefect.host, "--port", str(settings.prefect.port)]
    with (_folder(settings) / "server.log").open("wb") as output:
        process = psutil.Popen(
            [*command, *place],
            stdin=DEVNULL,
            stdout=output,
            stderr=STDOUT,
            # Ctrl-C reaches every process of a terminal's group; the server must outlive the runner.
            process_group=0,
        )
    _pid_file(settings).write_text(f"{process.pid} {process.create_time()}\n", encoding="ascii")
    return PrefectServer(settings, process)


def _orphan(settings: Settings) -> psutil.Process | None:
    # Process ids are used again: the time of birth tells an orphan of ours from a stranger.
    with suppress(OSError, ValueError, psutil.Error):
        pid, born = _pid_file(settings).read_text(encoding="ascii").split()
        process = psutil.Process(int(pid))
        return process if abs(process.create_time() - float(born)) < 1 else None
    return None


def _get(settings: Settings, path: str) -> Any:
    connection = HTTPConnection(_reachable(settings.prefect.host), settings.prefect.port, timeout=5)
    with suppress(OSError, HTTPException, ValueError):
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            body = response.read()
            return json.loads(body) if response.status == 200 else body
        finally:
            connection.close()
    return None


def _taken(settings: Settings) -> bool:
    try:
        with socket.create_connection((_reachable(settings.prefect.host), settings.prefect.port), timeout=2):
            return True
    except OSError:
        return False


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  compared, not bound


def _folder(settings: Settings) -> Path:
    return settings.home / "prefect"


def _pid_file(settings: Settings) -> Path:
    return _folder(settings) / "server.pid"

"""The service as a process: how it starts, is found, is asked by the command line, changes and ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from sunrise.adapters.service_client import ask_service
from sunrise.adapters.service_presence import Presence, running_service
from sunrise.cli.exit_codes import ExitCode
from sunrise.serve.tokens import init_token
from tests.serving import make_home

pytestmark = pytest.mark.slow

HEAVY = {"typer", "numpy", "pyarrow", "lancedb", "pydantic", "sqlite3", "http.client", "dataclasses"}


@contextmanager
def _process(home: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "sunrise", "serve", "--home", str(home), "--port", "0"]
    process = subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
    try:
        _until(lambda: running_service(home) is not None or process.poll() is not None)
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_life_of_the_service(own_home: Path, tmp_path: Path) -> None:
    """One process for all of it: a start takes seconds."""
    with (
        _manager(tmp_path / "notify") as told,
        _process(own_home, NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="400000") as process,
    ):
        presence = running_service(own_home)
        assert presence is not None
        assert presence.pid == process.pid
        assert (own_home / "serve.json").stat().st_mode & 0o777 == 0o600
        _until(lambda: told.count("WATCHDOG=1") >= 2)
        assert [one.partition("\n")[0] for one in told if not one.startswith("WATCHDOG")] == ["READY=1"]
        _check_that_the_answer_is_the_same_either_way(own_home)
        _check_that_there_is_only_one(own_home)
        _check_that_settings_are_read_again(own_home, process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        _until(lambda: "STOPPING=1" in told)
    assert not (own_home / "serve.json").exists()
    assert running_service(own_home) is None
    events = {json.loads(line)["event"] for line in (own_home / "logs/serve.log").read_text().splitlines()}
    assert {"warm", "ready", "settings_refused", "settings_loaded", "stopping"} <= events
    assert (own_home / "logs/serve.log").stat().st_mode & 0o777 == 0o600


def test_a_killed_service_is_not_believed(own_home: Path) -> None:
    with _process(own_home) as process:
        process.kill()
        process.wait()
        assert (own_home / "serve.json").exists()
        # Its port may be another program's by now, and that would be sent our token.
        assert running_service(own_home) is None
        assert _recall(own_home, "-v").stderr == b"sunrise: answered by this process\n"


def test_others_are_refused_with_the_code_of_a_wrong_setup(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    for arguments, said in (
        (["--host", "0.0.0.0"], b"--init-token"),
        (["--host", "192.0.2.1"], b"--init-token"),
    ):
        done = _sunrise("serve", "--home", str(home), *arguments)
        assert done.returncode == ExitCode.CONFIGURATION
        assert said in done.stderr
    init_token(home)
    (home / "serve.token").chmod(0o644)
    done = _sunrise("serve", "--home", str(home))
    assert done.returncode == ExitCode.CONFIGURATION
    assert b"chmod 600" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_the_quick_way_loads_nothing_heavy(own_home: Path) -> None:
    with _process(own_home):
        code = (
            "import sys; sys.argv = ['sunrise', 'recall', 'green tea', '--home', sys.argv[1]]\n"
            "from sunrise.cli.start import main; main()\n"
            f"print(sorted({HEAVY} & set(sys.modules)))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(own_home)], capture_output=True, check=True, text=True
        )
    assert "green tea" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def _check_that_the_answer_is_the_same_either_way(home: Path) -> None:
    for arguments in (("green tea",), ("green plan", "--scope", "agent:1", "--limit=1")):
        by_service = _recall(home, *arguments, "-v")
        (home / "serve.json").rename(home / "away")
        by_itself = _recall(home, *arguments, "-v")
        (home / "away").rename(home / "serve.json")
        assert by_service.stderr == b"sunrise: answered by the service\n"
        assert by_itself.stderr == b"sunrise: answered by this process\n"
        assert by_service.stdout == by_itself.stdout


def _check_that_there_is_only_one(home: Path) -> None:
    done = _sunrise("serve", "--home", str(home), "--port", "0")
    assert done.returncode == ExitCode.BUSY
    assert running_service(home) is not None


def _check_that_settings_are_read_again(home: Path, process: subprocess.Popen[bytes]) -> None:
    asked = {"query": "green tea"}
    config = (home / "sunrise.toml").read_text()
    (home / "sunrise.toml").write_text(config + "[serve]\nburst = 'many'\n")
    process.send_signal(signal.SIGHUP)
    _until(lambda: "settings_refused" in (home / "logs/serve.log").read_text())
    assert ask_service(home, "/v1/recall", asked)
    init_token(home)
    (home / "sunrise.toml").write_text(config)
    before = _without_token(home, asked)
    process.send_signal(signal.SIGHUP)
    _until(lambda: "settings_loaded" in (home / "logs/serve.log").read_text())
    assert before is not None
    assert _without_token(home, asked) is None
    assert ask_service(home, "/v1/recall", asked)


def _without_token(home: Path, asked: dict[str, str]) -> object:
    (home / "serve.token").rename(home / "hidden")
    try:
        return ask_service(home, "/v1/recall", asked)
    finally:
        (home / "hidden").rename(home / "serve.token")


@contextmanager
def _manager(path: Path) -> Iterator[list[str]]:
    """Listen as systemd does, and gather what is told."""
    told: list[str] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))

        def gather() -> None:
            while message := listener.recv(1000):
                told.append(message.decode())

        Thread(target=gather, daemon=True).start()
        yield told
        listener.shutdown(socket.SHUT_RDWR)


def _recall(home: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    query = () if any(not one.startswith("-") for one in arguments) else ("green tea",)
    return _sunrise("recall", *query, *arguments, "--home", str(home))


def _sunrise(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "sunrise", *arguments], capture_output=True, check=False, timeout=60
    )


def _until(holds: object, *, patience_s: float = 60.0) -> None:
    assert callable(holds)
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_presence_is_a_plain_value() -> None:
    assert Presence("127.0.0.1", 1, 2, "3")._asdict() == {
        "host": "127.0.0.1",
        "port": 1,
        "pid": 2,
        "version": "3",
    }

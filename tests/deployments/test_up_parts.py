"""The parts of `sunrise up` that need no server: its lock, its port, its child, and which runs it closes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import STDOUT
from uuid import UUID, uuid4

import psutil
import pytest
from prefect.client.schemas.objects import FlowRun

from deployments.abandoned_runs import is_abandoned
from deployments.prefect_server import PrefectServer, api_url, running_server
from deployments.single import only_one
from sunrise.errors import BusyError, ConfigurationError, StoreError
from sunrise.sections.batch import PrefectSettings
from sunrise.settings import Settings


def test_one_home_has_one_up(tmp_path: Path) -> None:
    lock = tmp_path / "prefect" / "up.pid"
    with only_one(lock), pytest.raises(BusyError, match="already serves") as caught, only_one(lock):
        pass
    assert caught.value.holder == str(psutil.Process().pid)
    with only_one(lock):
        pass


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:4242/api"),
        ("0.0.0.0", "http://127.0.0.1:4242/api"),
        ("::", "http://[::1]:4242/api"),
        ("brain.local", "http://brain.local:4242/api"),
    ],
)
def test_address_is_one_that_this_machine_reaches(host: str, url: str) -> None:
    assert api_url(Settings(prefect=PrefectSettings(host=host))) == url


@pytest.mark.parametrize("answer", [b"hello", b'{"home": "/somebody/elses"}'])
def test_a_port_that_something_else_has_is_named(tmp_path: Path, answer: bytes) -> None:
    with _stranger(answer) as port:
        settings = Settings(home=tmp_path, prefect=PrefectSettings(port=port))
        with pytest.raises(ConfigurationError, match="SUNRISE_PREFECT__PORT"), running_server(settings):
            pass


def test_a_server_that_does_not_start_tells_why(tmp_path: Path) -> None:
    (tmp_path / "prefect").mkdir()
    settings = Settings(home=tmp_path, prefect=PrefectSettings(port=1))
    with (tmp_path / "prefect" / "server.log").open("wb") as log:
        code = "import sys; sys.exit('no room on the disk')"
        child = psutil.Popen([sys.executable, "-c", code], stdout=log, stderr=STDOUT)
    server = PrefectServer(settings, child)
    with pytest.raises(StoreError, match="no room on the disk"):
        server.wait_until_healthy()
    server.stop()
    assert not server.alive()
    assert "no room on the disk" in server.obituary()


def test_stop_ends_our_server_and_no_other(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, prefect=PrefectSettings(port=1))
    child = psutil.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    other = PrefectServer(settings, None, found=True)
    other.stop()
    assert not other.ours
    assert not other.alive()
    assert other.last_words() == "(no log)"
    ours = PrefectServer(settings, child)
    assert ours.alive()
    ours.stop()
    assert not ours.alive()
    assert child.returncode is not None


@pytest.mark.parametrize(
    ("deployed", "subflow", "working", "abandoned"),
    [
        (True, False, "none", True),
        (True, False, "this", False),
        (True, False, "another", True),
        (False, True, "none", True),
        (False, True, "another", False),
        (False, False, "none", False),
    ],
)
def test_only_runs_without_a_process_are_closed(
    deployed: bool, subflow: bool, working: str, abandoned: bool
) -> None:
    run = FlowRun(
        flow_id=uuid4(),
        deployment_id=uuid4() if deployed else None,
        parent_task_run_id=uuid4() if subflow else None,
    )
    ids: dict[str, set[UUID]] = {"none": set(), "this": {run.id}, "another": {uuid4()}}
    assert is_abandoned(run, working={str(one) for one in ids[working]}) is abandoned


def test_a_run_of_a_work_pool_is_left_to_its_worker() -> None:
    run = FlowRun(flow_id=uuid4(), deployment_id=uuid4(), work_pool_name="home")
    assert not is_abandoned(run, working=())


@contextmanager
def _stranger(answer: bytes) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is the base class's
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()

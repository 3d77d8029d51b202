"""The small parts of the service, each by itself."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.adapters.private_files import append_private, read_private, write_private
from sunrise.adapters.service_client import ask_service
from sunrise.adapters.service_presence import Presence, announce, only_service, running_service
from sunrise.adapters.systemd import notify
from sunrise.cli.quick_recall import parsed
from sunrise.cli.recall_lines import answer_text
from sunrise.errors import BusyError, ConfigurationError, StoreError
from sunrise.serve import service_log
from sunrise.serve.audit import AUDIT_FILE, Audit
from sunrise.serve.bodies import check_depth
from sunrise.serve.problems import REASONS, RefusalError
from sunrise.serve.rates import MOST_CLIENTS, RateLimit
from sunrise.serve.service_log import JsonLine, log_to, note
from sunrise.serve.workers import Workers
from tests.fakes import FrozenClock

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


class _Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_is_filled_at_its_pace() -> None:
    time = _Time()
    limit = RateLimit(rate=2, burst=3, now=time)
    assert [limit.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert limit.take("b") == 0
    time.now += 0.5
    assert [limit.take("a"), limit.take("a")] == [0, 0.5]
    time.now += 1000
    assert [limit.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_clients_without_number_take_no_room_without_bound() -> None:
    limit = RateLimit(rate=1, burst=1)
    for number in range(MOST_CLIENTS + 10):
        limit.take(str(number))
    assert len(limit._buckets) == MOST_CLIENTS


@given(JSON, st.booleans())
def test_the_depth_of_json_is_that_of_its_parts(value: object, ascii_only: bool) -> None:
    body = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    depth = _depth(value)
    check_depth(body, most=max(depth, 1))
    if depth > 1:
        with pytest.raises(RefusalError, match="levels"):
            check_depth(body, most=depth - 1)


@given(st.binary(max_size=200))
def test_any_bytes_have_a_depth(body: bytes) -> None:
    is_deep = False
    try:
        check_depth(body, most=3)
    except RefusalError:
        is_deep = True
    assert not is_deep or body.count(b"[") + body.count(b"{") > 3


def test_more_calls_than_there_is_room_for_are_refused() -> None:
    async def run() -> list[object]:
        workers = Workers(questions=1, threads=1, queue=1)
        gate = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wait() -> str:
            asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
            return "done"

        first, second = asyncio.create_task(workers.run(wait)), asyncio.create_task(workers.run(wait))
        await asyncio.sleep(0)
        with pytest.raises(RefusalError) as refused:
            await workers.run(wait)
        assert (refused.value.reason, workers.are_stuck()) == ("overloaded", False)
        gate.set()
        found = [await first, await second, await workers.run(lambda: "later")]
        workers.close()
        return found

    assert asyncio.run(run()) == ["done", "done", "later"]


@pytest.mark.parametrize("are_questions", [True, False])
def test_threads_that_do_not_come_back_are_noticed(
    monkeypatch: pytest.MonkeyPatch, *, are_questions: bool
) -> None:
    monkeypatch.setattr("sunrise.serve.workers.STUCK_S", 0.05)

    async def run() -> tuple[bool, bool]:
        workers = Workers(questions=1, threads=1, queue=0)
        begin = workers.ask if are_questions else workers.run
        gate = asyncio.Event()
        loop = asyncio.get_running_loop()
        call = asyncio.create_task(
            begin(lambda: asyncio.run_coroutine_threadsafe(gate.wait(), loop).result())
        )
        await asyncio.sleep(0.2)
        stuck = workers.are_stuck()
        gate.set()
        await call
        return stuck, workers.are_stuck()

    assert asyncio.run(run()) == (True, False)


def test_a_question_stands_behind_no_export_and_no_import() -> None:
    async def run() -> list[object]:
        workers = Workers(questions=1, threads=1, queue=4)
        gate = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wait() -> str:
            asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
            return "done"

        long = [asyncio.create_task(begin(wait)) for begin in (workers.run, workers.run, workers.write)]
        answer = await asyncio.wait_for(workers.ask(lambda: "answer"), 5)
        gate.set()
        found = [answer, *[await one for one in long]]
        workers.close()
        return found

    assert asyncio.run(run()) == ["answer", "done", "done", "done"]


def test_every_reason_is_an_error() -> None:
    assert all(400 <= one.status < 600 for one in REASONS.values())
    assert list(REASONS.values()) == sorted(REASONS.values(), key=lambda one: one.status)


def test_a_private_file_is_written_whole_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "own"
    assert read_private(path) is None
    write_private(path, "茶\n")
    assert (read_private(path), path.stat().st_mode & 0o777) == ("茶\n", 0o600)
    path.chmod(0o644)
    write_private(path, "again")
    assert (read_private(path), path.stat().st_mode & 0o777) == ("again", 0o600)
    assert [one.name for one in tmp_path.iterdir()] == ["own"]
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(ConfigurationError, match="no file"):
            read_private(tmp_path / name)
    with pytest.raises(StoreError):
        write_private(tmp_path / "none" / "own", "")
    with pytest.raises(StoreError):
        append_private(tmp_path / "none" / "own", "")


def test_only_a_service_that_lives_is_found(tmp_path: Path) -> None:
    presence = Presence("127.0.0.1", 4243, os.getpid(), "0")
    announce(tmp_path, presence)
    with only_service(tmp_path):
        # What a killed one left is not taken for the one that is just starting.
        assert running_service(tmp_path) is None
        announce(tmp_path, presence._replace(pid=2**22 + 1))
        assert running_service(tmp_path) is None
        announce(tmp_path, presence)
        assert running_service(tmp_path) == presence
        with pytest.raises(BusyError), only_service(tmp_path):
            pass
        assert running_service(tmp_path) == presence
    announce(tmp_path, presence)
    assert running_service(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"host": 1}', '{"host":"a","port":1,"pid":1,"version":"","x":1}']
)
def test_a_presence_that_is_damaged_is_none(tmp_path: Path, text: str) -> None:
    with only_service(tmp_path):
        write_private(tmp_path / "serve.json", text)
        assert running_service(tmp_path) is None
        assert ask_service(tmp_path, "/v1/recall", {}) is None


def test_nobody_is_asked_where_nobody_listens(tmp_path: Path) -> None:
    with only_service(tmp_path):
        announce(tmp_path, Presence("127.0.0.1", 9, 1, "0"))
        assert ask_service(tmp_path, "/v1/recall", {}) is None


def test_a_manager_that_is_gone_is_no_error(tmp_path: Path) -> None:
    assert not notify("READY=1", environment={"NOTIFY_SOCKET": str(tmp_path / "none")})
    assert not notify("READY=1", environment={"NOTIFY_SOCKET": "@sunrise-none"})
    assert not notify("READY=1", environment={"NOTIFY_SOCKET": "relative"})


def test_the_audit_makes_room_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sunrise.serve.audit.MAX_BYTES", 400)
    audit = Audit(tmp_path, clock=FrozenClock())
    for number in range(20):
        assert audit.note(
            "scope_not_allowed", request_id=str(number), client="a", route="/v1/recall", scope="x\n\udc80"
        )
    paths = sorted(one.name for one in tmp_path.iterdir())
    assert set(paths) <= {AUDIT_FILE, "serve-audit.1.jsonl"}
    assert sum((tmp_path / name).stat().st_size for name in paths) < 1500


def test_the_log_is_ours_alone_and_makes_room_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restored_logging: Callable[[], None]
) -> None:
    monkeypatch.setattr(service_log, "MAX_BYTES", 2000)
    for name in ("JOURNAL_STREAM", "INVOCATION_ID", "SUNRISE_LOG_STDERR"):
        monkeypatch.delenv(name, raising=False)
    log_to(tmp_path)
    for number in range(200):
        note("request", number=number, odd="a\nb\u2028c")
    logging.getLogger("elsewhere").warning("what %s says", "a secret")
    paths = sorted((tmp_path / "logs").iterdir())
    assert len(paths) == service_log.KEPT_FILES + 1
    lines = [line for path in paths for line in path.read_text().splitlines()]
    assert all(isinstance(json.loads(line), dict) for line in lines)
    assert all(path.stat().st_mode & 0o777 == 0o600 and path.stat().st_size <= 2000 for path in paths)
    assert "a secret" not in "".join(lines)


def test_of_an_error_the_log_has_its_kind_and_place() -> None:
    try:
        raise ZeroDivisionError("a secret")
    except ZeroDivisionError:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "it failed", (), sys.exc_info())
    line = json.loads(JsonLine().format(record))
    assert line["error"].startswith(f"ZeroDivisionError at {__name__}:")
    assert "a secret" not in json.dumps(line)


@pytest.mark.parametrize(
    "arguments", [[], ["--help"], ["a", "b"], ["a", "--limit", "0"], ["a", "--limit", "x"], ["a", "--limit"],
                  ["a", "--limit", "101"], ["a", "--unknown"], ["a", "-nv"], ["--", "a"]]
)  # fmt: skip
def test_what_is_uncommon_is_left_to_the_whole_command_line(arguments: list[str]) -> None:
    assert parsed(arguments) is None


def test_an_answer_fits_a_terminal_in_both_scripts() -> None:
    texts = ["word " * 60, "部署前必須備份資料庫" * 12, "a" * 200, "\x1b[31mred\x1b[0m\r\nnext", ""]
    items = [
        {"ref": "mem:1", "text": text, "score": 0.5, "importanceLabel": None, "trustTier": "trusted",
         "date": "1970-01-01 08:00 +08:00"} for text in texts
    ]  # fmt: skip
    lines = answer_text(
        {"items": items, "receipt": {"reason": None, "warnings": ["dense_skipped:x"]}}
    ).splitlines()
    wide = [sum(2 if ord(char) > 0x2E80 else 1 for char in line) for line in lines]
    assert max(wide) <= 80
    assert all(line.isprintable() for line in lines)
    assert lines[0] == "mem:1  0.50  trusted  1970-01-01 08:00 +08:00"
    assert "".join(line.strip() for line in lines).count("部署前必須備份資料庫") == 12
    assert lines[-1] == "warning: dense_skipped:x"


@pytest.fixture
def restored_logging() -> object:
    root, own = logging.getLogger(), logging.getLogger("sunrise.serve")
    before = (root.handlers, root.level, own.level)
    yield
    root.handlers, root.level, own.level = before


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0

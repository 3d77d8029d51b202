"""The port RunLog: one suite, the fake and the real one; then what only real processes can show."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sunrise.adapters.processes import ProcessIdentity, is_gone, this_process
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.adapters.sqlite_runs import LEASE_MS
from sunrise.domain.receipts import Anomaly, Balance, RunReceipt, RunStatus, StepTiming
from sunrise.errors import BusyError
from sunrise.ports import RunLog
from tests.fakes import FakeRunLog, FrozenClock
from tests.homes import NOW

HOLDER = """
import sys, time
from pathlib import Path
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.receipts import RunReceipt, RunStatus
ledger = SqliteLedger(Path(sys.argv[1]), clock=SystemClock())
ledger.acquire_lease("grade", run_id="dead")
ledger.save_run(RunReceipt(run_id="dead", flow="grade", status=RunStatus.RUNNING, started_ms=1))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture(params=["fake", "sqlite"])
def log(request: pytest.FixtureRequest, clock: FrozenClock) -> RunLog:
    if request.param == "fake":
        return FakeRunLog(clock, lease_ms=LEASE_MS)
    ledger: SqliteLedger = request.getfixturevalue("ledger")
    return ledger


def running(run_id: str, *, flow: str = "grade", at: int = 1) -> RunReceipt:
    return RunReceipt(run_id=run_id, flow=flow, status=RunStatus.RUNNING, started_ms=at)


def test_a_lease_that_is_held_keeps_others_out_and_names_its_holder(log: RunLog) -> None:
    log.acquire_lease("grade", run_id="a")
    with pytest.raises(BusyError) as error:
        log.acquire_lease("grade", run_id="b")
    assert error.value.holder == "a"
    log.acquire_lease("harvest", run_id="b")


def test_a_lease_given_back_is_free(log: RunLog) -> None:
    log.acquire_lease("grade", run_id="a")
    log.release_lease("grade", run_id="b")
    with pytest.raises(BusyError):
        log.acquire_lease("grade", run_id="b")
    log.release_lease("grade", run_id="a")
    log.release_lease("grade", run_id="a")
    log.acquire_lease("grade", run_id="b")


def test_a_lease_ends_by_the_clock(log: RunLog, clock: FrozenClock) -> None:
    log.acquire_lease("grade", run_id="a")
    clock.ms += LEASE_MS - 1
    with pytest.raises(BusyError):
        log.acquire_lease("grade", run_id="b")
    clock.ms += 1
    log.acquire_lease("grade", run_id="b")


def test_a_renewed_lease_lives_on_and_a_lost_one_is_known(log: RunLog, clock: FrozenClock) -> None:
    log.acquire_lease("grade", run_id="a")
    clock.ms += LEASE_MS - 1
    assert log.renew_lease("grade", run_id="a")
    clock.ms += LEASE_MS - 1
    with pytest.raises(BusyError):
        log.acquire_lease("grade", run_id="b")
    clock.ms += 1
    log.acquire_lease("grade", run_id="b")
    assert not log.renew_lease("grade", run_id="a")
    assert log.renew_lease("grade", run_id="b")
    assert not log.renew_lease("harvest", run_id="a")


def test_receipts_come_back_whole_newest_first(log: RunLog) -> None:
    whole = RunReceipt(
        run_id="r1",
        flow="grade",
        status=RunStatus.ANOMALY,
        started_ms=5,
        finished_ms=9,
        parent_run_id="p",
        counts={"seen": 2, "kept": 2},
        groups={"label_counts": {"ignore": 2}},
        figures={"rows_per_second": 1.5},
        facts={"tag": "備份"},
        refs={"missing": ("mem:a",)},
        steps=(StepTiming("read", 1.5),),
        balances=(Balance("seen", ("kept",)),),
        anomalies=(Anomaly("code", "message", 2),),
    )
    log.save_run(running("r0", flow="harvest", at=4))
    log.save_run(whole)
    assert log.runs() == (whole, running("r0", flow="harvest", at=4))
    assert log.runs(flow="harvest") == (running("r0", flow="harvest", at=4),)
    assert log.runs(limit=1) == (whole,)


def test_runs_without_a_lease_are_closed_and_live_ones_are_not(log: RunLog) -> None:
    log.acquire_lease("grade", run_id="live")
    log.save_run(running("live", at=3))
    log.save_run(running("second", at=2))
    log.save_run(running("first", at=1))
    log.save_run(running("done").closed(status=RunStatus.OK, finished_ms=2))
    assert log.reap() == ("first", "second")
    assert log.reap() == ()
    by_id = {run.run_id: run for run in log.runs()}
    assert {name: run.status for name, run in by_id.items()} == {
        "live": RunStatus.RUNNING,
        "first": RunStatus.CRASHED,
        "second": RunStatus.CRASHED,
        "done": RunStatus.OK,
    }
    assert (by_id["first"].finished_ms, by_id["first"].reason) == (NOW, "process_gone")


def test_a_run_whose_lease_ran_out_is_closed(log: RunLog, clock: FrozenClock) -> None:
    log.acquire_lease("grade", run_id="a")
    log.save_run(running("a"))
    clock.ms += LEASE_MS
    assert log.reap() == ("a",)


def test_the_fake_forgets_the_lease_of_a_process_that_is_gone(clock: FrozenClock) -> None:
    log = FakeRunLog(clock)
    log.acquire_lease("grade", run_id="a")
    log.gone.add("a")
    log.acquire_lease("grade", run_id="b")


# Real processes


def hold(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True, env=os.environ.copy()
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


@pytest.mark.kill
def test_the_lease_of_a_killed_process_is_free_at_once(tmp_path: Path) -> None:
    # Its clock stands before the lease would run out: only the death frees it.
    clock = FrozenClock(time.time_ns() // 1_000_000)
    ledger = SqliteLedger(tmp_path / "ledger.sqlite", clock=clock)
    process = hold(ledger.path)
    try:
        with pytest.raises(BusyError) as error:
            ledger.acquire_lease("grade", run_id="next")
        assert error.value.holder == "dead"
        assert ledger.reap() == ()
        process.send_signal(signal.SIGKILL)
        # Not waited for yet, it is a zombie: dead all the same.
        wait_for_zombie(process.pid)
        ledger.acquire_lease("grade", run_id="next")
        assert ledger.reap() == ("dead",)
    finally:
        process.kill()
        process.communicate(timeout=10)
    ledger.close()


def wait_for_zombie(pid: int) -> None:
    for _ in range(500):
        if "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]:
            return
        time.sleep(0.01)
    raise AssertionError("the process did not die")


def test_a_process_is_itself_and_a_later_one_of_its_number_is_not() -> None:
    me = this_process()
    assert me == this_process()
    assert not is_gone(me)
    assert is_gone(ProcessIdentity(me.host, me.pid, me.started_ms - 60_000))


def test_a_process_of_another_host_is_never_known_to_be_gone() -> None:
    assert not is_gone(ProcessIdentity("elsewhere", 999_999_999, 1))


def test_a_number_without_a_process_is_gone() -> None:
    assert is_gone(ProcessIdentity(this_process().host, 999_999_999, 1))

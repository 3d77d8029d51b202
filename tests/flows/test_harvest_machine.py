"""However a capture file is written, torn, cut and rotated, each record is taken once and none is lost."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from contracts import admission
from sunrise.adapters.sqlite_ledger import SqliteLedger
from tasks import harvest
from tasks.keeping import Harvested, Keeper
from tests.fakes import FrozenClock
from tests.flows.harvest_machine import Yard, adds_up, admit_all, broken_line, harvest_until, line, small_home

RUNS = int(os.environ.get("SUNRISE_MACHINE_EXAMPLES", "300"))
STEPS = 30
BETWEEN = 2

# Few numbers, so that records meet again; some are so long that a file outgrows what a fingerprint sees.
lines = st.builds(
    line,
    st.integers(0, 9),
    zh=st.booleans(),
    named=st.booleans(),
    padding=st.sampled_from([0, 0, 40, 1500, 4500]),
)
some_lines = st.lists(lines, min_size=1, max_size=5).map(b"".join)
many_lines = st.lists(lines, min_size=4, max_size=8).map(b"".join)
maybe_lines = st.lists(lines, max_size=4).map(b"".join)


class HarvestMachine(RuleBasedStateMachine):
    """One capture file, those it was renamed to, and harvests between what is done to them."""

    template: Path

    @initialize()
    def begin(self) -> None:
        self.yard = Yard(self.template)
        self.written: list[bytes] = []
        self.rest = b""
        self.fresh = False
        self.since = 0

    @invariant()
    def count_steps(self) -> None:
        # Harvests are the slow part: a few things happen to the file before the next one.
        self.since += 1

    @rule(data=some_lines)
    def append(self, data: bytes) -> None:
        # Behind a torn line this glues the two together, as a gateway does that was killed and came back.
        self._end_a_whole_line()
        self._add(data)

    @precondition(lambda self: self.written)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        self._end_a_whole_line()
        self._add(data.draw(st.sampled_from(self.written)))

    @rule(number=st.integers(0, 3))
    def broken(self, number: int) -> None:
        self._end_a_whole_line()
        self._add(broken_line(number))

    @rule(ending=st.sampled_from([b"\n", b"\r\n\n", b" \n"]))
    def blank(self, ending: bytes) -> None:
        if not self.yard.tail():
            self._add(ending)

    @rule(data=lines, share=st.floats(0.01, 1))
    def tear(self, data: bytes, share: float) -> None:
        if not self.yard.tail():
            # The longest part lacks but its newline: it counts as whole.
            end = min(len(data) - 1, max(1, int(len(data) * share)))
            self.yard.append(data[:end])
            self.rest = data[end:]

    @precondition(lambda self: self.rest)
    @rule()
    def complete(self) -> None:
        self._add(self.rest)

    @rule()
    def rotate(self) -> None:
        # A writer rotates between two lines: what it tears off it never completes.
        self._end_a_whole_line()
        self.yard.rotate()
        self.rest = b""

    @rule(drop=st.sampled_from([1, 1, 2, 3, 99]), data=maybe_lines)
    def cut_and_rewrite(self, drop: int, data: bytes) -> None:
        self.yard.cut(drop)
        self._add(data)

    @rule(keep=st.booleans(), data=maybe_lines)
    def replace(self, keep: bool, data: bytes) -> None:
        self._end_a_whole_line()
        old = self.yard.content().rpartition(b"\n")
        self.yard.replace((old[0] + old[1] if keep else b"") + data)
        self.rest = b""

    @precondition(lambda self: self.since > BETWEEN)
    @rule()
    def harvest(self) -> None:
        self.fresh, self.since = False, 0
        self.yard.harvest()
        self.yard.check()

    @precondition(lambda self: self.fresh and self.since > BETWEEN)
    @rule()
    def harvest_at_once(self) -> None:
        self.fresh, self.since = False, 0
        self.yard.owe()
        before = self.yard.count()
        found = _two_harvests(self.yard.path)
        assert self.yard.count() == before + sum(one.inserted for one in found)
        self.yard.check()

    @precondition(lambda self: self.since > BETWEEN)
    @rule(what=st.lists(st.sampled_from(["append", "cut", "rotate", "replace"]), max_size=3), data=many_lines)
    def harvest_while_written(self, what: list[str], data: bytes) -> None:
        """Change the file between two batches of a harvest."""
        self.since = 0
        self._end_a_whole_line()
        yard = self.yard
        self._add(data)
        yard.may_take()
        keeper = Keeper(yard.home)
        for source in yard.home.sources():
            for batch in harvest._batches(source, yard.home, []):
                adds_up(keeper.keep(batch, source.name, position=batch.position))
                self._disturb(what.pop() if what else "", data)
                yard.may_take()
        yard.check()

    def teardown(self) -> None:
        if not hasattr(self, "yard"):
            return
        try:
            self.yard.harvest()
            self.yard.check()
            again = self.yard.harvest()
            assert again.seen == 0, "what was read is read again"
            self.yard.check()
        finally:
            self.yard.close()

    def _add(self, data: bytes) -> None:
        self.fresh = True
        self.yard.append(data)
        self.written.extend(one + b"\n" for one in data.split(b"\n") if one.startswith(b'{"ts"'))
        self.rest = b""

    def _end_a_whole_line(self) -> None:
        if self.rest == b"\n":
            self._add(self.rest)

    def _disturb(self, what: str, data: bytes) -> None:
        if what == "append":
            self._add(data)
        elif what == "cut":
            self.yard.cut(4)
            self._add(data)
        elif what == "rotate":
            self.yard.rotate()
            self._add(data)
        elif what == "replace":
            self.yard.replace(data)
        self.rest = b"" if what else self.rest


class KillMachine(HarvestMachine):
    """
    The same with harvests that kill themselves, each in a process of its own.

    Processes cost their time, so that about one run in eight may kill, and each of those a few times.
    """

    processes: ForkServerContext
    begun = killed = 0

    def __init__(self) -> None:
        super().__init__()
        KillMachine.begun += 1
        self.kills_left = 0

    @initialize(kills=st.sampled_from([0] * 7 + [3]))
    def allow_kills(self, kills: int) -> None:
        self.kills_left = kills

    @precondition(lambda self: self.kills_left)
    @rule(moment=st.integers(1, 2000))
    def kill(self, moment: int) -> None:
        self.kills_left -= 1
        KillMachine.killed += 1
        self.yard.may_take()
        process = self.processes.Process(target=harvest_until, args=(str(self.yard.path), moment))
        process.start()
        process.join(timeout=30)
        assert process.exitcode in {0, -signal.SIGKILL}
        self.yard.check()

    @precondition(lambda self: self.kills_left)
    @rule(data=many_lines, moment=st.integers(100, 1500))
    def kill_in_the_midst(self, data: bytes, moment: int) -> None:
        self._end_a_whole_line()
        self._add(data)
        self.kill(moment)

    @precondition(lambda self: self.kills_left and self.fresh)
    @rule(moment=st.integers(1, 4000))
    def kill_beside_another(self, moment: int) -> None:
        """Harvest here and, at the same time, in a process that may kill itself."""
        self.kills_left -= 1
        process = self.processes.Process(target=harvest_until, args=(str(self.yard.path), moment))
        process.start()
        self.yard.owe()
        # The other one needs a moment to begin.
        for _ in range(20):
            adds_up(harvest.read_sources(self.yard.home, dry_run=False))
            time.sleep(0.01)
        process.join(timeout=30)
        assert process.exitcode in {0, -signal.SIGKILL}
        self.yard.check()


@pytest.mark.slow
@pytest.mark.kill
@pytest.mark.timeout(600)
def test_each_record_is_taken_once_whatever_is_done_to_its_file(template: Path) -> None:
    KillMachine.template = template
    KillMachine.processes = multiprocessing.get_context("forkserver")
    KillMachine.processes.set_forkserver_preload(["tests.flows.harvest_machine"])
    run_state_machine_as_test(KillMachine, settings=_runs(RUNS))
    assert KillMachine.begun >= RUNS
    assert KillMachine.killed >= RUNS // 30


@pytest.fixture
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(admission, "admit", admit_all)
    path = tmp_path / "ledger.sqlite"
    SqliteLedger(path, clock=FrozenClock()).close()
    return path


def _runs(number: int) -> settings:
    # Without shrinking: threads and kills do not repeat exactly, and a found run is short enough to read.
    return settings(
        max_examples=number,
        stateful_step_count=STEPS,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        database=None,
        print_blob=True,
    )


def _two_harvests(path: Path) -> list[Harvested]:
    """Run two harvests at the same time, each with a connection of its own."""
    found: list[Harvested] = []
    together = threading.Barrier(2)

    def run() -> None:
        home = small_home(path)
        try:
            together.wait()
            found.append(harvest.read_sources(home, dry_run=False))
        finally:
            home.ledger.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2, "a harvest failed"
    for one in found:
        adds_up(one)
    return found

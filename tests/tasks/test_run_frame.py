"""The frame around every run, on a real home: what is written, what is told, and what a kill leaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
import pytest

from contracts.observations import UngradedFrame
from reports.sections import Section
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.bootstrap import Home, open_home
from sunrise.domain.receipts import MAX_REFS, RunReceipt, RunStatus
from sunrise.domain.records import Rejected
from sunrise.errors import BusyError, ConfigurationError, DataError, StoreError
from sunrise.settings import load_settings
from tasks import run_frame
from tasks.lease_keeper import LeaseKeeper
from tasks.notification import AppriseNotifier
from tasks.receipt_files import page_path, read_receipts
from tasks.run_frame import Run, SkipRun, run_flow
from tests.fakes import FakeRunLog, FrozenClock
from tests.homes import NOW, run_body


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A home with nothing but a file of settings."""
    root = tmp_path / "bare"
    root.mkdir()
    (root / "sunrise.toml").write_text('[embedder]\nname = "none"\n')
    return root


def stored(home: Path) -> tuple[RunReceipt, ...]:
    with open_home(load_settings(home), clock=FrozenClock(NOW)) as opened:
        return opened.ledger.runs()


def count_two(run: Run) -> None:
    run.balance("seen", "kept", "quarantined")
    run.count(seen=2, kept=2)
    run.tally("by_kind", "note", 2)
    run.name("seen_refs", [f"obs:{n}" for n in range(80)])
    run.step(len, [])
    run.figures["share"] = 0.5
    run.rate("rows_per_second", 2)


def test_a_run_that_goes_well_leaves_row_receipt_page_and_index(bare: Path) -> None:
    receipt = run_body(bare, count_two)
    assert (receipt.status, receipt.reason, receipt.flow) == (RunStatus.OK, None, "grade")
    assert receipt.counts == {"seen": 2, "kept": 2, "quarantined": 0}
    assert receipt.groups == {"by_kind": {"note": 2}}
    assert len(receipt.refs["seen_refs"]) == MAX_REFS
    assert [step.name for step in receipt.steps] == ["len"]
    assert receipt.run_id.startswith("20261118T110640-grade-")
    assert (receipt.started_ms, receipt.finished_ms) == (NOW, NOW)
    assert stored(bare) == (receipt,)
    assert read_receipts(bare / "receipts") == ((receipt,), ())
    assert (bare / "receipts" / "2026" / "11" / f"{receipt.run_id}.json").is_file()
    assert receipt.run_id in page_path(bare / "reports", receipt.run_id).read_text("utf-8")
    assert (bare / "reports" / "index.html").is_file()


def test_no_secret_reaches_a_receipt_a_page_or_the_ledger(bare: Path) -> None:
    token = "ghp_" + "a1B2" * 9

    def body(run: Run) -> None:
        run.facts["memories"] = f"s3://key:{token}@bucket/memories"
        run.anomaly("store", f"cannot reach https://me:{token}@example.org")
        run.sections.append(Section(title="Rows", columns=("a", "b"), rows=((token, 1),)))

    receipt = run_body(bare, body)
    assert "[redacted:" in receipt.anomalies[0].message
    files = [path for path in bare.rglob("*") if path.is_file()]
    assert len(files) >= 5
    assert not [path for path in files if token.encode() in path.read_bytes()]


def test_something_to_look_at_makes_an_anomaly(bare: Path) -> None:
    receipt = run_body(bare, lambda run: run.anomaly("odd", "that is odd", 3))
    assert receipt.status is RunStatus.ANOMALY
    assert [(one.code, one.count) for one in receipt.anomalies] == [("odd", 3)]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (DataError("bad", reason="contract_broken"), "contract_broken"),
        (ConfigurationError("mend it"), "configuration"),
        (StoreError("full"), "store"),
        (BusyError("inner", holder="x"), "store"),
    ],
)
def test_an_error_of_ours_ends_in_a_failed_receipt(error: Exception, reason: str, bare: Path) -> None:
    def body(run: Run) -> None:
        run.count(seen=1)
        raise error

    receipt = run_body(bare, body)
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, reason)
    assert [(one.code, one.message) for one in receipt.anomalies] == [(reason, str(error))]
    assert receipt.counts == {"seen": 1}
    assert stored(bare) == (receipt,)


@pytest.mark.parametrize("error", [RuntimeError("a surprise"), KeyboardInterrupt()])
def test_any_other_error_leaves_a_receipt_and_is_raised_again(error: BaseException, bare: Path) -> None:
    def body(run: Run) -> None:
        raise error

    with pytest.raises(type(error)):
        run_body(bare, body)
    (receipt,) = stored(bare)
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, "unexpected_error")
    assert read_receipts(bare / "receipts") == ((receipt,), ())
    # The lease is given back: the next run works.
    assert run_body(bare, count_two).status is RunStatus.OK


def test_a_run_with_nothing_to_work_on_is_skipped(bare: Path) -> None:
    def body(run: Run) -> None:
        raise SkipRun("no_memories_table")

    receipt = run_body(bare, body)
    assert (receipt.status, receipt.reason) == (RunStatus.SKIPPED, "no_memories_table")
    assert receipt.anomalies == ()


def test_counts_that_contradict_each_other_fail_the_run(bare: Path) -> None:
    def body(run: Run) -> None:
        run.balance("seen", "kept")
        run.count(seen=2, kept=1)

    receipt = run_body(bare, body)
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, "receipt_does_not_add_up")


def test_a_lease_that_is_taken_makes_a_busy_receipt_and_no_work(bare: Path, clock: FrozenClock) -> None:
    called: list[Run] = []
    with open_home(load_settings(bare), clock=clock) as other:
        other.ledger.acquire_lease("grade", run_id="elsewhere")
        receipt = run_body(bare, called.append)
        assert run_body(bare, count_two, flow="drift").status is RunStatus.OK
        other.ledger.release_lease("grade", run_id="elsewhere")
    assert called == []
    assert (receipt.status, receipt.reason) == (RunStatus.BUSY, "lease_taken")
    assert receipt.facts["held_by"] == "elsewhere"
    assert (bare / "receipts" / "2026" / "11" / f"{receipt.run_id}.json").is_file()
    assert run_body(bare, count_two).status is RunStatus.OK


def test_a_dry_run_writes_nothing_but_what_tells_of_it(home_path: Path) -> None:
    def body(run: Run) -> None:
        assert run.write(run.home.ledger.put_note, "n", "t") is None
        assert run.admit(UngradedFrame, rows(0), source="s", key="id").height == 0

    def rows(row_id: int) -> pl.DataFrame:
        return pl.DataFrame(
            [(row_id, "note", None, "s", None)],
            schema={
                "id": pl.Int64,
                "kind": pl.String,
                "tool_name": pl.String,
                "summary": pl.String,
                "importance_label": pl.String,
            },
            orient="row",
        )

    receipt = run_body(home_path, body, dry_run=True)
    assert (receipt.status, receipt.dry_run) == (RunStatus.OK, True)
    assert receipt.counts == {"quarantined": 1}
    assert receipt.groups == {"quarantined_by_reason": {"id.out_of_range": 1}}
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        assert home.ledger.get_note("n") is None
        assert home.ledger.count("quarantine") == 0
        assert home.ledger.runs() == (receipt,)
    made = {path.relative_to(home_path).parts[0] for path in home_path.rglob("*")}
    assert made == {"sunrise.toml", "spool", "lance", "receipts", "reports", "ledger.sqlite"}


def test_refused_rows_go_to_quarantine_and_are_counted(bare: Path) -> None:
    def body(run: Run) -> None:
        run.refuse([])
        run.refuse([Rejected("s", "1", "bad", "x"), Rejected("s", "2", "worse", "x")])

    assert run_body(bare, body).counts == {"quarantined": 2}
    with open_home(load_settings(bare)) as home:
        assert home.ledger.quarantined_by_reason() == {"bad": 1, "worse": 1}


def test_a_run_left_running_by_a_dead_process_is_closed_by_the_next(bare: Path, clock: FrozenClock) -> None:
    dead = RunReceipt(run_id="dead", flow="index", status=RunStatus.RUNNING, started_ms=NOW - 1000)
    with open_home(load_settings(bare), clock=clock) as home:
        home.ledger.save_run(dead)
    receipt = run_body(bare, count_two)
    assert receipt.facts["closed_crashed_runs"] == "dead"
    assert {run.run_id: run.status for run in stored(bare)} == {
        "dead": RunStatus.CRASHED,
        receipt.run_id: RunStatus.OK,
    }


def parent_of(*bodies: Callable[[Run], None]) -> Callable[[Run], None]:
    def body(run: Run) -> None:
        for number, one in enumerate(bodies):
            run_flow(f"child{number}", one, home=str(run.home.path), clock=run.home.clock)

    return body


def busy(run: Run) -> None:
    """A child whose lease somebody holds never gets here."""


def failing(run: Run) -> None:
    raise StoreError("full")


def test_children_name_their_parent(bare: Path) -> None:
    seen: list[RunReceipt] = []

    def body(run: Run) -> None:
        parent_of(count_two, count_two)(run)
        seen.extend(run.children)

    receipt = run_body(bare, body, flow="sunrise")
    assert (receipt.status, receipt.parent_run_id) == (RunStatus.OK, None)
    assert [child.flow for child in seen] == ["child0", "child1"]
    assert {child.parent_run_id for child in seen} == {receipt.run_id}
    # A later run of its own has no parent.
    assert run_body(bare, count_two).parent_run_id is None


def test_a_parent_fails_with_its_child_and_is_busy_with_it(bare: Path, clock: FrozenClock) -> None:
    failed = run_body(bare, parent_of(count_two, failing), flow="sunrise")
    assert (failed.status, failed.reason) == (RunStatus.FAILED, "a_flow_failed")
    with open_home(load_settings(bare), clock=clock) as other:
        other.ledger.acquire_lease("child0", run_id="elsewhere")
        held = run_body(bare, parent_of(busy), flow="sunrise")
    assert (held.status, held.reason) == (RunStatus.BUSY, "a_flow_was_busy")


# Messages


@pytest.fixture
def inbox() -> Iterator[tuple[str, list[bytes]]]:
    """An address on this machine, and what was sent to it."""
    messages: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            messages.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"json://127.0.0.1:{server.server_port}", messages
    server.shutdown()
    thread.join()
    server.server_close()


def tell(home: Path, url: str) -> None:
    with (home / "sunrise.toml").open("a") as file:
        file.write(f'[notify]\nurls = ["{url}"]\n')


def test_only_a_run_that_needs_a_look_is_told_of(bare: Path, inbox: tuple[str, list[bytes]]) -> None:
    url, messages = inbox
    tell(bare, url)
    assert "notified" not in run_body(bare, count_two).facts
    assert messages == []
    receipt = run_body(bare, lambda run: run.anomaly("odd", "that is odd"))
    assert receipt.facts["notified"] == "yes"
    (message,) = messages
    for part in ("sunrise grade: anomaly", "odd: that is odd", receipt.run_id):
        assert part.encode() in message
    failed = run_body(bare, failing)
    assert b"reason: store" in messages[1]
    assert failed.facts["notified"] == "yes"


def test_a_parent_speaks_once_for_its_children(bare: Path, inbox: tuple[str, list[bytes]]) -> None:
    url, messages = inbox
    tell(bare, url)
    run_body(bare, parent_of(failing, failing), flow="sunrise")
    assert len(messages) == 1
    assert b"sunrise sunrise: failed" in messages[0]


def test_a_message_that_cannot_be_sent_costs_no_receipt(bare: Path) -> None:
    tell(bare, "json://127.0.0.1:9")
    receipt = run_body(bare, lambda run: run.anomaly("odd", "that is odd"))
    assert (receipt.status, receipt.facts["notified"]) == (RunStatus.ANOMALY, "failed")
    assert stored(bare) == (receipt,)


def test_without_channels_nobody_is_told(bare: Path) -> None:
    assert not AppriseNotifier([]).notify(title="t", body="b")
    assert "notified" not in run_body(bare, failing).facts


# Stale runs


@pytest.mark.parametrize(("late_minutes", "status"), [(239, RunStatus.OK), (241, RunStatus.SKIPPED)])
def test_a_run_later_than_its_period_is_left_to_the_next(
    late_minutes: int, status: RunStatus, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Grading runs every four hours.
    monkeypatch.setattr(run_frame, "scheduled_start_ms", lambda: NOW - late_minutes * 60_000)
    receipt = run_body(bare, count_two)
    assert receipt.status is status
    if status is RunStatus.SKIPPED:
        assert (receipt.reason, receipt.counts) == ("stale", {})
        assert receipt.figures == {"late_minutes": 241.0}
    # The parent flow has no schedule, so nothing of it is ever stale.
    assert run_body(bare, count_two, flow="sunrise").status is RunStatus.OK


# Settings and leases


@pytest.mark.parametrize("line", ['grade = "not a cron line"', 'dream = "* * * * *"'])
def test_schedules_that_cannot_be_are_said_before_any_work(line: str, bare: Path) -> None:
    with (bare / "sunrise.toml").open("a") as file:
        file.write(f"[schedules]\n{line}\n")
    with pytest.raises(ConfigurationError, match="schedules"):
        run_body(bare, count_two)
    assert not (bare / "ledger.sqlite").exists()


def test_a_run_stops_when_its_lease_is_lost(bare: Path) -> None:
    def body(run: Run) -> None:
        run.step(steal, run)
        keeper = LeaseKeeper(run.home.ledger, "grade", run_id=run.run_id, every=0.005)
        keeper._thread.start()
        keeper._thread.join(5)
        run.lease = keeper
        run.step(len, [])

    def steal(run: Run) -> None:
        run.home.ledger.release_lease("grade", run_id=run.run_id)

    receipt = run_body(bare, body)
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, "store")
    assert "was lost to another run" in receipt.anomalies[0].message


def test_a_keeper_renews_until_it_leaves(clock: FrozenClock) -> None:
    log = FakeRunLog(clock, lease_ms=1000)
    renewed = threading.Event()

    class Counting(FakeRunLog):
        def renew_lease(self, name: str, *, run_id: str) -> bool:
            renewed.set()
            return super().renew_lease(name, run_id=run_id)

    log = Counting(clock, lease_ms=1000)
    with LeaseKeeper(log, "grade", run_id="a", every=0.005) as keeper:
        assert renewed.wait(5)
        keeper.check()
    log.acquire_lease("grade", run_id="b")


def test_a_locked_moment_loses_no_lease(clock: FrozenClock) -> None:
    tried = threading.Event()

    class Locked(FakeRunLog):
        def renew_lease(self, name: str, *, run_id: str) -> bool:
            if tried.is_set():
                return super().renew_lease(name, run_id=run_id)
            tried.set()
            raise StoreError("locked")

    with LeaseKeeper(Locked(clock), "grade", run_id="a", every=0.005) as keeper:
        assert tried.wait(5)
        keeper.check()


def test_the_home_is_open_in_the_body(home: Home) -> None:
    seen: list[object] = []
    run_body(home.path, lambda run: seen.extend([run.home.path, isinstance(run.home.ledger, SqliteLedger)]))
    assert seen == [home.path, True]

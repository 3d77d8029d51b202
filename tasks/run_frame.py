"""The one frame around every run: lease, stale skip, contracts, dry run, receipt, page, message."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from reports.entries_page import first_day, held_back
from reports.formats import stamp
from reports.sections import Section
from sunrise.bootstrap import Home, open_home
from sunrise.domain.receipts import MAX_REFS, Anomaly, Balance, RunReceipt, RunStatus, StepTiming
from sunrise.domain.records import QuarantineState, Rejected
from sunrise.domain.schedule import cron_lines
from sunrise.domain.secret_fields import without_secrets
from sunrise.errors import BusyError, ConfigurationError, DataError, SunriseError
from sunrise.ports import Clock
from sunrise.settings import load_settings
from tasks.lease_keeper import LeaseKeeper
from tasks.notification import AppriseNotifier, message_for
from tasks.prefect_bridge import call_step, publish_artifacts, scheduled_start_ms
from tasks.receipt_files import (
    FORGOTTEN_ROWS,
    HISTORY,
    INDEX_RUNS,
    QUARANTINE_ROWS,
    write_entries_page,
    write_index_page,
    write_quarantine_page,
    write_receipt,
    write_run_page,
)
from tasks.restore_intent import check_no_restore
from tasks.schedule_times import check_schedules, due_times, period_ms

if TYPE_CHECKING:
    import polars as pl

    from contracts.admission import Contract

P = ParamSpec("P")
T = TypeVar("T")

_PARENT: ContextVar[Run | None] = ContextVar("sunrise_parent_run", default=None)


class SkipRun(Exception):  # noqa: N818  not an error: the run ends early, and says why
    """
    Ends a run as skipped, or as busy: there is nothing it could work on, or another is at it.

    ``reason`` is a stable code.
    """

    def __init__(self, reason: str, *, status: RunStatus = RunStatus.SKIPPED) -> None:
        super().__init__(reason)
        self.reason, self.status = reason, status


@dataclass
class Run:
    """What a flow's body holds in its hands: the home, its steps, and the receipt in the making."""

    flow: str
    run_id: str
    home: Home
    dry_run: bool
    started_ms: int
    lease: LeaseKeeper
    parent_run_id: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    groups: dict[str, dict[str, int]] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    refs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sections: list[Section] = field(default_factory=list)
    children: list[RunReceipt] = field(default_factory=list)
    _steps: list[StepTiming] = field(default_factory=list)
    _balances: list[Balance] = field(default_factory=list)
    _anomalies: list[Anomaly] = field(default_factory=list)

    def step(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do one step: timed, a Prefect task inside a Prefect run, and never after the lease was lost."""
        self.lease.check()
        name = do.__name__.replace("_", " ").strip()
        begin = time.perf_counter()
        try:
            return call_step(name, lambda: do(*args, **kwargs))
        finally:
            self._steps.append(StepTiming(name, round((time.perf_counter() - begin) * 1000, 3)))

    def write(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Do a step that changes a store; a dry run leaves it out and goes on with None."""
        return None if self.dry_run else self.step(do, *args, **kwargs)

    def admit(self, contract: Contract, frame: pl.DataFrame, *, source: str, key: str) -> pl.DataFrame:
        """
        Return the rows that keep a contract; the others go to quarantine with a reason code and are counted.

        Raises:
            DataError: The frame itself is broken (a column is missing or of another type).
        """
        # Loaded by the first frame: a run that finds nothing to do needs no frames.
        from contracts.admission import admit

        good, rejected = admit(contract, frame, source=source, key=key)
        self.refuse(rejected)
        return good

    def refuse(self, rejected: Sequence[Rejected]) -> None:
        """Put rows into quarantine and count them by reason."""
        if not rejected:
            return
        self.count(quarantined=len(rejected))
        for row in rejected:
            self.tally("quarantined_by_reason", row.reason)
        if not self.dry_run:
            self.home.ledger.quarantine(rejected)

    def count(self, **counts: int) -> None:
        """Add to counts of the receipt."""
        for name, value in counts.items():
            self.counts[name] = self.counts.get(name, 0) + int(value)

    def tally(self, group: str, key: str, by: int = 1) -> None:
        """Add to one count of a group."""
        counts = self.groups.setdefault(group, {})
        counts[key] = counts.get(key, 0) + by

    def rate(self, name: str, rows: int) -> None:
        """Note how many rows a second the steps so far took."""
        seconds = sum(step.ms for step in self._steps) / 1000
        if rows and seconds:
            self.figures[name] = round(rows / seconds, 1)

    def name(self, kind: str, refs: Sequence[str]) -> None:
        """Name records in the receipt, as many as it holds of one kind."""
        self.refs[kind] = tuple(refs)[:MAX_REFS]

    def balance(self, whole: str, *parts: str) -> None:
        """Declare a sum that must hold; a run whose receipt does not add up has failed."""
        self.count(**dict.fromkeys((whole, *parts), 0))
        self._balances.append(Balance(whole, parts))

    def anomaly(self, code: str, message: str, count: int = 1) -> None:
        """Note something that the operator must hear of."""
        self._anomalies.append(Anomaly(code, message, count))

    def receipt(self, status: RunStatus = RunStatus.RUNNING) -> RunReceipt:
        """Return the receipt as it stands."""
        return RunReceipt(
            run_id=self.run_id,
            flow=self.flow,
            status=status,
            started_ms=self.started_ms,
            dry_run=self.dry_run,
            parent_run_id=self.parent_run_id,
            counts=dict(self.counts),
            groups={name: dict(counts) for name, counts in self.groups.items()},
            figures=dict(self.figures),
            facts=dict(self.facts),
            refs=dict(self.refs),
            steps=tuple(self._steps),
            balances=tuple(self._balances),
            anomalies=tuple(self._anomalies),
        )


def run_flow(
    flow: str,
    body: Callable[[Run], None],
    *,
    home: str | None = None,
    dry_run: bool = False,
    clock: Clock | None = None,
) -> RunReceipt:
    """
    Run a flow's body inside the frame and return its receipt.

    A run that finds its lease taken ends as BUSY, one that Prefect replays long after its time as SKIPPED;
    neither does any work. Errors that sunrise raises on purpose end in a FAILED receipt; any other error
    leaves one too and is raised again.

    Raises:
        ConfigurationError: The settings are not valid; there is no home to write a receipt to.
    """
    settings = load_settings(home)
    check_schedules(settings)
    with open_home(settings, clock=clock) as place:
        run = _new_run(flow, place, dry_run=dry_run)
        late = _lateness(run)
        if late is not None:
            run.figures["late_minutes"] = round(late / 60_000, 1)
            return _close(run, RunStatus.SKIPPED, reason="stale")
        try:
            with run.lease:
                return _work(run, body)
        except BusyError as error:
            run.facts["held_by"] = error.holder
            return _close(run, RunStatus.BUSY, reason="lease_taken")


def _new_run(flow: str, home: Home, *, dry_run: bool) -> Run:
    parent = _PARENT.get()
    started = home.clock.now_ms()
    stamp = datetime.fromtimestamp(started / 1000, tz=UTC)
    run_id = f"{stamp:%Y%m%dT%H%M%S}-{flow}-{secrets.token_hex(3)}"
    return Run(
        flow=flow,
        run_id=run_id,
        home=home,
        dry_run=dry_run,
        started_ms=started,
        lease=LeaseKeeper(home.ledger, flow, run_id=run_id),
        parent_run_id=parent.run_id if parent else None,
    )


def _lateness(run: Run) -> int | None:
    # After an outage Prefect runs every start that it missed, oldest first. One catches up from the
    # watermarks; the others have nothing left to do.
    scheduled = scheduled_start_ms()
    cron = cron_lines(run.home.settings.schedules).get(run.flow)
    if scheduled is None or cron is None:
        return None
    late = run.started_ms - scheduled
    period = period_ms(cron, zone=run.home.settings.timezone, now_ms=run.started_ms)
    return late if late > period else None


def _work(run: Run, body: Callable[[Run], None]) -> RunReceipt:
    log = run.home.ledger
    reaped = log.reap()
    if reaped:
        run.facts["closed_crashed_runs"] = ", ".join(reaped)
    log.save_run(run.receipt())
    try:
        _do(run, body)
    except SkipRun as skip:
        return _close(run, skip.status, reason=skip.reason)
    except SunriseError as error:
        run.anomaly(_code(error), str(error))
        return _close(run, RunStatus.FAILED, reason=_code(error))
    except BaseException as error:
        run.anomaly("unexpected_error", f"{type(error).__name__}: {error}")
        _close(run, RunStatus.FAILED, reason="unexpected_error")
        raise
    return _close(run, *_verdict(run))


def _do(run: Run, body: Callable[[Run], None]) -> None:
    check_no_restore(run.home.path, run.flow)
    # Whatever runs inside the body is a child of this run, and nothing else is.
    token = _PARENT.set(run)
    try:
        body(run)
    finally:
        _PARENT.reset(token)


def _verdict(run: Run) -> tuple[RunStatus, str | None]:
    receipt = run.receipt()
    if not receipt.adds_up:
        run.anomaly("receipt_does_not_add_up", "the counts of this run contradict each other")
        return RunStatus.FAILED, "receipt_does_not_add_up"
    if any(child.status is RunStatus.FAILED for child in run.children):
        return RunStatus.FAILED, "a_flow_failed"
    if any(child.status is RunStatus.BUSY for child in run.children):
        return RunStatus.BUSY, "a_flow_was_busy"
    return (RunStatus.ANOMALY if receipt.anomalies else RunStatus.OK), None


def _close(run: Run, status: RunStatus, reason: str | None = None) -> RunReceipt:
    home = run.home
    receipt = run.receipt().closed(status=status, finished_ms=home.clock.now_ms(), reason=reason)
    receipt = _notified(run, _without_secrets(receipt))
    home.ledger.save_run(receipt)
    write_receipt(home.receipts, receipt)
    zone = home.settings.timezone
    history = home.ledger.runs(flow=run.flow, limit=HISTORY)
    # The report flow draws the charts: what draws them takes longer to load than most runs take.
    page = write_run_page(
        home.reports, receipt, history=history, zone=zone, detail=_shown(run.sections), charts=False
    )
    parent = _PARENT.get()
    if parent is None:
        refresh_index(home)
    else:
        parent.children.append(receipt)
    publish_artifacts(receipt, page=page)
    return receipt


def refresh_index(home: Home) -> None:
    """Write anew the site's pages that belong to no run: the first, what entered, what is in quarantine."""
    receipts = home.ledger.runs(limit=INDEX_RUNS)
    by_reason = home.ledger.quarantined_by_reason()
    now, zone = home.clock.now_ms(), home.settings.timezone
    today = stamp(now, zone=zone).iso[:10]
    entries = home.ledger.entries(since=first_day(today))
    write_index_page(
        home.reports,
        receipts,
        generated_ms=now,
        zone=zone,
        due=due_times(home.settings, receipts),
        waiting=sum(by_reason.values()),
        held_back=held_back(entries, day=today),
    )
    forgotten = home.ledger.newest_forgotten(limit=FORGOTTEN_ROWS)
    write_entries_page(home.reports, entries, today=today, generated_ms=now, zone=zone, forgotten=forgotten)
    waiting = home.ledger.quarantined(state=QuarantineState.WAITING, limit=QUARANTINE_ROWS)
    write_quarantine_page(home.reports, waiting, by_reason=by_reason, generated_ms=now, zone=zone)


def _without_secrets(receipt: RunReceipt) -> RunReceipt:
    # What a store or a network complains of may quote an address with its password.
    return RunReceipt.from_dict(without_secrets(receipt.to_dict()))


def _shown(sections: Sequence[Section]) -> list[Section]:
    return [
        replace(one, rows=tuple(tuple(without_secrets(list(row))) for row in one.rows)) for one in sections
    ]


def _notified(run: Run, receipt: RunReceipt) -> RunReceipt:
    message = message_for(receipt)
    urls = run.home.settings.notify.urls
    # The parent speaks for its children: one day, one message.
    if message is None or not urls or run.parent_run_id is not None:
        return receipt
    sent = AppriseNotifier(urls).notify(title=message[0], body=message[1])
    return replace(receipt, facts={**receipt.facts, "notified": "yes" if sent else "failed"})


def _code(error: SunriseError) -> str:
    if isinstance(error, DataError):
        return error.reason
    return "configuration" if isinstance(error, ConfigurationError) else "store"

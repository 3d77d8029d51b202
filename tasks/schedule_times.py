"""Cron arithmetic: how long a flow's period is, and when it was last due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.schedule import cron_lines
from sunrise.errors import ConfigurationError
from sunrise.settings import Settings

_TURNS = (RunStatus.OK, RunStatus.ANOMALY, RunStatus.FAILED, RunStatus.SKIPPED)


def next_due_ms(cron: str, *, zone: str, after_ms: int) -> int:
    """Return the first time after a moment (epoch ms) at which a cron line fires in its zone."""
    after = datetime.fromtimestamp(after_ms / 1000, tz=ZoneInfo(zone))
    return int(next(CronSim(cron, after)).astimezone(UTC).timestamp() * 1000)


def period_ms(cron: str, *, zone: str, now_ms: int) -> int:
    """Return the time between the last two firings of a cron line, in milliseconds."""
    now = datetime.fromtimestamp(now_ms / 1000, tz=ZoneInfo(zone))
    ticks = CronSim(cron, now, reverse=True)
    newest, before = next(ticks), next(ticks)
    return int((newest.astimezone(UTC) - before.astimezone(UTC)).total_seconds() * 1000)


def due_times(settings: Settings, receipts: Iterable[RunReceipt]) -> Mapping[str, int | None]:
    """
    Return for each scheduled flow when the run after its last one is due; None where it never ran.

    Runs that did not do their turn (busy, stale, crashed, dry) do not count.

    Raises:
        ConfigurationError: A cron line of the settings is not valid, or names no flow.
    """
    check_schedules(settings)
    last: dict[str, int] = {}
    for receipt in receipts:
        if receipt.status in _TURNS and receipt.reason != "stale" and not receipt.dry_run:
            last[receipt.flow] = max(receipt.started_ms, last.get(receipt.flow, 0))
    return {
        flow: next_due_ms(cron, zone=settings.timezone, after_ms=last[flow]) if flow in last else None
        for flow, cron in cron_lines(settings.schedules).items()
    }


def check_schedules(settings: Settings) -> None:
    """
    Read every cron line of the settings once, whether or not its flow ever ran.

    Raises:
        ConfigurationError: A cron line is not valid, or names no flow.
    """
    try:
        for cron in cron_lines(settings.schedules).values():
            CronSim(cron, datetime.fromtimestamp(0, tz=UTC))
    except (CronSimError, ValueError) as error:
        msg = f"[schedules] in sunrise.toml: {error}"
        raise ConfigurationError(msg) from error

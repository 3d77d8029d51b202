"""Runs and their leases in the ledger: who is at work, who was, and what each did."""

from __future__ import annotations

import json
import sqlite3

from sunrise.adapters.processes import ProcessIdentity, is_gone, this_process
from sunrise.adapters.sqlite_connection import SqliteConnection
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.errors import BusyError

LEASE_MS = 120_000
"""A lease that nobody renewed for this long is free, even if its holder cannot be seen from here."""


class SqliteRuns(SqliteConnection):
    """The part of the ledger that keeps runs apart."""

    def acquire_lease(self, name: str, *, run_id: str) -> None:
        """
        Take the lease of a flow, over a dead or expired holder if need be.

        Raises:
            BusyError: A live run holds it.
        """
        me, now = this_process(), self.clock.now_ms()
        with self.writing() as db:
            row = db.execute(
                "SELECT run_id, host, pid, process_started_ms, expires_ms FROM leases WHERE name = ?", (name,)
            ).fetchone()
            if row is not None and row[4] > now and not is_gone(ProcessIdentity(*row[1:4])):
                msg = f"{name} is being run by {row[0]} (process {row[2]} on {row[1]})"
                raise BusyError(msg, holder=row[0])
            db.execute(
                "INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?, ?)",
                (name, run_id, me.host, me.pid, me.started_ms, now, now + LEASE_MS),
            )

    def renew_lease(self, name: str, *, run_id: str) -> bool:
        """Push the expiry on; False when another run has taken the lease."""
        with self.writing() as db:
            renewed = db.execute(
                "UPDATE leases SET expires_ms = ? WHERE name = ? AND run_id = ?",
                (self.clock.now_ms() + LEASE_MS, name, run_id),
            ).rowcount
        return renewed == 1

    def release_lease(self, name: str, *, run_id: str) -> None:
        """Give the lease back; giving back one that is not held is no error."""
        with self.writing() as db:
            db.execute("DELETE FROM leases WHERE name = ? AND run_id = ?", (name, run_id))

    def save_run(self, receipt: RunReceipt) -> None:
        """Write or replace the row of a run."""
        with self.writing() as db:
            _save(db, receipt)

    def runs(self, *, flow: str | None = None, limit: int = 50) -> tuple[RunReceipt, ...]:
        """Return receipts, newest first."""
        sql = (
            "SELECT receipt_json FROM runs WHERE flow = coalesce(?, flow)"
            " ORDER BY started_ms DESC, run_id DESC LIMIT ?"
        )
        with self.reading() as db:
            return tuple(RunReceipt.from_dict(json.loads(text)) for (text,) in db.execute(sql, (flow, limit)))

    def reap(self) -> tuple[str, ...]:
        """Close runs left Running by processes that are gone; return their ids."""
        now = self.clock.now_ms()
        closed: list[str] = []
        with self.writing() as db:
            for (text,) in db.execute(
                "SELECT receipt_json FROM runs WHERE status = ? ORDER BY started_ms", (RunStatus.RUNNING,)
            ).fetchall():
                receipt = RunReceipt.from_dict(json.loads(text))
                if not _holds_lease(db, receipt.run_id, now_ms=now):
                    _save(
                        db, receipt.closed(status=RunStatus.CRASHED, finished_ms=now, reason="process_gone")
                    )
                    closed.append(receipt.run_id)
        return tuple(closed)


def _holds_lease(db: sqlite3.Connection, run_id: str, *, now_ms: int) -> bool:
    rows = db.execute(
        "SELECT host, pid, process_started_ms FROM leases WHERE run_id = ? AND expires_ms > ?",
        (run_id, now_ms),
    ).fetchall()
    return any(not is_gone(ProcessIdentity(*row)) for row in rows)


def _save(db: sqlite3.Connection, receipt: RunReceipt) -> None:
    db.execute(
        "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            receipt.run_id,
            receipt.flow,
            receipt.status,
            receipt.started_ms,
            receipt.finished_ms,
            int(receipt.dry_run),
            receipt.parent_run_id,
            json.dumps(receipt.to_dict(), ensure_ascii=False),
        ),
    )

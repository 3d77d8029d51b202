"""Memories out of a file: batch by batch, each row looked at as if a stranger had written it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, tzinfo
from typing import Final

from sunrise.domain.admin import Backend
from sunrise.domain.receipts import Anomaly, Balance, RunReceipt, RunStatus
from sunrise.domain.schedule import IMPORT
from sunrise.domain.scope_policy import UNCHECKED, ScopePolicy
from sunrise.domain.transfer import ImportRequest, ImportResult
from sunrise.errors import ConfigurationError, StoreError
from sunrise.online.admin_trail import AdminTrail
from sunrise.online.burial import finish_burials
from sunrise.online.import_rows import ImportTally, RowImport
from sunrise.online.import_seen import SeenRows
from sunrise.online.import_vectors import vector_door
from sunrise.online.store import finish_stores
from sunrise.online.store_call import new_run_id
from sunrise.ports import Clock, Ledger, MemoryTable, RecordSource, TextScreen

_PARTS: Final = ("imported", "duplicate", "forgotten", "refused")
_ALSO: Final = ("quarantined", "trusted_less", "must_lowered", "redacted", "renamed", "vectors_kept")


def import_memories(
    request: ImportRequest,
    *,
    source: RecordSource,
    memories: MemoryTable | None,
    ledger: Ledger,
    screen: TextScreen,
    clock: Clock,
    backend: Backend,
    zone: tzinfo = UTC,
    scopes: ScopePolicy = UNCHECKED,
) -> ImportResult:
    """
    Add the memories of a file that are not there yet, and say what became of each row.

    A row that cannot be kept goes to quarantine with its reason, and the rest goes on. Secrets are redacted,
    what looks like an order to the model is quarantined, and no row is trusted for what the file says of it,
    unless the operator vouches for it. Vectors enter where they are of the model that answers. *zone* says
    when a day begins, *scopes* what may be a scope. Begun again after a kill it adds each row once.

    Raises:
        BusyError: Another import is at work.
        ConfigurationError: There is no table; a dry run needs none.
        StoreError: A store cannot be read or written. The batches before that stay.
    """
    now = clock.now_ms()
    trail = AdminTrail(IMPORT, now, backend, request.to_dict())
    run_id = new_run_id(now, IMPORT)
    rows = RowImport(
        request=request,
        source=source.name,
        run_id=run_id,
        seen=SeenRows(memories, request.dedupe),
        door=vector_door(memories),
        screen=screen,
        graves=ledger,
        now_ms=now,
        zone=zone,
        scopes=scopes,
    )
    trail.seen(memories)
    if request.dry_run:
        with trail.stage("total"):
            for batch in source.batches(rows=request.batch):
                rows.rows(batch)
        return _result(rows.tally, trail, None)
    if memories is None:
        raise ConfigurationError("there is no memories table yet: the agent makes it; see `sunrise doctor`")
    ledger.acquire_lease(IMPORT, run_id=run_id)
    status: RunStatus | None = RunStatus.FAILED
    try:
        with trail.stage("total"):
            ledger.save_run(_receipt(rows.tally, run_id, now, RunStatus.RUNNING))
            _add(rows, source, memories, ledger)
        status = None
    finally:
        run = _receipt(rows.tally, run_id, now, status, finished_ms=clock.now_ms())
        ledger.save_run(run)
        ledger.release_lease(IMPORT, run_id=run_id)
    return _result(rows.tally, trail, run)


def _add(rows: RowImport, source: RecordSource, memories: MemoryTable, ledger: Ledger) -> None:
    memories.adopt()
    finish_burials(memories=memories, ledger=ledger)
    finish_stores(memories=memories, ledger=ledger)
    # The gateway's table may lack a column that adoption leaves alone.
    names = set(memories.schema().names)
    for batch in source.batches(rows=rows.request.batch):
        table, rejected = rows.rows(batch)
        ledger.quarantine(rejected)
        if table is not None:
            memories.add(table.select([name for name in table.column_names if name in names]))
        if not ledger.renew_lease(IMPORT, run_id=rows.run_id):
            raise StoreError("the lease was lost, and the import stopped: run it again")
    if rows.tally.counts["imported"]:
        # What was brought into an empty home is to be found at once.
        memories.build_missing_indices()


def _result(tally: ImportTally, trail: AdminTrail, run: RunReceipt | None) -> ImportResult:
    counts = _counts(tally)
    trail.counts.update(counts)
    groups = {name: dict(sorted(counter.items())) for name, counter in sorted(tally.groups.items())}
    return ImportResult(counts, groups, trail.receipt(), run)


def _counts(tally: ImportTally) -> dict[str, int]:
    return {name: tally.counts[name] for name in ("seen", *_PARTS, *_ALSO)}


def _receipt(
    tally: ImportTally,
    run_id: str,
    started_ms: int,
    status: RunStatus | None,
    *,
    finished_ms: int | None = None,
) -> RunReceipt:
    """Return the receipt; without a status it is that of an import that ended well."""
    anomalies = tuple(_anomalies(tally))
    ended = RunStatus.ANOMALY if anomalies else RunStatus.OK
    return RunReceipt(
        run_id=run_id,
        flow=IMPORT,
        status=status or ended,
        reason="store" if status is RunStatus.FAILED else None,
        started_ms=started_ms,
        finished_ms=finished_ms,
        counts=_counts(tally),
        groups={name: dict(sorted(counter.items())) for name, counter in sorted(tally.groups.items())},
        balances=(Balance("seen", _PARTS),),
        anomalies=anomalies,
    )


def _anomalies(tally: ImportTally) -> Iterator[Anomaly]:
    if refused := tally.counts["refused"]:
        yield Anomaly(
            "lines_refused", "lines of the file were refused; see `sunrise quarantine list`", refused
        )
    if orders := tally.counts["quarantined"]:
        yield Anomaly("poisoned_memories", "memories look like instructions to the model", orders)

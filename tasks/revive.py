"""Brings back into use what admission put into the archive: all rows of a source, of a run, or of a tier."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sunrise.bootstrap import Home
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.records import Change, HeldBack, RecordState, observation_ref
from sunrise.domain.schedule import REVIVE
from sunrise.domain.trust import UNKNOWN_NAME
from sunrise.errors import DataError
from sunrise.online.admin_revive import BY_HAND, forgotten
from tasks.run_frame import Run, run_flow
from tasks.source_survey import files_of_kind

_BATCH = 1_000
_FOREVER_MS = 2**62


@dataclass(frozen=True, slots=True)
class WantedRows:
    """
    Which of the rows that were held back at entry are meant; what is None does not narrow the choice.

    ``source`` is a file, a folder, the last parts of a path, or a kind of source; ``run_id`` is the run in
    which the rows entered, and ``tier`` how far they are trusted, ``unknown`` for rows without a tier.
    """

    source: str | None = None
    run_id: str | None = None
    tier: str | None = None


def held_back(home: Home, wanted: WantedRows) -> list[HeldBack]:
    """
    Return the rows that were held back at entry and still are, by id.

    Raises:
        DataError: There is no such run; reason ``no_such_run``.
    """
    since_ms, until_ms = _time_of(home, wanted.run_id)
    rows = home.ledger.held_back(since_ms=since_ms, until_ms=until_ms)
    if wanted.tier is not None:
        rows = tuple(row for row in rows if (row.trust_tier or UNKNOWN_NAME) == wanted.tier)
    if wanted.source is None:
        return list(rows)
    names = files_of_kind(home, wanted.source) or [wanted.source]
    return [row for row in rows if any(map(row.is_of, names))]


def revive_held_back(home: str, wanted: WantedRows, *, dry_run: bool = False) -> RunReceipt:
    """
    Bring rows back that were held back at entry, as a run that can be undone, and return its receipt.

    The receipt shows seen = revived + forgotten: what was forgotten meanwhile stays away.
    """
    return run_flow(REVIVE, lambda run: _revive(run, wanted), home=home, dry_run=dry_run)


def _revive(run: Run, wanted: WantedRows) -> None:
    run.balance("seen", "revived", "forgotten")
    rows = run.step(held_back, run.home, wanted)
    refs: list[str] = []
    for part in _parts(rows):
        found = run.step(_bring_back, run, part)
        run.count(seen=len(part), revived=len(found), forgotten=len(part) - len(found))
        for row in part:
            if observation_ref(row.id) in found:
                run.tally("revived_by_source", row.source or UNKNOWN_NAME)
                run.tally("revived_by_rule", row.rule)
        refs += found
    run.name("revived", refs)


def _bring_back(run: Run, rows: Sequence[HeldBack]) -> list[str]:
    """Make rows active, those left out that were forgotten; return the refs of the others."""
    ledger = run.home.ledger
    found = ledger.observations_by_ids([row.id for row in rows])
    away = forgotten(found, ledger)
    changes = [
        Change(one.ref, field, json.dumps(before), json.dumps(after), BY_HAND)
        for one in found
        if one.ref not in away
        for field, before, after in (
            ("state", one.state, str(RecordState.ACTIVE)),
            ("archived_at_ms", one.archived_at_ms, None),
        )
    ]
    if changes and not run.dry_run:
        ledger.apply_to_observations(changes, run_id=run.run_id)
    return [one.ref for one in found if one.ref not in away]


def _parts(rows: Sequence[HeldBack]) -> Iterator[Sequence[HeldBack]]:
    for start in range(0, len(rows), _BATCH):
        yield rows[start : start + _BATCH]


def _time_of(home: Home, run_id: str | None) -> tuple[int, int]:
    """Return when a run began and ended. Only one harvest writes at a time, so its rows fall in between."""
    if run_id is None:
        return 0, _FOREVER_MS
    receipt = home.ledger.recorded_run(run_id)
    if receipt is None:
        raise DataError(f"the ledger knows no run {run_id}: see `sunrise receipts`", reason="no_such_run")
    return receipt.started_ms, receipt.finished_ms or _FOREVER_MS

"""What the rules of admission would make of the rows that a ledger holds already; nothing is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from sunrise.adapters.sqlite_entry import KEPT_SCHEMA
from sunrise.bootstrap import Home
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.judging import Judge, Verdict
from sunrise.domain.admission.profiles import owner_speaks
from sunrise.domain.admission.rules import OWNER
from sunrise.domain.records import observation_ref
from sunrise.domain.retention import DAY_MS
from sunrise.ports import EntryLedger
from tasks.admission import rules_off
from tasks.kept_rows import KeptRowsOfLedger, candidate_of
from tasks.row_meanings import row_meanings
from tasks.row_worth import FEWEST_ROWS, RowWorth, row_worth

_BATCH = 20_000
_NAMED = 20
"""Records that the report names for each rule."""


@dataclass
class AdmissionReport:
    """
    What would become of the rows of a ledger if they came again from the start.

    ``collapsed`` and ``hidden`` count rows by rule and origin, ``refs`` name the first of each rule.
    """

    rows: int = 0
    admitted: int = 0
    collapsed: Counter[tuple[str, str]] = field(default_factory=Counter)
    hidden: Counter[tuple[str, str]] = field(default_factory=Counter)
    refs: dict[str, list[str]] = field(default_factory=dict)

    def note(self, row: Mapping[str, Any], verdict: Verdict) -> None:
        """Count a row of the ledger under its verdict."""
        self.rows += 1
        if verdict.rule is None:
            self.admitted += 1
            return
        counts = self.hidden if verdict.archived else self.collapsed
        counts[str(verdict.rule), row["source_kind"]] += 1
        named = self.refs.setdefault(str(verdict.rule), [])
        if len(named) < _NAMED:
            named.append(observation_ref(row["id"]))


def report_admission(home: Home, *, days: float | None = None) -> AdmissionReport:
    """
    Judge the rows of the last days, or all of them, in the order in which they entered.

    Raises:
        ConfigurationError: A rule is switched off that does not exist.
    """
    window_ms = round(home.settings.admission.window_days * DAY_MS)
    since_ms = 0 if days is None else home.clock.now_ms() - round(days * DAY_MS)
    kept = KeptRowsOfLedger(_Unwritten(home.ledger), window_ms=window_ms, dry_run=True)
    boot_files = BootFiles(home.boot_texts())
    meanings = row_meanings(home, boot_files)
    worth = row_worth(home, boot_files)
    judge = Judge(
        off=rules_off(home),
        boot_files=boot_files,
        boot_files_for_notes=BootFiles(home.boot_texts(with_memories=False)),
        window_ms=window_ms,
        kept=kept,
        meanings=meanings,
        worth=worth,
    )
    report = AdmissionReport()
    for rows in _batches(home, since_ms=since_ms):
        candidates = [candidate_of(row) for row in rows]
        if worth is not None and _can_be_weighed(candidates, worth, home):
            worth.weigh(candidates)
        for row, candidate in zip(rows, candidates, strict=True):
            verdict = judge.judge(candidate)
            kept.remember(candidate, verdict)
            if meanings is not None:
                meanings.remember(candidate, verdict)
            report.note(row, verdict)
    return report


def _can_be_weighed(candidates: Sequence[Candidate], worth: RowWorth, home: Home) -> bool:
    return worth.rows_heard + len(candidates) >= FEWEST_ROWS and (
        any(one.source_kind == OWNER for one in candidates) or owner_speaks(home.ledger.owner_said)
    )


class _Unwritten:
    """A ledger as if none of its rows were there yet, but for what was recalled and what the owner said."""

    def __init__(self, ledger: EntryLedger) -> None:
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def kept_with_fingerprints(self, numbers: Sequence[int], *, since_ms: int, until_ms: int) -> pa.Table:  # noqa: ARG002  the port's
        return KEPT_SCHEMA.empty_table()

    def kept_by_others(self, *, since_ms: int, until_ms: int, limit: int) -> pa.Table:  # noqa: ARG002
        return KEPT_SCHEMA.empty_table()

    def kept_for_rule(self, rule: str, *, agent_id: str | None, scope: str | None) -> str | None:  # noqa: ARG002
        return None


def _batches(home: Home, *, since_ms: int) -> Iterator[list[dict[str, Any]]]:
    after = 0
    while batch := home.ledger.rows_to_judge(after_id=after, since_ms=since_ms, limit=_BATCH).to_pylist():
        yield batch
        after = batch[-1]["id"]

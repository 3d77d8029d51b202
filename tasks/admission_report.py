"""What the rules of admission would make of the rows that a ledger holds already; nothing is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from sunrise.adapters.sqlite_entry import KEPT_SCHEMA
from sunrise.bootstrap import Home
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.judging import Judge
from sunrise.domain.records import observation_ref
from sunrise.domain.retention import DAY_MS
from sunrise.ports import EntryLedger
from tasks.admission import rules_off
from tasks.kept_rows import KeptRowsOfLedger, candidate_of
from tasks.row_meanings import row_meanings

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
    judge = Judge(
        off=rules_off(home), boot_files=boot_files, window_ms=window_ms, kept=kept, meanings=meanings
    )
    report = AdmissionReport()
    for row in _rows(home, since_ms=since_ms):
        candidate = candidate_of(row)
        verdict = judge.judge(candidate)
        kept.remember(candidate, verdict)
        if meanings is not None:
            meanings.remember(candidate, verdict)
        report.rows += 1
        if verdict.rule is None:
            report.admitted += 1
            continue
        counts = report.hidden if verdict.archived else report.collapsed
        counts[str(verdict.rule), candidate.source_kind] += 1
        named = report.refs.setdefault(str(verdict.rule), [])
        if len(named) < _NAMED:
            named.append(observation_ref(row["id"]))
    return report


class _Unwritten:
    """A ledger as if none of its rows were there yet, but for what was recalled and what the owner said."""

    def __init__(self, ledger: EntryLedger) -> None:
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def kept_with_terms(self, terms: Sequence[str], *, since_ms: int, until_ms: int) -> pa.Table:  # noqa: ARG002  the port's
        return KEPT_SCHEMA.empty_table()

    def kept_by_others(self, *, since_ms: int, until_ms: int, limit: int) -> pa.Table:  # noqa: ARG002
        return KEPT_SCHEMA.empty_table()

    def kept_for_rule(self, rule: str, *, agent_id: str | None, scope: str | None) -> str | None:  # noqa: ARG002
        return None


def _rows(home: Home, *, since_ms: int) -> Iterator[dict[str, Any]]:
    after = 0
    while batch := home.ledger.rows_to_judge(after_id=after, since_ms=since_ms, limit=_BATCH).to_pylist():
        yield from batch
        after = batch[-1]["id"]

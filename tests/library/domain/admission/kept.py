"""Kept rows in memory, and a month of junk judged with them."""

from __future__ import annotations

from collections.abc import Sequence

from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate, fingerprint_text
from sunrise.domain.admission.judging import Judge, Verdict
from sunrise.domain.admission.rules import OWNER, RuleName
from sunrise.domain.admission.similar_rows import SimilarRows
from sunrise.domain.text.analysis import terms
from tests.junk_month import DAY_MS, Labelled, Month

WINDOW_MS = 30 * DAY_MS


def candidate(text: str, source_kind: str = "agent", **fields: object) -> Candidate:
    values: dict[str, object] = {"key": text, "ts_ms": 0, "kind": "note", "tool_name": None, **fields}
    return Candidate(text=text, terms=terms(text), source_kind=source_kind, **values)  # type: ignore[arg-type]


class Kept:
    """What a ledger would know, in a few dictionaries."""

    def __init__(self, *, window_ms: int = WINDOW_MS, recalled: Sequence[str] = ()) -> None:
        self.similar = SimilarRows(window_ms=window_ms)
        self.window_ms = window_ms
        self.exact: dict[str, tuple[str, int]] = {}
        self.groups: dict[tuple[RuleName, str | None, str | None], str] = {}
        self.owner: list[frozenset[str]] = []
        self.recalled = set(recalled)
        self.texts: dict[str, str] = {}

    def repeat_of(self, row: Candidate) -> str | None:
        key, seen_ms = self.exact.get(fingerprint_text(row), (None, 0))
        return key if abs(row.ts_ms - seen_ms) <= self.window_ms else None

    def similar_to(self, row: Candidate) -> str | None:
        return self.similar.nearest(row)

    def group(self, rule: RuleName, row: Candidate) -> str | None:
        return self.groups.get((rule, row.agent_id, row.scope))

    def owner_said(self, words: Sequence[str]) -> bool:
        return any(said.issuperset(words) for said in self.owner)

    def was_recalled(self, key: str) -> bool:
        return self.texts[key] in self.recalled

    def take(self, row: Candidate, verdict: Verdict) -> None:
        """Do with a row what the harvest does after the verdict."""
        if verdict.collapse_onto is not None:
            self.similar.saw(verdict.collapse_onto, row.ts_ms)
            return
        self.texts[row.key] = row.text
        self.exact[fingerprint_text(row)] = (row.key, row.ts_ms)
        if verdict.archived and verdict.rule is not None:
            self.groups[verdict.rule, row.agent_id, row.scope] = row.key
        elif row.source_kind == OWNER:
            self.owner.append(frozenset(row.terms.split()))
        elif row.source_kind != "tool":
            self.similar.remember(row)


def candidate_of(labelled: Labelled, key: str) -> Candidate:
    record = labelled.record
    return candidate(
        record["summary"],
        record["source_kind"],
        key=key,
        ts_ms=record["ts"],
        kind=record["kind"],
        tool_name=record.get("tool_name"),
        session_key=record["session_key"],
        agent_id=record["agent_id"],
    )


def judge_month(month: Month, *, boot: bool) -> list[tuple[Labelled, Candidate, Verdict]]:
    kept = Kept(recalled=month.recalled)
    judge = Judge(boot_files=BootFiles(month.boot_texts if boot else ()), window_ms=WINDOW_MS, kept=kept)
    judged = []
    for index, labelled in enumerate(month.rows):
        row = candidate_of(labelled, str(index))
        verdict = judge.judge(row)
        kept.take(row, verdict)
        judged.append((labelled, row, verdict))
    return judged

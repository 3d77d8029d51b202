"""What the ledger and the run so far know of the rows that were kept: what admission asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sunrise.domain.admission.candidate import Candidate, fingerprint_text
from sunrise.domain.admission.judging import Verdict
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.rules import DERIVED, OWNER
from sunrise.domain.admission.similar_rows import SimilarRows
from sunrise.ports import EntryLedger

CANDIDATE = (
    "key", "ts_ms", "kind", "tool_name", "summary", "terms", "source_kind", "session_key", "agent_id",
    "scope", "trust_tier", "importance_label", "memory_id",
)  # fmt: skip
"""The columns of a row that admission looks at."""

MAX_SIMILAR = 50_000
"""With so many derived rows a new one is compared at most, the newest of the window."""


@dataclass(slots=True)
class _Kept:
    """A row that is kept, and the stretch of time in which it was said."""

    key: str
    first_ms: int
    last_ms: int


class KeptRowsOfLedger:
    """Implements ``KeptRows`` of :mod:`sunrise.domain.admission.judging` over ledger and running harvest."""

    def __init__(self, ledger: EntryLedger, *, window_ms: int, dry_run: bool) -> None:
        self._ledger = ledger
        self._dry_run = dry_run
        self._window_ms = window_ms
        self._said: dict[str, list[_Kept]] = {}
        self._by_key: dict[str, _Kept] = {}
        self._texts: dict[str, str] = {}
        self._groups: dict[tuple[str, str | None, str | None], str | None] = {}
        self._owner: list[frozenset[str]] = []
        self._recalled: dict[str, bool] = {}
        self._similar = SimilarRows(window_ms=window_ms)
        self._span: tuple[int, int] | None = None

    def prepare(self, candidates: Sequence[Candidate], *, fingerprints: Sequence[int]) -> None:
        """Ask the ledger at once for what each of these may repeat; what was kept before stands in it."""
        if not self._dry_run:
            for held in (self._said, self._by_key, self._texts, self._owner, self._recalled):
                held.clear()
        if not candidates:
            return
        times = [one.ts_ms for one in candidates]
        told = self._ledger.kept_with_fingerprints(
            fingerprints,
            since_ms=min(times) - self._window_ms,
            until_ms=max(times) + self._window_ms,
        )
        for row in told.to_pylist():
            self._learn(row)
        others = [one.ts_ms for one in candidates if one.source_kind in DERIVED]
        if others:
            self._load_similar(min(others) - self._window_ms, max(others) + self._window_ms)

    def remember(self, candidate: Candidate, verdict: Verdict) -> None:
        """Note what became of a row, so that the next one is compared with it."""
        if verdict.collapse_onto is not None:
            self._see(verdict.collapse_onto, candidate.ts_ms)
            return
        self._note(candidate, candidate.ts_ms, candidate.ts_ms)
        if verdict.archived:
            self._groups[str(verdict.rule), candidate.agent_id, candidate.scope] = candidate.key
        elif candidate.source_kind == OWNER:
            self._owner.append(frozenset(candidate.terms.split()))
        elif candidate.source_kind in DERIVED:
            self._similar.remember(candidate)

    def text_of(self, key: str) -> str | None:
        """Return the text of a kept row that was compared with."""
        return self._texts.get(key)

    def repeat_of(self, candidate: Candidate) -> str | None:
        """Return the kept row that says word for word the same within the window."""
        for kept in self._said.get(fingerprint_text(candidate), ()):
            if kept.first_ms - self._window_ms <= candidate.ts_ms <= kept.last_ms + self._window_ms:
                return kept.key
        return None

    def similar_to(self, candidate: Candidate) -> str | None:
        """Return the kept row that says nearly the same within the window."""
        return self._similar.nearest(candidate)

    def group(self, rule: RuleName, candidate: Candidate) -> str | None:
        """Return the row onto which this agent's rows of a rule are collapsed."""
        name = (str(rule), candidate.agent_id, candidate.scope)
        if name not in self._groups:
            self._groups[name] = self._ledger.kept_for_rule(
                str(rule), agent_id=candidate.agent_id, scope=candidate.scope
            )
        return self._groups[name]

    def owner_said(self, words: Sequence[str]) -> bool:
        """Return whether one row of the owner holds all these index terms."""
        wanted = frozenset(words)
        return any(wanted <= said for said in self._owner) or self._ledger.owner_said(sorted(wanted))

    def was_recalled(self, key: str) -> bool:
        """Return whether a kept row was given back to the agent."""
        if key not in self._recalled:
            self._recalled[key] = self._ledger.was_recalled(key)
        return self._recalled[key]

    def _learn(self, row: dict[str, Any]) -> None:
        if row["key"] not in self._by_key:
            self._note(candidate_of(row), row["ts_ms"], row["last_seen_ms"])

    def _note(self, candidate: Candidate, first_ms: int, last_ms: int) -> None:
        kept = _Kept(candidate.key, first_ms, last_ms)
        self._by_key[candidate.key] = kept
        self._texts[candidate.key] = candidate.text
        self._said.setdefault(fingerprint_text(candidate), []).append(kept)

    def _see(self, key: str, ts_ms: int) -> None:
        if kept := self._by_key.get(key):
            kept.first_ms, kept.last_ms = min(kept.first_ms, ts_ms), max(kept.last_ms, ts_ms)
        self._similar.saw(key, ts_ms)

    def _load_similar(self, since_ms: int, until_ms: int) -> None:
        since, until = self._span or (since_ms, since_ms - 1)
        parts = (
            [(until + 1, until_ms)] if self._span is None else [(since_ms, since - 1), (until + 1, until_ms)]
        )
        for start, end in parts:
            if start > end:
                continue
            told = self._ledger.kept_by_others(since_ms=start, until_ms=end, limit=MAX_SIMILAR)
            for row in told.to_pylist():
                self._similar.remember(candidate_of(row))
                self._similar.saw(row["key"], row["last_seen_ms"])
        self._span = (min(since, since_ms), max(until, until_ms))


def candidate_of(row: dict[str, Any]) -> Candidate:
    """Return a row of the ledger, or one on its way there, as admission looks at it."""
    return Candidate(text=row["summary"], **{name: row[name] for name in CANDIDATE if name != "summary"})

"""Steps at the ledger's door: what was said already is collapsed onto the row that is kept."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from sunrise.adapters.sqlite_entry import SIGHTING_SCHEMA, row_fingerprint
from sunrise.bootstrap import Home
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.judging import Judge, Verdict
from sunrise.domain.admission.profiles import owner_speaks
from sunrise.domain.admission.rules import MADE, OWNER, RULES, gate_pattern
from sunrise.domain.admission.worth import Odds
from sunrise.domain.retention import DAY_MS
from sunrise.errors import ConfigurationError
from tasks.entry_counts import CountedRows
from tasks.kept_rows import CANDIDATE, KeptRowsOfLedger, candidate_of
from tasks.row_meanings import RowMeanings, row_meanings
from tasks.row_worth import FEWEST_ROWS, RowWorth, row_worth

_SIGHTING = (
    "key", "ts_ms", "kind", "tool_name", "source_kind", "source_ref", "session_key", "agent_id",
    "episode_key", "detail_json",
)  # fmt: skip


MAX_EARLIER = 500
"""With so many rows of earlier runs new ones are compared by meaning, the newest: it takes under a second."""

MAX_TOLD = 1_000
"""With so many rows of earlier runs new ones are weighed, the newest: it takes a second."""


@dataclass(frozen=True, slots=True)
class Judged:
    """
    What becomes of the rows of one batch.

    ``rows`` are to be kept, hidden ones with ``entry_rule`` among them; ``sightings`` are collapsed onto rows
    that are kept; the others were known. ``collapsed`` and ``hidden`` count them by rule.
    """

    rows: pl.DataFrame
    sightings: pa.Table
    collapsed: CountedRows
    hidden: CountedRows


class Door:
    """
    The door of the ledger during one run.

    It remembers what the run has let in, and asks the ledger for what was there before.

    Raises:
        ConfigurationError: A rule is switched off that does not exist.
    """

    def __init__(self, home: Home, *, dry_run: bool = False) -> None:
        window_ms = round(home.settings.admission.window_days * DAY_MS)
        self._kept = KeptRowsOfLedger(home.ledger, window_ms=window_ms, dry_run=dry_run)
        self._home = home
        self._off = rules_off(home)
        self._window_ms = window_ms
        self._judge: Judge | None = None
        self._boot_files: BootFiles | None = None
        self._meanings: RowMeanings | None = None
        self._asked = False
        self._worth: RowWorth | None = None
        self._worth_asked = False
        self._unheard: list[Candidate] = []
        self._owner_is_heard = False

    def weigh(self, rows: pl.DataFrame) -> bool:
        """
        Weigh rows that are about to be judged, and return whether they were: all are, or none.

        It takes its time and asks for nothing that another process may change, so no lock is held for it.
        """
        worth = self._weighing(rows)
        if worth is not None:
            known = self._home.ledger.known_keys(rows["key"].to_list())
            new = rows.select(CANDIDATE).filter(~rows["key"].is_in(sorted(known)))
            worth.weigh([candidate_of(row) for row in new.iter_rows(named=True)])
        return worth is not None

    def judge(self, rows: pl.DataFrame, *, weighed: bool) -> Judged:
        """Say what becomes of each row, in order; whether they were weighed is what :meth:`weigh` said."""
        said = rows.select("terms", "summary", "summary_en", "tool_name").iter_rows()
        rows = rows.with_columns(
            pl.Series("fingerprint", [row_fingerprint(*row) for row in said], dtype=pl.Int64)
        )
        wanted = rows if weighed else rows.filter(self._may_collapse(rows))
        if wanted.is_empty():
            return Judged(rows, SIGHTING_SCHEMA.empty_table(), Counter(), Counter())
        known = self._home.ledger.known_keys(wanted["key"].to_list())
        candidates = [
            candidate_of(row)
            for row in wanted.select(CANDIDATE).iter_rows(named=True)
            if row["key"] not in known
        ]
        self._kept.prepare(candidates, fingerprints=wanted["fingerprint"].unique().to_list())
        if not weighed and self._worth is not None:
            self._unheard.extend(candidates)
        hear = self._listen(rows, candidates)
        verdicts: dict[str, Verdict] = {}
        for one in candidates:
            hear(one.key)
            # A key that stands twice in a batch is judged once; the second row of it is a duplicate.
            if one.key not in verdicts:
                verdicts[one.key] = self._verdict(one)
        # What was collapsed before is no row of the ledger, and must not become one.
        return _carried_out(rows.filter(~rows["key"].is_in(sorted(known))), verdicts, self._kept)

    def odds(self, candidate: Candidate) -> Odds | None:
        """Return the odds that a row is worth keeping, where it was weighed."""
        return self._worth.odds(candidate) if self._worth is not None else None

    def _may_collapse(self, rows: pl.DataFrame) -> pl.Series:
        # Tool rows are the mass: those that say something new and match no hint are settled here.
        by_tool = rows["source_kind"] == "tool"
        if not by_tool.any():
            return ~by_tool
        repeated = rows["fingerprint"].is_duplicated()
        known = rows["fingerprint"].is_in(self._fingerprints(rows["ts_ms"]))
        hinted = rows["summary"].str.contains(gate_pattern())
        if self._boot().lines:
            # A tool that reads a boot file gives its lines.
            first = rows["summary"].str.strip_chars().str.splitn("\n", 2).struct.field("field_0")
            hinted = hinted | first.str.strip_chars().is_in(sorted(self._boot().lines)).fill_null(value=False)
        return repeated | known | ~by_tool | hinted

    def _listen(self, rows: pl.DataFrame, candidates: list[Candidate]) -> Callable[[str], None]:
        """Return what is to be called before a row is judged: the meanings hear the tools' rows before it."""
        if not any(one.source_kind in MADE for one in candidates):
            return _deaf
        if not self._asked:
            self._asked = True
            self._meanings = row_meanings(self._home, self._boot())
            if self._meanings is not None:
                times = [one.ts_ms for one in candidates]
                self._recollect(self._meanings, min(times) - self._window_ms, max(times))
        meanings = self._meanings
        if meanings is None:
            return _deaf
        judged = {one.key for one in candidates}
        others = deque(
            (place, key, text)
            for place, (key, text, origin) in enumerate(
                rows.select("key", "summary", "source_kind").iter_rows()
            )
            if origin == "tool" and key not in judged
        )
        places = dict(zip(rows["key"].to_list(), range(rows.height), strict=True))

        def hear(before: str) -> None:
            while others and others[0][0] < places[before]:
                _, key, text = others.popleft()
                meanings.overhear(key, text)

        return hear

    def _weighing(self, rows: pl.DataFrame) -> RowWorth | None:
        """Return what weighs these rows, or None: nothing of the owner is known, or too little at all."""
        first, last = rows["ts_ms"].min(), rows["ts_ms"].max()
        if not isinstance(first, int) or not isinstance(last, int):
            return None
        self._owner_is_heard = self._owner_is_heard or bool((rows["source_kind"] == OWNER).any())
        if not (self._owner_is_heard or owner_speaks(self._kept.owner_said)):
            return None
        if not self._worth_asked:
            self._worth_asked = True
            self._worth = row_worth(self._home, self._boot())
            self._unheard = self._told_before(first, last) if self._worth is not None else []
        worth = self._worth
        if worth is None or worth.rows_heard + len(self._unheard) + rows.height < FEWEST_ROWS:
            return None
        worth.hear(self._unheard)
        self._unheard.clear()
        return worth

    def _told_before(self, first_ms: int, last_ms: int) -> list[Candidate]:
        told = self._home.ledger.told_lately(
            since_ms=first_ms - self._window_ms, until_ms=last_ms, limit=MAX_TOLD
        )
        return [candidate_of(row) for row in told.select(CANDIDATE).to_pylist()]

    def _recollect(self, meanings: RowMeanings, since_ms: int, until_ms: int) -> None:
        told = self._home.ledger.kept_by_others(since_ms=since_ms, until_ms=until_ms, limit=MAX_EARLIER)
        for key, text in zip(told["key"].to_pylist(), told["summary"].to_pylist(), strict=True):
            meanings.overhear(key, text)

    def _fingerprints(self, times: pl.Series) -> pl.Series:
        first, last = times.min(), times.max()
        if not isinstance(first, int) or not isinstance(last, int):
            return pl.Series(dtype=pl.Int64)
        said = self._home.ledger.fingerprints(
            since_ms=first - self._window_ms, until_ms=last + self._window_ms
        )
        return pl.Series(list(said), dtype=pl.Int64)

    def _verdict(self, candidate: Candidate) -> Verdict:
        if self._judge is None:
            self._judge = Judge(
                off=self._off,
                boot_files=self._boot(),
                boot_files_for_notes=BootFiles(self._home.boot_texts(with_memories=False)),
                window_ms=self._window_ms,
                kept=self._kept,
                meanings=self._meanings,
                worth=self,
            )
        if self._owner_is_heard:
            self._judge.hear_owner()
        verdict = self._judge.judge(candidate)
        self._kept.remember(candidate, verdict)
        if self._meanings is not None:
            self._meanings.remember(candidate, verdict)
        return verdict

    def _boot(self) -> BootFiles:
        if self._boot_files is None:
            self._boot_files = BootFiles(self._home.boot_texts())
        return self._boot_files


def rules_off(home: Home) -> frozenset[str]:
    """
    Return the rules that the settings switch off.

    Raises:
        ConfigurationError: One of them does not exist.
    """
    off = frozenset(home.settings.admission.off)
    if unknown := off - {rule.name for rule in RULES}:
        msg = f"[admission] off: no such rule: {', '.join(sorted(unknown))}"
        raise ConfigurationError(msg)
    return off


def _deaf(_before: str) -> None:
    return


def _carried_out(rows: pl.DataFrame, verdicts: dict[str, Verdict], kept: KeptRowsOfLedger) -> Judged:
    if all(one.admitted for one in verdicts.values()):
        return Judged(rows, SIGHTING_SCHEMA.empty_table(), Counter(), Counter())
    collapsed = {key: one for key, one in verdicts.items() if one.collapse_onto is not None}
    hidden = {key: str(one.rule) for key, one in verdicts.items() if one.archived and not one.collapse_onto}
    gone = rows["key"].is_in(list(collapsed))
    told = rows.filter(gone).unique("key", keep="first", maintain_order=True)
    stay = _with_hidden(rows.filter(~gone), hidden)
    sightings = [_sighting(row, collapsed[row["key"]], kept) for row in told.iter_rows(named=True)]
    return Judged(
        rows=stay,
        sightings=pa.Table.from_pylist(sightings, schema=SIGHTING_SCHEMA),
        collapsed=_by_rule(told, {key: str(one.rule) for key, one in collapsed.items()}),
        hidden=_by_rule(stay, hidden),
    )


def _with_hidden(rows: pl.DataFrame, hidden: dict[str, str]) -> pl.DataFrame:
    if not hidden:
        return rows
    rule = pl.col("key").replace_strict(hidden, default=None, return_dtype=pl.String)
    is_hidden = pl.col("key").is_in(list(hidden))
    return rows.with_columns(
        rule.alias("entry_rule"),
        pl.when(is_hidden).then(pl.lit("archived")).otherwise("state").alias("state"),
        pl.when(is_hidden).then("created_at_ms").otherwise("archived_at_ms").alias("archived_at_ms"),
    )


def _sighting(row: dict[str, Any], verdict: Verdict, kept: KeptRowsOfLedger) -> dict[str, Any]:
    onto = str(verdict.collapse_onto)
    same = kept.text_of(onto) == row["summary"]
    return {
        **{name: row[name] for name in _SIGHTING},
        "kept_key": onto,
        "rule": str(verdict.rule),
        "text": None if same else row["summary"],
        "detail_json": None if row["detail_json"] == "{}" else row["detail_json"],
    }


def _by_rule(rows: pl.DataFrame, rules: dict[str, str]) -> CountedRows:
    pairs = rows.select("key", "source_kind").iter_rows()
    return Counter((rules[key], origin) for key, origin in pairs if key in rules)

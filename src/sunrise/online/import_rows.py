"""A batch of records out of a file, on its way into the memories: read, judged, compared, analysed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any, Final

import pyarrow as pa

from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.importance import below_must
from sunrise.domain.memory_lines import FIELDS, imported_row, new_id, sample_of
from sunrise.domain.records import Rejected
from sunrise.domain.scope_policy import UNCHECKED, ScopePolicy
from sunrise.domain.text.analysis import written_terms
from sunrise.domain.text.dated_terms import dated_terms
from sunrise.domain.transfer import Dedupe, ImportRequest
from sunrise.domain.trust import QUARANTINED, TRUSTED, Origin
from sunrise.domain.trust_at_import import imported_tier
from sunrise.domain.turns import tier_by_speaker
from sunrise.errors import DataError
from sunrise.online.import_seen import SeenRows
from sunrise.online.import_vectors import VectorDoor
from sunrise.ports import ReadRecord, TextScreen, TombstoneLedger

_SHOWN: Final = ("category", "scope", "source_ref", "source_kind", "lang", "agentId")
_REDACTED: Final = ("text", "category", "scope", "source_ref", "agentId")


@dataclass(slots=True)
class ImportTally:
    """Counts of an import so far, and the reasons by group."""

    counts: Counter[str] = field(default_factory=Counter)
    groups: dict[str, Counter[str]] = field(default_factory=dict)

    def tally(self, group: str, key: str) -> None:
        """Add one to a count of a group."""
        self.groups.setdefault(group, Counter())[key] += 1


@dataclass(slots=True)
class _Taken:
    """A record of the file that reads well."""

    read: ReadRecord
    row: dict[str, Any]
    is_redacted: bool = False


@dataclass(slots=True)
class RowImport:
    """Turns batches of records into rows for the table; what becomes of each is counted."""

    request: ImportRequest
    source: str
    run_id: str
    seen: SeenRows
    door: VectorDoor
    screen: TextScreen
    graves: TombstoneLedger
    now_ms: int
    zone: tzinfo = UTC
    scopes: ScopePolicy = UNCHECKED
    tally: ImportTally = field(default_factory=ImportTally)

    def rows(self, batch: Sequence[ReadRecord]) -> tuple[pa.Table | None, list[Rejected]]:
        """Return the rows of a batch that are new, None where none is, and what was refused."""
        rejected: list[Rejected] = []
        taken = list(self._read(batch, rejected))
        self._redact(taken)
        new = list(self._new(taken))
        if not new:
            return None, rejected
        self._judge([one for one, _ in new])
        return self._table(new), rejected

    def _read(self, batch: Sequence[ReadRecord], rejected: list[Rejected]) -> Iterator[_Taken]:
        for read in batch:
            self.tally.counts["seen"] += 1
            reason = read.reason
            if read.record is not None:
                try:
                    yield _Taken(read, self._row(read.record))
                    continue
                except DataError as error:
                    reason = error.reason
            said = str(reason)
            self.tally.counts["refused"] += 1
            self.tally.tally("refused_by_reason", said)
            rejected.append(Rejected(self.source, read.position, said, sample_of(read.raw), read.line))

    def _row(self, record: Mapping[str, Any]) -> dict[str, Any]:
        into = self.request.scope
        if into is None:
            return imported_row(record, zone=self.zone, scopes=self.scopes)
        # Where all rows go into one scope, it does not matter what a row calls its own.
        return {**imported_row(record, zone=self.zone), "scope": into}

    def _redact(self, taken: Sequence[_Taken]) -> None:
        for name in _REDACTED:
            places = [place for place, one in enumerate(taken) if one.row[name]]
            texts, held = self.screen.without_secrets([taken[place].row[name] for place in places])
            for at in held:
                taken[places[at]].row[name] = texts[at]
                taken[places[at]].is_redacted = True

    def _new(self, taken: Sequence[_Taken]) -> Iterator[tuple[_Taken, str]]:
        """Yield the rows that are to be added, with their analysed terms."""
        there = self.seen.ids_in_table([one.row["id"] for one in taken])
        unknown = [one for one in taken if not self._is_known(one, there)]
        said = [written_terms(one.row["text"]) for one in unknown]
        gone = self._forgotten([one.row for one in unknown], said)
        for place, (one, text_terms) in enumerate(zip(unknown, said, strict=True)):
            row = one.row
            if place in gone:
                self.tally.counts["forgotten"] += 1
            elif self.request.dedupe != Dedupe.NONE and self.seen.has_id(row["id"]):
                self._count_duplicate("id")
            elif self.seen.has_text(row["scope"], row["text"], text_terms):
                self._count_duplicate("text")
            else:
                if row["id"] in there or self.seen.has_id(row["id"]):
                    row["id"] = new_id(self.run_id, one.read.position, row["id"])
                    self.tally.counts["renamed"] += 1
                self.seen.add(row["id"], row["scope"], row["text"], text_terms)
                self.tally.counts["imported"] += 1
                self.tally.counts["redacted"] += one.is_redacted
                yield one, text_terms

    def _is_known(self, one: _Taken, there: frozenset[str]) -> bool:
        if self.request.dedupe == Dedupe.NONE:
            return False
        is_known = one.row["id"] in there or self.seen.has_id(one.row["id"])
        if is_known:
            self._count_duplicate("id")
        return is_known

    def _forgotten(self, rows: Sequence[dict[str, Any]], said: Sequence[str]) -> set[int]:
        """Return the numbers of the rows that were forgotten, by their id or by what they say."""
        buried = self.graves.buried([row["id"] for row in rows]) if rows else frozenset()
        gone = {place for place, row in enumerate(rows) if row["id"] in buried}
        places = [place for place, may_be in enumerate(self.graves.may_be_forgotten(said)) if may_be]
        texts = [(rows[place]["text"].strip(), rows[place]["scope"] or DEFAULT_SCOPE) for place in places]
        told = self.graves.forgotten_texts(texts)
        return gone | {place for place, is_gone in zip(places, told, strict=True) if is_gone}

    def _count_duplicate(self, by: str) -> None:
        self.tally.counts["duplicate"] += 1
        self.tally.tally("duplicates_by", by)

    def _judge(self, taken: Sequence[_Taken]) -> None:
        """Give each row its tier and origin: that of an import, unless the operator vouches for the file."""
        vouched = self.request.trust
        owners = {place for place, one in enumerate(taken) if vouched and one.row["trust_tier"] == TRUSTED}
        orders = self._orders([one.row for one in taken], owners)
        for place, one in enumerate(taken):
            claimed = one.row["trust_tier"]
            tier = imported_tier(
                claimed,
                vouched=vouched,
                looks_like_order=place in orders,
                by_speaker=tier_by_speaker(one.row["text"]) if place in owners else TRUSTED,
            )
            one.row["trust_tier"] = tier
            if not vouched:
                self._cap(one.row)
                one.row["source_kind"] = str(Origin.IMPORT)
            if place in orders and claimed != QUARANTINED:
                self.tally.counts["quarantined"] += 1
                self.tally.tally("quarantined_by_reason", f"payload:{orders[place]}")
            elif claimed != tier:
                self.tally.counts["trusted_less"] += 1

    def _cap(self, row: dict[str, Any]) -> None:
        """Make no must of a row that only the file calls one: it would lead every turn."""
        capped = below_must(row["importance"], row["importance_label"])
        if capped != (row["importance"], row["importance_label"]):
            row["importance"], row["importance_label"] = capped
            self.tally.counts["must_lowered"] += 1

    def _orders(self, rows: Sequence[dict[str, Any]], owners: set[int]) -> dict[int, str]:
        """Return why rows look like orders, by number: for their text, or for what else an agent is shown."""
        found = {
            place: reasons[0]
            for place, reasons in self.screen.orders([row["text"] for row in rows], owners=owners).items()
        }
        values = list({row[name] for row in rows for name in _SHOWN if row[name]})
        held = {values[at]: reasons[0] for at, reasons in self.screen.orders(values, owners=()).items()}
        for place, row in enumerate(rows if held else ()):
            for name in _SHOWN:
                if row[name] in held:
                    found.setdefault(place, held[row[name]])
        return found

    def _table(self, new: Sequence[tuple[_Taken, str]]) -> pa.Table:
        rows = [one.row for one, _ in new]
        columns = {name: pa.array([row[name] for row in rows], _TYPES[name]) for name in FIELDS}
        dated = [dated_terms(row["text"], row["createdAt"], self.zone) for row in rows]
        columns["terms"] = pa.array(dated, pa.string())
        # However old its text is, a memory has had no day to be used here before this one.
        columns["updated_at_ms"] = pa.array([self.now_ms] * len(rows), pa.int64())
        records = [one.read.record or {} for one, _ in new]
        kept = []
        for record in records:
            fault = self.door.fault(record)
            kept.append(record.get("vector") is not None and fault is None)
            if fault is not None:
                self.tally.tally("vectors_left_by_reason", fault)
        self.tally.counts["vectors_kept"] += sum(kept)
        return pa.table({**columns, **self.door.columns(records, kept)})


_TYPES: Final = {
    name: pa.float64() if name in ("createdAt", "importance") else pa.string() for name in FIELDS
} | dict.fromkeys(("archived_at_ms", "expires_at_ms", "review_at_ms"), pa.int64())

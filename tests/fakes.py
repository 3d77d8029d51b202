"""Stand-ins for the ports, kept in memory and quick."""

from __future__ import annotations

import hashlib
import math
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import closing
from datetime import timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.adapters.lance_rows import check_merge_keys, existing, fitted, query_vector, ranked
from sunrise.adapters.memory_schema import GOVERNANCE_COLUMNS, memories_schema, own_columns, terms_described
from sunrise.domain.erasure import MemoriesHolding
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.row_names import row_name
from sunrise.domain.scrubber import Scrubber
from sunrise.domain.secret_spans import MemorySecrets, RedactedField, Scrubbed, SecretMemory, scrubbed
from sunrise.domain.text.dated_terms import day_terms, with_day
from sunrise.errors import BusyError, DataError
from sunrise.ports import Embedder, IndexProbe, IndexState, TableFiles, TableState
from tests.fake_places import FakePlaces
from tests.fake_snapshots import FakeSnapshots
from tests.fake_vectors import FakeVectors


class FrozenClock:
    """A clock that stands until a test moves it."""

    def __init__(self, now_ms: int = 1_795_000_000_000) -> None:
        self.ms = now_ms

    def now_ms(self) -> int:
        return self.ms


class FakeEmbedder:
    """Unit vectors out of the hashes of the words: texts that share words are near, others are not."""

    is_at_hand = False

    def __init__(self, dimension: int = 8, *, model_id: str = "fake/1") -> None:
        self.dimension = dimension
        self.model_id = model_id

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for index, text in enumerate(texts):
            for word in text.lower().split() or [""]:
                digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
                stream = np.frombuffer(digest * math.ceil(self.dimension / 32), np.uint8)
                rows[index] += stream[: self.dimension] - 127.5
        unit: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def embed_query(self, texts: Sequence[str]) -> np.ndarray:
        return self.embed(texts)


class BrokenEmbedder(FakeEmbedder):
    """Its provider is down."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        raise TimeoutError("the provider is down")


class ZeroEmbedder(FakeEmbedder):
    """Makes no vectors that say anything."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.zeros((len(texts), self.dimension), dtype=np.float32)


class FakeMemoryTable(FakeVectors, FakeSnapshots, FakePlaces):
    """The memories table over one Arrow table; SQLite reads the filters, tags and versions are counters."""

    def __init__(self, rows: pa.Table | None = None, *, dimension: int = 8) -> None:
        self.rows = memories_schema(dimension).empty_table() if rows is None else rows
        self.version = 1
        self.tags: dict[str, int] = {}
        self.held: dict[int, pa.Table] = {}
        self.indexed: dict[str, int] = {}
        self.broken: set[str] = set()
        self.in_memory = False

    def newest_version(self) -> int:
        return self.version

    def is_in_memory(self) -> bool:
        return self.in_memory

    def schema(self) -> pa.Schema:
        return self.rows.schema

    def scan(self, columns: Sequence[str], *, where: str | None = None) -> pa.Table:
        return self._where(where).select(existing(columns, schema=self.rows.schema))

    def batches(self, columns: Sequence[str], *, where: str | None = None) -> Iterator[pa.RecordBatch]:
        yield from self.scan(columns, where=where).to_batches(max_chunksize=2)

    def by_ids(self, ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
        met = pc.is_in(self.rows.column("id"), value_set=pa.array(list(ids), pa.string()))
        return self.rows.filter(met).select(existing(columns, schema=self.rows.schema))

    def search_terms(self, terms: str, *, columns: Sequence[str], where: str | None, limit: int) -> pa.Table:
        if "terms" not in self.indexed and not self._has_terms():
            raise DataError("no index of terms", reason="no_terms_index")
        documents = [Counter((text or "").split()) for text in self.rows.column("terms").to_pylist()]
        weights = {
            term: math.log(1 + len(documents) / count)
            for term in terms.split()
            if (count := sum(term in document for document in documents))
        }
        scores = [sum(weight for term, weight in weights.items() if term in one) for one in documents]
        return self._best(scores, "_score", columns=columns, where=where, limit=limit)

    def _has_terms(self) -> bool:
        # The real one reads a table whole up to 4,096 rows; here the bound is what a test can fill.
        names, rows = self.rows.column_names, self.rows.num_rows
        return "terms" in names and rows <= 4096 and self.rows.column("terms").null_count < rows

    def search_vector(
        self,
        vector: np.ndarray,
        *,
        column: str = "vector",
        columns: Sequence[str],
        where: str | None,
        limit: int,
        is_exact: bool = True,
    ) -> pa.Table:
        query = query_vector(vector, schema=self.rows.schema, column=column)
        distances = [
            math.nan if row is None else 1 - _cosine(query, np.array(row, dtype=np.float32))
            for row in self.rows.column(column).to_pylist()
        ]
        return self._best(distances, "_distance", columns=columns, where=where, limit=limit)

    def adopt(self) -> tuple[str, ...]:
        missing = [field for field in GOVERNANCE_COLUMNS if field.name not in self.rows.column_names]
        for field in missing:
            self.rows = self.rows.append_column(field, pa.nulls(self.rows.num_rows, field.type))
        self.version += bool(missing)
        return tuple(field.name for field in missing)

    def merge(self, rows: pa.Table) -> int:
        check_merge_keys(rows)
        news = {row["id"]: row for row in fitted(rows, schema=self.rows.schema).to_pylist() if row["id"]}
        olds = self.rows.to_pylist()
        times = Counter(row["id"] for row in olds)
        met = [row for row in olds if row["id"] in news and times[row["id"]] == 1]
        if rows.num_columns == 1 or not met:
            return 0
        emptied = own_columns(self.rows.schema) if "text" in rows.column_names else []
        for row in met:
            row.update(dict.fromkeys(emptied) | news[row["id"]])
        self._become(pa.Table.from_pylist(olds, schema=self.rows.schema))
        return len(met)

    def overwrite(self, rows: pa.Table, *, read: pa.Table, version: int) -> int:
        was = {row["id"]: row for row in read.to_pylist()}
        now = {row["id"]: row for row in self.by_ids(list(was), rows.column_names).to_pylist()}
        kept = [
            {name: value if now[row["id"]][name] == was[row["id"]][name] else now[row["id"]][name]
             for name, value in row.items()}
            for row in rows.to_pylist() if row["id"] in now
        ]  # fmt: skip
        changed = [row for row in kept if version == self.version or row != now[row["id"]]]
        return self.merge(pa.Table.from_pylist(changed, schema=rows.schema)) if changed else 0

    def add(self, rows: pa.Table) -> None:
        if rows.num_rows:
            more = fitted(rows, schema=self.rows.schema).to_pylist()
            self._become(pa.concat_tables([self.rows, pa.Table.from_pylist(more, schema=self.rows.schema)]))

    def delete(self, ids: Sequence[str]) -> int:
        met = pc.is_in(self.rows.column("id"), value_set=pa.array(list(ids), pa.string()))
        gone = int(pc.sum(met).as_py() or 0)
        if gone:
            self._become(self.rows.filter(pc.invert(met)))
        return gone

    def state(self) -> TableState:
        return TableState(
            version=self.version,
            rows=self.rows.num_rows,
            bytes=self.rows.nbytes,
            fragments=1,
            versions=self.version,
            tags=dict(self.tags),
            indices=tuple(
                IndexState(f"{column}_idx", column, "fake", self.rows.num_rows - covered)
                for column, covered in sorted(self.indexed.items())
            ),
        )

    def build_missing_indices(self) -> tuple[str, ...]:
        wanted = ["id", "createdAt", "scope", "importance_label", "state", "category", "trust_tier"]
        if "terms" in self.rows.column_names and self.rows.column("terms").null_count < self.rows.num_rows:
            wanted.append("terms")
        built = [name for name in wanted if name in self.rows.column_names and name not in self.indexed]
        self.indexed.update(dict.fromkeys(built, self.rows.num_rows))
        return tuple(built)

    def rebuild_indices(self, columns: Sequence[str]) -> tuple[str, ...]:
        self.broken.difference_update(columns)
        self.indexed.update(dict.fromkeys(columns, self.rows.num_rows))
        return tuple(columns)

    def drop_needless_indices(self) -> tuple[str, ...]:
        gone = [column for column in self.indexed if column not in self.rows.column_names]
        for column in gone:
            del self.indexed[column]
        return tuple(f"{column}_idx" for column in gone)

    def probe_indices(self, *, seed: int) -> tuple[IndexProbe, ...]:
        return tuple(
            IndexProbe(name=f"{one}_idx", column=one, kind="fake", ok=one not in self.broken)
            for one in sorted(self.indexed if self.rows.num_rows else ())
        )

    def note_terms(self, made_as: str) -> None:
        self._describe({"terms": terms_described(made_as)})

    def count_padded(self, column: str) -> int:
        vectors = [row for row in self.rows.column(column).to_pylist() if row and any(row)]
        return sum(len(row) > 8 and not any(row[-8:]) for row in vectors)

    def files(self) -> TableFiles | None:
        return TableFiles(dead_bytes=0, orphans=0, orphan_bytes=0)

    def optimize(self, *, keep: timedelta) -> None:
        self.indexed = dict.fromkeys(self.indexed, self.rows.num_rows)

    def tag(self, name: str) -> int:
        if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) is None:
            raise DataError("bad tag name", reason="bad_tag_name")
        self.tags[name] = self.version
        self.held[self.version] = self.rows
        return self.version

    def untag(self, name: str) -> None:
        self.tags.pop(name, None)

    def find_secrets(self) -> MemorySecrets:
        texts = [one.name for one in self.rows.schema if one.type == pa.string() and one.name != "id"]
        found, values = [], set[str]()
        for address, row in enumerate(self.rows.to_pylist()):
            taken = {name: one for name in texts if row[name] and (one := scrubbed(row[name])).kinds}
            for one in taken.values():
                values |= one.values
            if taken:
                found.append(_secret_memory(row, address, taken))
        return MemorySecrets(seen=self.rows.num_rows, rows=tuple(found), values=frozenset(values))

    def redact_rows(self, found: MemorySecrets, *, embedder: Embedder, now_ms: int) -> int:
        rows = self.rows.to_pylist()
        for one in found.rows:
            rows[one.address].update(one.texts, updated_at_ms=now_ms)
        self._become(pa.Table.from_pylist(rows, schema=self.rows.schema))
        return len(found.rows)

    def forget_secrets(self, found: MemorySecrets) -> int:
        for name in found.stained_tags:
            self.untag(name)
        return len(found.stained_versions)

    def texts_of(self, ids: Set[str]) -> frozenset[str]:
        rows = (row for row in self.rows.to_pylist() if row["id"] in ids or row_name(row) in ids)
        return frozenset(row["text"] for row in rows if row["text"])

    def find_erased(self, ids: Set[str], scrubber: Scrubber) -> MemoriesHolding:
        saying = (row["id"] for row in self.rows.to_pylist() if scrubber.scrub(row["text"] or "").kinds)
        return MemoriesHolding(holders=tuple(sorted(name for name in saying if name not in ids)))

    def erase(self, found: MemoriesHolding, *, tags: bool) -> int:
        for name in found.stained_tags if tags else ():
            self.untag(name)
        return len(found.stained_versions)

    def _become(self, rows: pa.Table) -> None:
        self.rows = rows.combine_chunks()
        self.version += 1

    def _where(self, where: str | None) -> pa.Table:
        if where is None:
            return self.rows
        # SQLite takes no lists; of a vector a filter asks only whether it is there.
        plain = self.rows.column_names
        values = zip(*(map(_plain, self.rows.column(name).to_pylist()) for name in plain), strict=True)
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(f"CREATE TABLE memories ({', '.join(plain)})")
            marks = ", ".join("?" * len(plain))
            connection.executemany(f"INSERT INTO memories VALUES ({marks})", values)
            found = connection.execute(f"SELECT rowid - 1 FROM memories WHERE {where} ORDER BY rowid")
            return self.rows.take(pa.array([row for (row,) in found], pa.int64()))

    def _best(
        self, measures: list[float], name: str, *, columns: Sequence[str], where: str | None, limit: int
    ) -> pa.Table:
        names = existing(columns, schema=self.rows.schema)
        measured = FakeMemoryTable(self.rows.append_column(name, pa.array(measures, pa.float32())))._where(
            where
        )
        if name == "_score":
            measured = measured.filter(pc.greater(measured.column(name), 0))
        found = ranked(measured, by=name, descending=name == "_score")
        return found.select([*names, name]).slice(0, limit)


def _secret_memory(row: dict[str, Any], address: int, taken: dict[str, Scrubbed]) -> SecretMemory:
    texts = {name: one.text for name, one in taken.items() if name != "terms"}
    text = {"text": row["text"] or "", **texts}["text"]
    kinds = [(name, kind) for name, one in taken.items() for kind in one.kinds]
    return SecretMemory(
        id=row["id"],
        address=address,
        texts={**texts, "terms": _terms(text, row.get("terms"))}
        if taken.keys() & {"text", "terms"}
        else texts,
        text=text,
        embedding_model=row.get("embedding_model"),
        fields=tuple(RedactedField(f"mem:{row['id']}", name, kind) for name, kind in kinds),
    )


def _terms(text: str, stored: str | None) -> str:
    day = day_terms(stored or "")
    return with_day(text, "" if scrubbed(day).kinds else day)


def _plain(value: Any) -> Any:
    return len(value) if isinstance(value, list) else value


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


class FakeRunLog:
    """Runs and leases in two dictionaries; a test names the runs whose process is gone."""

    def __init__(self, clock: FrozenClock, *, lease_ms: int = 120_000) -> None:
        self.clock = clock
        self.lease_ms = lease_ms
        self.gone: set[str] = set()
        self._leases: dict[str, tuple[str, int]] = {}
        self._runs: dict[str, RunReceipt] = {}

    def acquire_lease(self, name: str, *, run_id: str) -> None:
        holder, expires_ms = self._leases.get(name, ("", 0))
        if expires_ms > self.clock.now_ms() and holder not in self.gone:
            raise BusyError(f"{name} is being run by {holder}", holder=holder)
        self._leases[name] = (run_id, self.clock.now_ms() + self.lease_ms)

    def renew_lease(self, name: str, *, run_id: str) -> bool:
        if self._leases.get(name, ("", 0))[0] != run_id:
            return False
        self._leases[name] = (run_id, self.clock.now_ms() + self.lease_ms)
        return True

    def release_lease(self, name: str, *, run_id: str) -> None:
        if self._leases.get(name, ("", 0))[0] == run_id:
            del self._leases[name]

    def save_run(self, receipt: RunReceipt) -> None:
        self._runs[receipt.run_id] = receipt

    def runs(self, *, flow: str | None = None, limit: int = 50) -> tuple[RunReceipt, ...]:
        found = [run for run in self._runs.values() if flow in (None, run.flow)]
        return tuple(sorted(found, key=lambda run: (run.started_ms, run.run_id), reverse=True)[:limit])

    def reap(self) -> tuple[str, ...]:
        now = self.clock.now_ms()
        held = {holder for holder, expires_ms in self._leases.values() if expires_ms > now} - self.gone
        left = [run for run in self._runs.values() if run.status is RunStatus.RUNNING]
        closed = sorted((run for run in left if run.run_id not in held), key=lambda run: run.started_ms)
        for run in closed:
            self.save_run(run.closed(status=RunStatus.CRASHED, finished_ms=now, reason="process_gone"))
        return tuple(run.run_id for run in closed)

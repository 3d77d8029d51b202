"""How memories are written: as JSON lines, as one JSON array, for people to read, or as Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any, Protocol

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from sunrise.domain.text.cleaning import clean
from sunrise.domain.times import written_time
from sunrise.domain.transfer import ExportFormat
from sunrise.ports import ByteSink

Row = Mapping[str, Any]


class RowWriter(Protocol):
    """Writes rows, batch by batch, and what comes after the last."""

    def write(self, rows: Sequence[Row]) -> None:
        """Write some rows."""
        ...

    def close(self) -> None:
        """Write what comes after the last row."""
        ...


def writer_of(wanted: ExportFormat, out: ByteSink, *, with_vectors: bool, zone: tzinfo) -> RowWriter:
    """Return what writes rows in a format; Markdown is dated in *zone*."""
    if wanted == ExportFormat.PARQUET:
        return _Parquet(out, with_vectors=with_vectors)
    if wanted == ExportFormat.MARKDOWN:
        return _Markdown(out, zone)
    return _JsonLines(out) if wanted == ExportFormat.JSONL else _JsonArray(out)


def _line(row: Row) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_SERIALIZE_NUMPY)


class _JsonLines:
    def __init__(self, out: ByteSink) -> None:
        self._out = out

    def write(self, rows: Sequence[Row]) -> None:
        self._out.write(b"".join(_line(row) + b"\n" for row in rows))

    def close(self) -> None:
        pass


class _JsonArray:
    """One row a line inside the brackets: it can be read as lines of text too."""

    def __init__(self, out: ByteSink) -> None:
        self._out = out
        self._before = b"[\n"

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self._out.write(self._before + _line(row))
            self._before = b",\n"

    def close(self) -> None:
        self._out.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")


class _Markdown:
    """A heading for each day, and the texts as quotations, so that none passes for a heading."""

    def __init__(self, out: ByteSink, zone: tzinfo) -> None:
        self._out = out
        self._zone = zone
        self._day = ""
        self._out.write(b"# Memories\n")

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            date = written_time(row["createdAt"], zone=self._zone)
            day = date[:10] or "Unknown day"
            heading = f"\n## {day}\n" if day != self._day else ""
            self._day = day
            quoted = "\n".join(f"> {line}" for line in clean(row["text"]).splitlines())
            facts = " · ".join(filter(None, (date, *_facts(row))))
            entry = f"{heading}\n`mem:{row['id']}` {facts}\n\n{quoted}\n"
            self._out.write(entry.encode())

    def close(self) -> None:
        pass


class _Parquet:
    def __init__(self, out: ByteSink, *, with_vectors: bool) -> None:
        vectors = [pa.field("embedding_model", pa.string()), pa.field("vector", pa.list_(pa.float32()))]
        self._schema = pa.schema([*_PARQUET, *(vectors if with_vectors else [])])
        self._file = pq.ParquetWriter(pa.PythonFile(_Uncloseable(out), mode="w"), self._schema)

    def write(self, rows: Sequence[Row]) -> None:
        if rows:
            self._file.write_table(pa.Table.from_pylist(list(rows), schema=self._schema))

    def close(self) -> None:
        self._file.close()


class _Uncloseable:
    """What Parquet is written to: whoever lent the file closes it."""

    closed = False

    def __init__(self, out: ByteSink) -> None:
        self._out = out

    def write(self, data: bytes) -> int:
        return self._out.write(bytes(data))

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def _facts(row: Row) -> Iterator[str]:
    for name in ("scope", "category", "importance_label", "trust_tier", "state"):
        if row[name]:
            yield f"{name} {_plain(row[name])}"


def _plain(text: str) -> str:
    return " ".join(clean(text).replace("`", "'").split())


_PARQUET = (
    pa.field("id", pa.string()),
    pa.field("text", pa.string()),
    pa.field("createdAt", pa.float64()),
    pa.field("category", pa.string()),
    pa.field("importance", pa.float64()),
    pa.field("importance_label", pa.string()),
    pa.field("scope", pa.string()),
    pa.field("trust_tier", pa.string()),
    pa.field("source_kind", pa.string()),
    pa.field("source_ref", pa.string()),
    pa.field("lang", pa.string()),
    pa.field("state", pa.string()),
    pa.field("archived_at_ms", pa.int64()),
    pa.field("expires_at_ms", pa.int64()),
    pa.field("review_at_ms", pa.int64()),
    pa.field("agentId", pa.string()),
)

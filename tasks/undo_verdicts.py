"""What becomes of each field of a memory when a run is taken back, by what the table holds now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from sunrise.domain.records import memory_ref
from sunrise.ports import MemoryTable
from tasks.memory_updates import HELD, SET, MemoryUpdates

_REF = len(memory_ref(""))


@dataclass(frozen=True)
class JudgedMemories:
    """
    The verdicts by field: frames with ``id``, ``target``, ``held``, ``verdict`` and ``over_later``.

    A verdict is ``restored``, ``already_so`` or ``skipped``. ``version`` is that of the table that was read.
    """

    by_field: dict[str, pl.DataFrame]
    version: int

    def counts(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield field, verdict, how many fields got it, and how many were restored over a later run."""
        for field, rows in self.by_field.items():
            counted = rows.group_by("verdict", maintain_order=True).agg(pl.len(), pl.col("over_later").sum())
            for verdict, fields, over_later in counted.iter_rows():
                yield field, verdict, fields, over_later if verdict == "restored" else 0

    def skipped(self) -> list[str]:
        """Return the records of which a field was left alone."""
        ids = [
            memory_id
            for rows in self.by_field.values()
            for memory_id in rows.filter(pl.col("verdict") == "skipped")["id"]
        ]
        return [memory_ref(memory_id) for memory_id in dict.fromkeys(ids)]

    def updates(self, reason: str) -> MemoryUpdates:
        """Return what is to be written."""
        restored = {
            field: rows.filter(pl.col("verdict") == "restored")
            for field, rows in self.by_field.items()
            if "held" in rows.columns
        }
        restored = {field: rows for field, rows in restored.items() if rows.height}
        ids = [rows.select("id") for rows in restored.values()]
        frame = pl.concat(ids).unique(maintain_order=True) if ids else pl.DataFrame(schema={"id": pl.String})
        for field, rows in restored.items():
            mine = rows.select("id", pl.col("target").alias(field), pl.lit(value=True).alias(field + SET))
            whole = self.by_field[field].select("id", pl.col("held").alias(field + HELD))
            frame = frame.join(mine, on="id", how="left", maintain_order="left")
            frame = frame.join(whole, on="id", how="left", maintain_order="left")
            frame = frame.with_columns(pl.col(field + SET).fill_null(value=False))
        return MemoryUpdates(
            frame.with_columns(pl.lit(reason).alias("reason")), tuple(restored), self.version
        )


def judge_memories(table: MemoryTable | None, wanted: pl.DataFrame) -> JudgedMemories:
    """Compare what the table holds with what a run left there, and say what becomes of each field."""
    rows = wanted.with_columns(pl.col("record_ref").str.slice(_REF).alias("id"))
    version = table.newest_version() if table is not None else 0
    held = _held(table, rows)
    by_field = {}
    for (field,), mine in rows.group_by("field", maintain_order=True):
        name = str(field)
        if table is None or name not in held.columns:
            by_field[name] = mine.with_columns(pl.lit("skipped").alias("verdict"))
        else:
            by_field[name] = _judged(mine, held.select("id", pl.col(name).alias("held")), table, name)
    return JudgedMemories(by_field, version)


def _held(table: MemoryTable | None, rows: pl.DataFrame) -> pl.DataFrame:
    if table is None:
        return pl.DataFrame(schema={"id": pl.String})
    names = set(table.schema().names)
    fields = [name for name in rows["field"].unique().sort() if name in names]
    found = pl.DataFrame(table.by_ids(rows["id"].unique().to_list(), ["id", *fields]))
    # Of an id that stands there twice nobody knows which is meant, and no merge takes it.
    return found.filter(pl.col("id").is_unique()) if found.height else found


def _judged(rows: pl.DataFrame, held: pl.DataFrame, table: MemoryTable, name: str) -> pl.DataFrame:
    kind = table.schema().field(name).type
    both = rows.with_columns(
        _as_held(rows["target"], kind).alias("target"),
        _as_held(rows["expected"], kind).alias("must_hold"),
        pl.col("expected").is_not_null().alias("is_known"),
    ).join(
        held.with_columns(pl.lit(value=True).alias("is_there")), on="id", how="left", maintain_order="left"
    )
    now, must_hold = pl.col("held"), pl.col("must_hold")
    as_left = now.eq_missing(must_hold) | (_is_empty(now, kind) & _is_empty(must_hold, kind))
    verdict = (
        pl.when(pl.col("is_there").is_null()).then(pl.lit("skipped"))
        .when(now.eq_missing(pl.col("target"))).then(pl.lit("already_so"))
        .when(pl.col("is_known") & as_left).then(pl.lit("restored"))
        .otherwise(pl.lit("skipped"))
    )  # fmt: skip
    return both.with_columns(verdict.alias("verdict"))


def _as_held(texts: pl.Series, kind: pa.DataType) -> pl.Series:
    """Return JSON texts as values of a column: single precision holds another number than was written."""
    # Most fields of a run hold one of a few values.
    known = {text: None if text is None else json.loads(text) for text in texts.unique()}
    return pl.Series(pa.array([known[text] for text in texts], kind))


def _is_empty(value: pl.Expr, kind: pa.DataType) -> pl.Expr:
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return value.fill_null("").str.strip_chars() == ""
    return value.is_null()

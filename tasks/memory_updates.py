"""Many memories that change at once: what they held, what they are to hold, and the images of both."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

import polars as pl
import pyarrow as pa

from sunrise.domain.records import GOVERNANCE

HELD, SET = ".held", ".set"
"""What the names of the columns end with that hold the old value, and whether the field changes."""


@dataclass(frozen=True)
class MemoryUpdates:
    """
    Updates of memories that were read at a version of the table.

    ``frame`` has the columns ``id`` and ``reason``, and of each of ``fields`` the new value under its name,
    the old one and whether it changes. Every row changes at least one field.
    """

    frame: pl.DataFrame
    fields: tuple[str, ...]
    version: int

    def __len__(self) -> int:
        return self.frame.height

    @cached_property
    def changed_fields(self) -> tuple[str, ...]:
        """The fields that change in any row."""
        return tuple(name for name in self.fields if self.frame[name + SET].any())

    def rows(self) -> pa.Table:
        """Return the rows as they are to be: what does not change in a row is handed back."""
        new = [
            pl.when(pl.col(name + SET)).then(pl.col(name)).otherwise(pl.col(name + HELD)).alias(name)
            for name in self.changed_fields
        ]
        return self.frame.select("id", *new).to_arrow()

    def read(self) -> pa.Table:
        """Return the rows as they were."""
        old = [pl.col(name + HELD).alias(name) for name in self.changed_fields]
        return self.frame.select("id", *old).to_arrow()

    @cached_property
    def rows_and_read(self) -> tuple[pa.Table, pa.Table]:
        """The rows as they are to be, and as they were."""
        return self.rows(), self.read()

    def images(self) -> pa.Table:
        """Return one change a row for the audit trail: JSON objects of the fields that change in it."""
        bits = [pl.col(name + SET).cast(pl.Int32) * (1 << place) for place, name in enumerate(self.fields)]
        kinds = self.frame.with_columns(pl.sum_horizontal(bits).alias("kind")).partition_by("kind")
        parts = [self._images(kind, kind["kind"][0]) for kind in kinds]
        return (
            pl.concat(parts).to_arrow()
            if parts
            else pa.table(dict.fromkeys(_IMAGE, pa.array([], pa.string())))
        )

    def batches(self, rows: int) -> list[MemoryUpdates]:
        """Return the updates in parts of so many rows."""
        return [
            MemoryUpdates(self.frame.slice(at, rows), self.fields, self.version)
            for at in range(0, len(self), rows)
        ]

    def _images(self, rows: pl.DataFrame, kind: int) -> pl.DataFrame:
        changing = [name for place, name in enumerate(self.fields) if kind & (1 << place)]
        held = [name for name in changing if rows[name + HELD].null_count() < rows.height]
        images = rows.select(
            pl.format("mem:{}", "id").alias("record_ref"),
            pl.lit(GOVERNANCE).alias("field"),
            _json(rows, [pl.col(name + HELD).alias(name) for name in held]).alias("before"),
            _json(rows, [pl.col(name) for name in changing]).alias("after"),
            "reason",
        )
        # The index of records then grows at one place, and not all over.
        return images if rows["id"].is_sorted() else images.sort("record_ref")


def _json(rows: pl.DataFrame, columns: list[pl.Expr]) -> pl.Series:
    if not columns:
        return pl.repeat("{}", rows.height, dtype=pl.String, eager=True)
    values = rows.select(columns)
    texts = values.select(pl.struct(pl.all()).struct.json_encode()).to_series()
    # An agent may have written what is no number; polars would call it empty.
    odd = (
        values.select(pl.any_horizontal(pl.selectors.float().is_nan(), pl.lit(value=False)))
        .to_series()
        .arg_true()
    )
    if odd.is_empty():
        return texts
    return texts.scatter(odd, [json.dumps(row) for row in values[odd].iter_rows(named=True)])


_IMAGE = ("record_ref", "field", "before", "after", "reason")

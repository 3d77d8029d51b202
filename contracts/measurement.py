"""Frames of what is measured: distributions and golden sets."""

from __future__ import annotations

import pandera.polars as pa
import polars as pl


class DistributionFrame(pa.DataFrameModel):
    """How many records have each label and scope."""

    importance_label: str = pa.Field(nullable=True)
    scope: str = pa.Field(nullable=True)
    rows: int = pa.Field(ge=0)

    class Config:
        """Every column and no other."""

        strict = True


class GoldenFrame(pa.DataFrameModel):
    """One golden query a row: what is asked, in which scope, and the refs of the right answers."""

    key: str = pa.Field(str_length={"min_value": 1})
    query: str = pa.Field(str_length={"min_value": 1})
    scope: str = pa.Field(nullable=True)
    lang: str = pa.Field(nullable=True)
    category: str = pa.Field(nullable=True)
    expected: pl.List(pl.String) = pa.Field()  # type: ignore[valid-type]  # pandera reads it as a dtype

    @pa.dataframe_check
    @classmethod
    def names_an_answer(cls, data: pa.PolarsData) -> pl.LazyFrame:
        """A query without a right answer measures nothing, but where nothing is the right one."""
        is_off_topic = pl.col("category").fill_null("") == "off-topic"
        return data.lazyframe.select((pl.col("expected").list.len() > 0) | is_off_topic)

    class Config:
        """Every column and no other."""

        strict = True

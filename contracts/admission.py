"""Who may pass a border: the rows of a frame that keep a contract, and a reason code for each other row."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandera.polars as pa
import polars as pl
from pandera.errors import SchemaErrors

from sunrise.domain.records import Rejected
from sunrise.errors import DataError

Contract = type[pa.DataFrameModel]
SAMPLE_CHARS = 500
KEY_CHARS = 256

_REASONS: Mapping[str, str] = {
    "not_nullable": "missing",
    "isin": "not_allowed",
    "ge": "out_of_range",
    "le": "out_of_range",
    "gt": "out_of_range",
    "lt": "out_of_range",
    "greater_than": "out_of_range",
    "greater_than_or_equal_to": "out_of_range",
    "less_than": "out_of_range",
    "less_than_or_equal_to": "out_of_range",
    "in_range": "out_of_range",
    "field_uniqueness": "not_unique",
    "str_length": "bad_length",
    "str_matches": "bad_form",
}


def admit(
    contract: Contract, frame: pl.DataFrame, *, source: str, key: str, sample: str | None = None
) -> tuple[pl.DataFrame, tuple[Rejected, ...]]:
    """
    Split a frame into the rows that keep a contract and the refused ones.

    ``key`` names the column that identifies a row within ``source``. A refused row keeps the broken check as
    its sample, and the text of the column ``sample`` where that is named: it must be redacted already.

    Raises:
        DataError: The frame itself breaks the contract (``contract_broken``): a column is missing, unknown
            or of another type. That is a mistake of ours, not of one row.
    """
    try:
        return contract.validate(frame, lazy=True), ()
    except SchemaErrors as errors:
        failures = errors.failure_cases
    broken = failures.filter(pl.col("index").is_null())
    if broken.height:
        checks = sorted({f"{row['column']}: {row['check']}" for row in broken.to_dicts()})
        msg = f"{contract.__name__} does not hold for {source}: {'; '.join(checks)}"
        raise DataError(msg, reason="contract_broken")
    reasons: dict[int, tuple[str, str]] = {}
    for row in failures.sort("index").to_dicts():
        # A row is refused once, for the first check that it breaks.
        reasons.setdefault(int(row["index"]), (str(row["column"]), str(row["check"])))
    refused = sorted(reasons)
    keys = frame[key].gather(refused).to_list()
    texts = frame[sample].gather(refused).to_list() if sample else [""] * len(refused)
    rejected = tuple(
        Rejected(
            source=source,
            position=str(row_key)[:KEY_CHARS],
            reason=_reason(*reasons[index], contract=contract),
            sample=f"{reasons[index][1]} | {text}".strip(" |")[:SAMPLE_CHARS],
        )
        for index, row_key, text in zip(refused, keys, texts, strict=True)
    )
    keep = [index for index in range(frame.height) if index not in reasons]
    return frame[keep], rejected


def _reason(column: str, check: str, *, contract: Contract) -> str:
    name = re.split(r"[(\[]", check, maxsplit=1)[0].strip()
    code = _REASONS.get(name, name)
    # A check of whole rows names the contract where others name their column.
    return code if column == contract.__name__ else f"{column}.{code}"

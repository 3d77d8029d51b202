"""Looks through many texts at once for anything that a payload could begin with."""

from __future__ import annotations

import pyarrow as pa

from sunrise.domain.payloads import SHORTEST_RUN, gate_pattern


def suspects(texts: pa.Array | pa.ChunkedArray) -> list[int]:
    """Return the numbers of the rows that ``screen`` must look at; in all others it finds nothing."""
    if texts.null_count == len(texts):
        return []
    # Loaded where there is something to read: it takes longer than a run that finds nothing new.
    import pyarrow.compute as pc  # noqa: PLC0415

    hinted = pc.match_substring_regex(texts, gate_pattern())
    # What is long is seldom, and a run of one unit has no look of its own.
    long = pc.greater_equal(pc.utf8_length(texts), SHORTEST_RUN // 2)
    rows = pc.indices_nonzero(pc.fill_null(pc.or_(hinted, long), fill_value=False))
    return list(rows.to_pylist())

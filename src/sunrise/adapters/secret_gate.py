"""Looks through many raw lines at once for anything that a secret could begin with."""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa

from sunrise.domain.secrets import gate_pattern


def harmless_lines(lines: list[bytes]) -> list[bool]:
    """Return of each line whether nothing in its object can be a secret."""
    # Loaded where there is something to read: it takes longer than a run that finds nothing new.
    import pyarrow.compute as pc  # noqa: PLC0415

    # RE2 looks for all hints in one pass; sixty searches of each line cost ten times as much. It reads
    # bytes as Latin-1, so each byte of a letter beyond ASCII is a letter of its own on both sides.
    hinted = pc.match_substring_regex(pa.array(lines, type=pa.binary()), _pattern())
    return list(pc.invert(hinted).to_pylist())


@lru_cache(maxsize=1)
def _pattern() -> str:
    return gate_pattern()

"""From which source rows entered that were held back, so that those of one source can be brought back."""

from __future__ import annotations

SQL = """
CREATE TABLE entry_sources (
  first_id INTEGER PRIMARY KEY,
  last_id INTEGER NOT NULL,
  source TEXT NOT NULL
) STRICT;
"""
"""
The observations of a batch have ids in one stretch, from ``first_id`` to ``last_id``: a row for each batch in
which something was held back is enough. A source is called as in ``offsets``.
"""

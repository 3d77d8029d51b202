"""What came in by the door of store, and what was forgotten and must not come in by any."""

from __future__ import annotations

SQL = """
CREATE TABLE stores (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  memory_id TEXT NOT NULL,
  observation_id INTEGER REFERENCES observations (id),
  status TEXT NOT NULL,
  scope TEXT NOT NULL,
  text_mark TEXT,
  key_hash TEXT UNIQUE,
  request_hash TEXT NOT NULL,
  run_id TEXT NOT NULL,
  pending_json TEXT,
  host TEXT,
  pid INTEGER,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX stores_memory ON stores (memory_id);
CREATE INDEX stores_text ON stores (text_mark, scope) WHERE text_mark IS NOT NULL;
CREATE INDEX stores_pending ON stores (id) WHERE pending_json IS NOT NULL;

CREATE TABLE tombstones (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  memory_id TEXT NOT NULL,
  text_mark TEXT,
  fingerprint INTEGER,
  scope TEXT,
  reason TEXT NOT NULL,
  run_id TEXT NOT NULL,
  is_pending INTEGER NOT NULL DEFAULT 1 CHECK (is_pending IN (0, 1)),
  at_ms INTEGER NOT NULL,
  lifted_at_ms INTEGER
) STRICT;
CREATE INDEX tombstones_memory ON tombstones (memory_id);
CREATE INDEX tombstones_text ON tombstones (text_mark) WHERE text_mark IS NOT NULL;
CREATE INDEX tombstones_pending ON tombstones (id) WHERE is_pending = 1;
"""
"""
``pending_json`` is what the memories table has yet to take, and who was at it; a ``text_mark`` is a hash of a
text with the salt of the ledger, so that it can be compared and not read. A tombstone is pending while the
table may still hold the row; without a scope it counts in all.
"""

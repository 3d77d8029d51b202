"""What the machine itself remembers: runs, leases, how far sources were read, what was refused."""

from __future__ import annotations

SQL = """
CREATE TABLE runs (
  run_id TEXT PRIMARY KEY,
  flow TEXT NOT NULL,
  status TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  finished_ms INTEGER,
  dry_run INTEGER NOT NULL,
  parent_run_id TEXT,
  receipt_json TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_flow ON runs (flow, started_ms);
CREATE INDEX runs_started ON runs (started_ms);

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  process_started_ms INTEGER NOT NULL,
  acquired_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE offsets (
  source TEXT PRIMARY KEY,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  "offset" INTEGER NOT NULL,
  line INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE watermarks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL,
  position TEXT NOT NULL,
  line INTEGER,
  reason TEXT NOT NULL,
  sample TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  UNIQUE (source, position, reason, sample)
) STRICT;

CREATE TABLE pack_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  query_hash TEXT NOT NULL,
  selection_signature TEXT NOT NULL,
  selected_count INTEGER NOT NULL,
  citation_count INTEGER NOT NULL,
  candidate_count INTEGER NOT NULL,
  receipt_json TEXT NOT NULL
) STRICT;
"""

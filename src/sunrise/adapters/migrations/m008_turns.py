"""What was put before the agent, turn by turn."""

from __future__ import annotations

SQL = """
CREATE TABLE turns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_key TEXT NOT NULL,
  number INTEGER NOT NULL,
  turn_key TEXT,
  scope TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  skipped INTEGER NOT NULL CHECK (skipped IN (0, 1)),
  receipt_json TEXT NOT NULL,
  UNIQUE (session_key, number)
) STRICT;
CREATE UNIQUE INDEX turns_key ON turns (session_key, turn_key) WHERE turn_key IS NOT NULL;
CREATE INDEX turns_at ON turns (at_ms);

CREATE TABLE injections (
  turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  record_ref TEXT NOT NULL,
  lane TEXT NOT NULL CHECK (lane IN ('backbone', 'hot')),
  PRIMARY KEY (turn_id, place)
) STRICT, WITHOUT ROWID;
"""
"""
Turns are numbered within their session from 1. One that was skipped is kept for its receipt only. Old ones
are dropped: what counts is what the agent has still before it.
"""

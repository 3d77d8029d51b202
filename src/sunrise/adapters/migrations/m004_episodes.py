"""Episodes: what was said and done, word for word; and quarantine rows that can be closed."""

from __future__ import annotations

SQL = """
CREATE TABLE episodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  ts_ms INTEGER NOT NULL,
  ts_flag TEXT CHECK (ts_flag IN ('missing', 'invalid')),
  type TEXT NOT NULL,
  session_id TEXT,
  session_key TEXT,
  agent_id TEXT,
  scope TEXT,
  trust_tier TEXT CHECK (trust_tier IN ('trusted', 'untrusted', 'quarantined')),
  source_kind TEXT NOT NULL,
  source_ref TEXT,
  tool_name TEXT,
  tool_call_id TEXT,
  text TEXT NOT NULL,
  detail_json TEXT NOT NULL DEFAULT '{}',
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX episodes_session ON episodes (session_id, ts_ms);
CREATE INDEX episodes_ts ON episodes (ts_ms);
CREATE TRIGGER episodes_never_updated BEFORE UPDATE ON episodes BEGIN
  SELECT raise(ABORT, 'episodes are append-only');
END;
CREATE TRIGGER episodes_never_deleted BEFORE DELETE ON episodes BEGIN
  SELECT raise(ABORT, 'episodes are append-only');
END;

ALTER TABLE observations ADD COLUMN episode_id INTEGER REFERENCES episodes (id);

ALTER TABLE quarantine ADD COLUMN state TEXT NOT NULL DEFAULT 'waiting'
  CHECK (state IN ('waiting', 'resolved', 'dropped'));
ALTER TABLE quarantine ADD COLUMN closed_at_ms INTEGER;
"""

"""What entered and what did not: fingerprints, sightings of what is kept, counts by day, redactions."""

from __future__ import annotations

SQL = """
ALTER TABLE observations ADD COLUMN fingerprint INTEGER;
ALTER TABLE observations ADD COLUMN trust_reason TEXT;
ALTER TABLE observations ADD COLUMN entry_rule TEXT;
DROP INDEX observations_ts;
CREATE INDEX observations_ts ON observations (ts_ms, fingerprint);
CREATE INDEX observations_entry_rule ON observations (entry_rule) WHERE entry_rule IS NOT NULL;
CREATE INDEX observations_derivable ON observations (id) WHERE trust_tier IS NULL OR trust_tier = 'trusted';
CREATE INDEX observations_distrusted ON observations (id) WHERE trust_tier = 'quarantined';

CREATE TABLE sightings (
  key TEXT PRIMARY KEY,
  observation_id INTEGER NOT NULL REFERENCES observations (id),
  rule TEXT NOT NULL,
  ts_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  tool_name TEXT,
  source_kind TEXT NOT NULL,
  source_ref TEXT,
  session_key TEXT,
  agent_id TEXT,
  episode_id INTEGER REFERENCES episodes (id),
  text TEXT,
  detail_json TEXT,
  at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sightings_observation ON sightings (observation_id, ts_ms);
CREATE INDEX sightings_ts ON sightings (ts_ms, observation_id);

CREATE TABLE entries (
  day TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('admitted', 'redacted', 'collapsed', 'quarantined', 'refused')),
  reason TEXT NOT NULL,
  source TEXT NOT NULL,
  rows INTEGER NOT NULL,
  PRIMARY KEY (day, outcome, reason, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE redactions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL,
  record_ref TEXT NOT NULL,
  field TEXT NOT NULL,
  kind TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX redactions_run ON redactions (run_id);
"""
"""
A sighting has a text or a detail only where they differ from those of the row that is kept. A redaction says
what was taken out and where, never what it was.
"""

"""The audit trail that nothing can rewrite, the outbox beside it, and use counted apart from the records."""

from __future__ import annotations

SQL = """
CREATE TABLE changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL,
  record_ref TEXT NOT NULL,
  field TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  reason TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX changes_run ON changes (run_id);
CREATE INDEX changes_record ON changes (record_ref);
CREATE TRIGGER changes_never_updated BEFORE UPDATE ON changes BEGIN
  SELECT raise(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER changes_never_deleted BEFORE DELETE ON changes BEGIN
  SELECT raise(ABORT, 'the audit trail is append-only');
END;

CREATE TABLE outbox (change_id INTEGER PRIMARY KEY REFERENCES changes (id)) STRICT;

CREATE TABLE usage (
  record_ref TEXT PRIMARY KEY,
  last_retrieved_ms INTEGER,
  last_included_ms INTEGER,
  last_used_ms INTEGER,
  included_count INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
"""

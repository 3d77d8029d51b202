"""Observations and their full-text index, which triggers keep in step with the rows."""

from __future__ import annotations

# The index holds analysed text, so its tokenizer must split at white space only: letters, marks, numbers,
# punctuation, symbols and private-use characters all belong to a token.
SQL = """
CREATE TABLE observations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  ts_ms INTEGER NOT NULL,
  ts_flag TEXT CHECK (ts_flag IN ('missing', 'invalid')),
  kind TEXT NOT NULL,
  tool_name TEXT,
  summary TEXT NOT NULL,
  summary_en TEXT,
  lang TEXT NOT NULL,
  scope TEXT,
  session_key TEXT,
  agent_id TEXT,
  trust_tier TEXT CHECK (trust_tier IN ('trusted', 'untrusted', 'quarantined')),
  source_kind TEXT NOT NULL,
  source_ref TEXT,
  importance_score REAL CHECK (importance_score BETWEEN 0 AND 1),
  importance_label TEXT CHECK (importance_label IN ('must_remember', 'nice_to_have', 'ignore')),
  importance_method TEXT,
  importance_version INTEGER,
  importance_graded_at_ms INTEGER,
  importance_rationale TEXT,
  state TEXT NOT NULL DEFAULT 'captured' CHECK (state IN ('captured', 'active', 'stale', 'archived')),
  archived_at_ms INTEGER,
  memory_id TEXT,
  detail_json TEXT NOT NULL DEFAULT '{}',
  terms TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX observations_ungraded ON observations (id) WHERE importance_label IS NULL;
CREATE INDEX observations_memory ON observations (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX observations_scope ON observations (scope, state);
CREATE INDEX observations_ts ON observations (ts_ms);

CREATE VIRTUAL TABLE observations_fts USING fts5 (
  terms, content = 'observations', content_rowid = 'id', columnsize = 1,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
);
CREATE TRIGGER observations_fts_insert AFTER INSERT ON observations BEGIN
  INSERT INTO observations_fts (rowid, terms) VALUES (new.id, new.terms);
END;
CREATE TRIGGER observations_fts_delete AFTER DELETE ON observations BEGIN
  INSERT INTO observations_fts (observations_fts, rowid, terms) VALUES ('delete', old.id, old.terms);
END;
CREATE TRIGGER observations_fts_update AFTER UPDATE OF terms ON observations BEGIN
  INSERT INTO observations_fts (observations_fts, rowid, terms) VALUES ('delete', old.id, old.terms);
  INSERT INTO observations_fts (rowid, terms) VALUES (new.id, new.terms);
END;
"""

"""Which observation speaks of which memory, and of which memories the table knows nothing."""

from __future__ import annotations

SQL = """
CREATE TABLE memory_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  memory_id TEXT NOT NULL,
  observation_id INTEGER NOT NULL REFERENCES observations (id),
  origin TEXT NOT NULL CHECK (origin IN ('tool_result', 'capture', 'store', 'import')),
  UNIQUE (memory_id, observation_id)
) STRICT;
CREATE INDEX memory_links_observation ON memory_links (observation_id);
INSERT INTO memory_links (memory_id, observation_id, origin)
  SELECT memory_id, id, CASE
      WHEN tool_name IS NOT NULL THEN 'tool_result' WHEN source_kind = 'import' THEN 'import' ELSE 'capture'
    END
  FROM observations WHERE memory_id IS NOT NULL ORDER BY id;

CREATE INDEX observations_unlinked ON observations (id)
  WHERE tool_name = 'memory_store' AND memory_id IS NULL;

CREATE TABLE unresolved_memories (
  memory_id TEXT PRIMARY KEY,
  reason TEXT NOT NULL CHECK (reason IN ('missing', 'ambiguous')),
  since_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO unresolved_memories
  SELECT value, 'missing', 0 FROM notes, json_each(notes.text)
  WHERE notes.name = 'writeback.missing_ids' AND value <> '';
DELETE FROM notes WHERE name = 'writeback.missing_ids';
"""
"""
A memory is unresolved while an observation names it and the table has no row of its id, or several. It is
looked for again at each writeback, and the operator hears of it once.
"""

"""Which forgotten memories were taken out of every store."""

from __future__ import annotations

SQL = """
ALTER TABLE tombstones ADD COLUMN erasing_since_ms INTEGER;
ALTER TABLE tombstones ADD COLUMN erased_at_ms INTEGER;
CREATE INDEX tombstones_erasing ON tombstones (id) WHERE erasing_since_ms IS NOT NULL;
"""
"""
From ``erasing_since_ms`` on no undo and no restore shows what the memory said, to nobody; ``erased_at_ms`` is
empty while anything may still hold it.
"""

"""An outbox that is filled and emptied without a look at each row of the audit trail."""

from __future__ import annotations

SQL = """
CREATE TABLE waiting (change_id INTEGER PRIMARY KEY) STRICT;
INSERT INTO waiting SELECT change_id FROM outbox;
DROP TABLE outbox;
ALTER TABLE waiting RENAME TO outbox;
"""
"""
Nothing deletes from the audit trail, so that what the outbox names is there. With a foreign key SQLite would
look for each row that goes in, and could not drop all rows at once.
"""

"""An index of the observations that say what they were made of, so that forgetting does not read all others."""

from __future__ import annotations

SQL = """
CREATE INDEX observations_with_provenance ON observations (id) WHERE instr(detail_json, '"provenance"');
"""

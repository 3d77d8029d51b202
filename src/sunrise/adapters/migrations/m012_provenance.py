"""An index of the observations that name what they were made of: forgetting reads no others."""

from __future__ import annotations

SQL = """
CREATE INDEX observations_with_provenance ON observations (id) WHERE instr(detail_json, '"provenance"');
"""

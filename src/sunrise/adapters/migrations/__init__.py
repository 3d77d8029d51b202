"""The ledger's migrations: named, in order, each in one transaction with its own record."""

from __future__ import annotations

from sunrise.adapters.migrations import (
    m001_observations,
    m002_audit,
    m003_operations,
    m004_episodes,
    m005_entry,
    m006_links,
    m007_tombstones,
    m008_turns,
    m009_erasures,
    m010_outbox,
    m011_entry_sources,
    m012_provenance,
)

MIGRATIONS: tuple[tuple[str, str], ...] = (
    ("m001_observations", m001_observations.SQL),
    ("m002_audit", m002_audit.SQL),
    ("m003_operations", m003_operations.SQL),
    ("m004_episodes", m004_episodes.SQL),
    ("m005_entry", m005_entry.SQL),
    ("m006_links", m006_links.SQL),
    ("m007_tombstones", m007_tombstones.SQL),
    ("m008_turns", m008_turns.SQL),
    ("m009_erasures", m009_erasures.SQL),
    ("m010_outbox", m010_outbox.SQL),
    ("m011_entry_sources", m011_entry_sources.SQL),
    ("m012_provenance", m012_provenance.SQL),
)
"""Names and scripts. A name that was released is never changed; a mistake gets a new migration."""

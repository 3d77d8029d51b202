"""The SQLite ledger: the record of what an agent did and of everything that sunrise changed."""

from __future__ import annotations

from sunrise.adapters.sqlite_audit import SqliteAudit
from sunrise.adapters.sqlite_entry import SqliteEntry
from sunrise.adapters.sqlite_erasure import SqliteErasure
from sunrise.adapters.sqlite_harvest import SqliteHarvest
from sunrise.adapters.sqlite_links import SqliteLinks
from sunrise.adapters.sqlite_observations import SqliteObservations
from sunrise.adapters.sqlite_records import SqliteRecords
from sunrise.adapters.sqlite_runs import SqliteRuns
from sunrise.adapters.sqlite_stores import SqliteStores
from sunrise.adapters.sqlite_tombstones import SqliteTombstones
from sunrise.adapters.sqlite_trust import SqliteTrust
from sunrise.adapters.sqlite_turns import SqliteTurns
from sunrise.adapters.sqlite_undo import SqliteUndo
from sunrise.adapters.sqlite_upkeep import SqliteUpkeep
from sunrise.adapters.sqlite_use import SqliteUse

LEDGER_FILE = "ledger.sqlite"


class SqliteLedger(
    SqliteHarvest,
    SqliteEntry,
    SqliteTrust,
    SqliteObservations,
    SqliteLinks,
    SqliteStores,
    SqliteTombstones,
    SqliteAudit,
    SqliteRuns,
    SqliteErasure,
    SqliteUndo,
    SqliteTurns,
    SqliteRecords,
    SqliteUse,
    SqliteUpkeep,
):
    """
    The ledger on one SQLite file.

    Any number of processes may open the same file: readers never wait, writers take turns.
    """

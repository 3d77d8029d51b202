"""Steps that leave no secret in the home's own spool: what was read is blanked, in place."""

from __future__ import annotations

from pathlib import Path

from sunrise.adapters.spool_scrubbing import renewed_position, scrub_file
from sunrise.bootstrap import Home
from sunrise.errors import StoreError

_NOTE = "spool.to_scrub:"


def is_spooled(home: Home, source: str) -> bool:
    """Return whether a source is a file of the home's spool: the others belong to whoever writes them."""
    return Path(source).parent == home.spool


def remember_to_scrub(home: Home, source: str) -> None:
    """Note, in the transaction that keeps a batch, that a secret stands in what was read of it."""
    home.ledger.put_note(_NOTE + source, "waits")


def scrub_spool(home: Home) -> tuple[int, list[str]]:
    """
    Blank the secrets in the files of the spool that hold one, as far as they were read.

    Lines keep their place and their keys, so nothing is read again. Returns how many lines changed, and what
    could not be written: it is tried again the next time.
    """
    changed, complaints = 0, []
    for path in sorted(home.spool.glob("*.jsonl")):
        if home.ledger.get_note(_NOTE + str(path)) == "waits":
            try:
                changed += _scrub(home, path)
            except StoreError as error:
                complaints.append(str(error))
    return changed, complaints


def _scrub(home: Home, path: Path) -> int:
    position = home.ledger.source_position(str(path))
    changed = scrub_file(path, end=position.offset).changed if position else 0
    with home.ledger.transaction():
        if position is not None:
            home.ledger.renew_position(renewed_position(path, position), was=position)
        home.ledger.put_note(_NOTE + str(path), "done")
    return changed

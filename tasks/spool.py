"""Steps that leave no secret in the home's own spool: what was read is blanked, in place."""

from __future__ import annotations

import os
from pathlib import Path

from sunrise.adapters.spool_files import spool_files
from sunrise.adapters.spool_scrubbing import ScrubbedFile, renewed_position, scrub_file
from sunrise.bootstrap import Home
from sunrise.domain.scrubber import SECRETS, Scrubber
from sunrise.errors import StoreError

_NOTE = "spool.to_scrub:"


def remember_to_scrub(home: Home, source: str) -> None:
    """Note, in the transaction that keeps a batch, that a secret stands in what was read of it."""
    home.ledger.put_note(_NOTE + source, "waits")


def scrub_read_lines(home: Home) -> tuple[int, list[str]]:
    """
    Blank the secrets in the files of the spool that hold one, as far as they were read.

    Lines keep their place and their keys, so nothing is read again. Returns how many lines changed, and what
    could not be written: it is tried again the next time.
    """
    changed, complaints = 0, []
    for path in spool_files(home.path):
        if home.ledger.get_note(_NOTE + _source_name(path)) == "waits":
            try:
                with home.ledger.transaction():
                    changed += scrub_captures(home, path, only_read=True).changed
                    home.ledger.put_note(_NOTE + _source_name(path), "done")
            except StoreError as error:
                complaints.append(str(error))
    return changed, complaints


def scrub_captures(
    home: Home,
    path: Path,
    *,
    only_read: bool = False,
    dry_run: bool = False,
    scrubber: Scrubber = SECRETS,
) -> ScrubbedFile:
    """
    Blank the secrets in one file of captures, and keep its position good; ``only_read`` spares what is news.

    Raises:
        StoreError: The file is there and cannot be read or written.
    """
    # While the ledger is held, no harvest moves the position whose fingerprint is renewed.
    with home.ledger.transaction():
        was = home.ledger.source_position(_source_name(path))
        end = (was.offset if was else 0) if only_read else None
        done = scrub_file(path, end=end, dry_run=dry_run, scrubber=scrubber)
        if was is not None and done.changed and not dry_run:
            home.ledger.renew_position(renewed_position(path, was), was=was)
    return done


def _source_name(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")

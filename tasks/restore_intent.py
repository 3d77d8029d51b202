"""The mark of a restore under way: written before a store is touched, removed when both are whole again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from sunrise.domain.snapshots import SnapshotFault, refused
from tasks.receipt_files import write_whole

INTENT = "restore.json"
RESTORE = "restore"
"""Name of the one flow that runs while the mark is there."""
UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class Intent:
    """
    What is to be restored, and the snapshot that leads back; None until it is taken.

    While ``before`` is None no store was touched.
    """

    name: str
    before: str | None
    run_id: str


def read_intent(home: Path) -> Intent | None:
    """
    Return the mark of a restore that was not finished, or None.

    A mark that cannot be read names no snapshot; what it stands for is not finished all the same.
    """
    try:
        values = json.loads((home / INTENT).read_text(encoding="utf-8"))
        return Intent(values["name"], values["before"], values["run_id"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return Intent(UNKNOWN, None, UNKNOWN)


def write_intent(home: Path, intent: Intent) -> None:
    """Write the mark."""
    write_whole(home / INTENT, json.dumps(asdict(intent)) + "\n")


def remove_intent(home: Path) -> None:
    """Remove the mark; one that is not there is no error."""
    (home / INTENT).unlink(missing_ok=True)


def intent_of(home: Path, name: str, *, run_id: str) -> Intent:
    """
    Return the mark that a restore sets, or goes on from: of the same one, or of the way back from another.

    Raises:
        DataError: Another restore has touched the stores and was not finished; reason ``restore_unfinished``.
    """
    left = read_intent(home)
    if left is None or left.before is None:
        return Intent(name, None, run_id)
    if left.name == name:
        return left
    if left.before == name:
        return Intent(name, left.name, run_id)
    msg = f"the restore of {left.name!r} was not finished: finish it, or go back to {left.before!r}"
    raise refused(SnapshotFault.RESTORE_UNFINISHED, msg)


def check_no_restore(home: Path, flow: str) -> None:
    """
    Refuse a flow while a restore is not finished: the two stores may be of different times.

    Raises:
        DataError: One is not finished, and this flow is another; reason ``restore_unfinished``.
    """
    intent = None if flow == RESTORE else read_intent(home)
    if intent is not None:
        name = "NAME" if intent.name == UNKNOWN else intent.name
        again = f"`sunrise snapshot restore {name} --yes`"
        msg = f"a restore of snapshot {intent.name!r} was not finished; finish it with {again}"
        raise refused(SnapshotFault.RESTORE_UNFINISHED, msg)

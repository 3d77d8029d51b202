"""What the doctor looks at where something was to be erased: what did not end, and what is still held."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from sunrise.bootstrap import Home
from sunrise.domain.records import memory_ref
from sunrise.errors import StoreError
from sunrise.settings import Settings
from tasks.doctor_findings import Finding, command, ill, look
from tasks.erasure_intent import INTENT, read_erasure


def unfinished_findings(settings: Settings) -> Iterator[Finding]:
    """Look for what a killed erasure left: the one file that holds the texts that were to go."""
    path, partial = settings.home / INTENT, settings.home / f".{INTENT}"
    if not path.exists():
        if partial.exists():
            yield ill(
                "erasure",
                f"an erasure was killed as it began, and {partial} may hold what was to go",
                cure=f"Remove it with `shred -u {shlex.quote(str(partial))}`, and erase again.",
            )
        return
    try:
        left = read_erasure(settings.home)
    except StoreError:
        yield ill(
            "erasure",
            f"{path} cannot be read, and may hold what was to go",
            cure=f"Remove it with `shred -u {shlex.quote(str(path))}`, and erase again.",
        )
        return
    if not left.memory_ids:
        yield look(
            "erasure",
            f"{path} is left of an erasure that ended, and holds nothing",
            cure=f"Remove it with `rm {shlex.quote(str(path))}`.",
        )
        return
    yield ill(
        "erasure",
        f"an erasure of {len(left.memory_ids)} memories did not end, and {path} holds what was to go",
        cure=f"Finish it with {_erase(settings, left.memory_ids[0])}.",
    )


def held_findings(home: Home) -> Iterator[Finding]:
    """Look for memories that were to be erased, and of which something still holds what they said."""
    unfinished = home.ledger.erased() - home.ledger.erased(done=True)
    # What was killed is told as that.
    waiting = sorted(unfinished - {*_left(home)})
    if waiting:
        yield look(
            "erased",
            f"of {len(waiting)} memories that were erased something still holds what they said",
            cure=f"See what, and what cures it, with {_erase(home.settings, waiting[0])}.",
        )


def _left(home: Home) -> tuple[str, ...]:
    try:
        return read_erasure(home.path).memory_ids
    except StoreError:
        return ()


def _erase(settings: Settings, memory_id: str) -> str:
    return command(settings, f"forget {shlex.quote(memory_ref(memory_id))} --erase")

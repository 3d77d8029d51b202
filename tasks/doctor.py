"""Looks at a home and everything that it needs, and says what to do; it makes and changes nothing."""

from __future__ import annotations

import http.client
import os
import shlex
import shutil
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from sunrise.adapters.clock import SystemClock
from sunrise.bootstrap import embedder_of
from sunrise.ports import Clock
from sunrise.serve.tokens import Right, load_tokens
from sunrise.settings import CONFIG_FILE, Settings, load_settings
from tasks.doctor_erasure import unfinished_findings
from tasks.doctor_findings import Finding, command, guarded, ill, look, well
from tasks.doctor_ledger import ledger_findings, restore_ledger, snapshot_findings
from tasks.doctor_memories import memories_findings
from tasks.schedule_times import check_schedules

__all__ = ["Finding", "examine"]

LITTLE_ROOM, NO_ROOM = 2 << 30, 200 << 20
"""Free bytes below which a home should be looked at (a compaction writes a table anew), and is ill."""

_FOLDERS = ("spool", "spool/http", "golden", "receipts", "reports", "backups")
_ANSWER_SECONDS = 2.0
_PROBE_TEXTS = ("back up the database before a deploy", "部署前備份資料庫")


def examine(settings: Settings, *, clock: Clock | None = None) -> list[Finding]:
    """Return what stands well, what needs a look and what is ill, each that is not well with its cure."""
    at = clock or SystemClock()
    again = f"Mend it and look again with {command(settings, 'doctor')}."
    found = [
        *guarded("home", partial(_home_findings, settings), cure=again),
        *guarded("settings", partial(_settings_findings, settings), cure=again),
    ]
    if settings.home.is_dir():
        found += guarded("tokens", partial(_token_findings, settings), cure=again)
        ledger_cure = restore_ledger(settings)
        found += guarded("ledger", partial(ledger_findings, settings, at), cure=ledger_cure)
        found += guarded("erasure", partial(unfinished_findings, settings), cure=again)
        found += guarded("snapshots", partial(snapshot_findings, settings, at), cure=again)
    if settings.home.is_dir() or settings.memories.uri:
        found += memories_findings(settings, at)
    found += guarded("embedder", partial(_embedder_findings, settings), cure=_try_embedder(settings))
    found += guarded("prefect", partial(_prefect_findings, settings), cure=_install_prefect())
    return found


def room_finding(home: Path, free: int) -> Finding:
    """Return what the free bytes of a home's disk mean."""
    message = f"{free / 2**30:.1f} GiB are free"
    cure = f"See what takes the room with `du -xh -d 2 {shlex.quote(str(home))} | sort -h`."
    if free < NO_ROOM:
        return ill("disk", message, cure=cure)
    return look("disk", message, cure=cure) if free < LITTLE_ROOM else well("disk", message)


def _home_findings(settings: Settings) -> Iterator[Finding]:
    home = settings.home
    if not home.is_dir():
        yield ill("home", f"there is no home {home}", cure=f"Make it with {command(settings, 'init')}.")
        return
    closed = [path for path in (home, *(home / name for name in _FOLDERS)) if _is_closed(path)]
    for path in closed:
        quoted = shlex.quote(str(path))
        yield ill("home", f"{path} cannot be written", cure=f"Open it with `chmod u+rwx {quoted}`.")
    if not closed:
        yield well("home", str(home))
    yield room_finding(home, shutil.disk_usage(home).free)


def _is_closed(path: Path) -> bool:
    return path.exists() and not (path.is_dir() and os.access(path, os.R_OK | os.W_OK | os.X_OK))


def _settings_findings(settings: Settings) -> Iterator[Finding]:
    # They were valid when this process began; an editor may have been at work since.
    check_schedules(load_settings(settings.home))
    config = settings.home / CONFIG_FILE
    if not config.is_file():
        yield well("settings", f"there is no {config}: all settings are built in or of the environment")
        return
    yield well("settings", f"{config} and the environment are valid")


def _token_findings(settings: Settings) -> Iterator[Finding]:
    """Name the tokens that can write and were made before there was the right of the owner."""
    tokens = load_tokens(settings.home).tokens
    for token in tokens:
        name, rights = token.caller.name, token.caller.rights
        if token.is_older and Right.WRITE in rights and Right.OWNER not in rights:
            give, settle = (
                command(settings, f"token {name} --grant {one}") for one in (Right.OWNER, Right.WRITE)
            )
            yield look(
                "tokens",
                f"{name} was made before the right {Right.OWNER}: it hands on no word of the owner's",
                cure=f"If it is a gateway's, give it the right with {give}; if it is an agent's, settle that"
                f" it has not with {settle}.",
            )


def _embedder_findings(settings: Settings) -> Iterator[Finding]:
    embedder = embedder_of(settings)
    if embedder.dimension == 0:
        yield well("embedder", "none, by choice: recall searches by words")
        return
    vectors = embedder.embed(_PROBE_TEXTS)
    lengths = np.linalg.norm(vectors, axis=1)
    if vectors.shape != (len(_PROBE_TEXTS), embedder.dimension) or not np.allclose(lengths, 1, atol=1e-4):
        yield ill("embedder", f"{embedder.model_id} gives no unit vectors", cure=_try_embedder(settings))
        return
    yield well("embedder", f"{embedder.model_id} gives unit vectors of dimension {embedder.dimension}")


def _try_embedder(settings: Settings) -> str:
    # Switching search by meaning off is no cure, so the advice is to find out what the embedder lacks.
    return (
        f"Until it works recall finds memories by their words only: see what it lacks with"
        f" {command(settings, 'embedder list')}, and try it with"
        f" {command(settings, f'embedder test {settings.embedder.name}')}."
    )


def _prefect_findings(settings: Settings) -> Iterator[Finding]:
    # Importing it takes seconds and makes folders; whether it can be found is enough.
    if find_spec("prefect") is None:
        yield ill("prefect", "it is not installed", cure=_install_prefect())
        return
    where = f"{settings.prefect.host}:{settings.prefect.port}"
    release = version("prefect")
    if _answers(settings.prefect.host, settings.prefect.port):
        yield well("prefect", f"{release}, the server at {where} answers")
        return
    yield look(
        "prefect",
        f"{release} is installed, but no server answers at {where}: `sunrise up` does not run",
        cure=f"Start it with {command(settings, 'up')}, unless timers of systemd run the flows.",
    )


def _install_prefect() -> str:
    return "Install it with `pip install '.[batch]'` in the folder of the project."


def _answers(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=_ANSWER_SECONDS)
    try:
        connection.request("GET", "/api/health")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()

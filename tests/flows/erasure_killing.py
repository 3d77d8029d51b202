"""A home with a text in every place, and its erasure in a process that may kill itself, with SIGKILL."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from tests.flows.killing import NOW_MS, _around, _draw_no_charts, _freeze_the_clock, _Moments
from tests.homes import write_captures

PRELOAD = [
    "flows.erase",
    "flows.harvest",
    "flows.index",
    "flows.snapshot",
    "lancedb",
    "contracts.observations",
]
TEXT = "The key of the garden shed\nis under the third stone"
SAID = "the KEY of the  garden shed is under the third stone"
NAME = "shed-key"


def keep_everywhere(home: Any, ports: dict[str, Any]) -> None:
    """Store a text, capture what speaks of it, and put it into every other place that a home has."""
    from flows.harvest import harvest
    from sunrise.domain.store import StoreRequest
    from sunrise.online.store import store
    from tests.homes import run_body

    store(StoreRequest("The shed has two windows", id="shed-windows"), **ports)
    store(StoreRequest(TEXT, id=NAME, idempotency_key="k"), **ports)
    write_captures(
        home.spool / "shed.jsonl",
        [
            {"id": 21, "ts": NOW_MS, "kind": "note", "summary": f"Noted: {TEXT}, says the owner"},
            {"id": 22, "ts": NOW_MS, "kind": "tool", "tool_name": "memory_store", "summary": "Stored it",
             "detail": {"memory_id": NAME, "result": json.dumps({"text": TEXT})}},
            {"id": 23, "ts": NOW_MS, "kind": "note", "summary": f"{SAID}: twice said"},
            {"id": 24, "ts": NOW_MS, "kind": "note", "summary": "The weather is fine"},
            f'not json "{SAID}',
        ],
    )  # fmt: skip
    run_body(home.path, harvest, flow="harvest")
    items = [{"ref": f"mem:{NAME}", "text": TEXT}]
    home.ledger.put_note("working_set:global", json.dumps({"items": items}))
    (home.path / "evals").mkdir()
    (home.path / "evals" / "one.json").write_text(json.dumps({"query": TEXT}), encoding="utf-8")


def holding(home: Path, text: str = TEXT) -> set[str]:
    """Return the files whose bytes hold a text, as it is, as JSON has it, or as it was said once more."""
    forms = {text, json.dumps(text)[1:-1], SAID if text == TEXT else text}
    return {
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and any(form.encode() in path.read_bytes() for form in forms)
    }


def forget_and_erase(home: str, *, backups: bool = True) -> Any:
    """Do what the command does."""
    from flows.erase import erase
    from sunrise.bootstrap import open_home
    from sunrise.domain.forget import ForgetRequest
    from sunrise.online.forget import forget
    from sunrise.settings import load_settings
    from tests.fakes import FrozenClock
    from tests.homes import run_body

    with open_home(load_settings(home), clock=FrozenClock(NOW_MS)) as place:
        memories = place.memories()
        assert memories is not None
        forget(
            ForgetRequest(id=NAME), memories=memories, ledger=place.ledger, embedder=place.embedder(),
            clock=place.clock,
        )  # fmt: skip
    body = partial(erase, memory_ids=(NAME,), backups=backups)
    return run_body(Path(home), body, flow="erase", clock=FrozenClock(NOW_MS))


def erase_until(home: str, moment: int, report: str) -> None:
    """Forget and erase; at the given moment (counted from 1) the process kills itself. 0 never comes."""
    from sunrise.adapters import lance_sweep, spool_scrubbing, sqlite_sweep
    from sunrise.adapters.lance_memories import LanceMemories
    from sunrise.adapters.sqlite_connection import SqliteConnection
    from tasks import erasing, receipt_files, run_frame, snapshot, sweep_files

    passed = _Moments(moment)
    _freeze_the_clock()
    _draw_no_charts()
    for name in ("_update", "_rebuild", "_hold", "_clean_up", "_finish_holds"):
        _around(lance_sweep, name, passed)
    for name in ("_set", "_until", "_empty_log"):
        _around(sqlite_sweep, name, passed)
    for name in ("write_erasure", "remove_erasure", "remove_backups"):
        _around(erasing, name, passed)
    _around(LanceMemories, "delete", passed)
    _around(spool_scrubbing, "_write", passed)
    _around(SqliteConnection, "commit", passed)
    _around(run_frame.Run, "step", passed)
    for module in (receipt_files, snapshot, sweep_files):
        _around(module, "write_whole", passed)
    forget_and_erase(home)
    Path(report).write_text(str(passed.count), encoding="utf-8")

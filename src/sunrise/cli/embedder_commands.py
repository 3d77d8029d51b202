"""What the commands on embedders do: list them, try one, and measure one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from sunrise.adapters.embedder_checks import Check, checks
from sunrise.adapters.embedder_pace import measure
from sunrise.adapters.embedders import embedder_names
from sunrise.bootstrap import embedder_named
from sunrise.cli.exit_codes import ExitCode
from sunrise.cli.output import say
from sunrise.cli.tables import table, terminal_width
from sunrise.cli.trust_commands import terminal_text
from sunrise.errors import ConfigurationError
from sunrise.ports import Embedder
from sunrise.settings import Settings, load_settings

_KNOWN_FOR = {
    "use": "any OS, quick",
    "e5": "better, 10 to 20 times slower; the extra [e5]",
    "openai": "a service; base_url, model and dimension",
    "none": "words only",
}


def list_all(home: str | None, *, as_json: bool) -> None:
    """Print each embedder: whether it can be used, its model, and what it lacks."""
    settings = load_settings(home)
    found = [_described(name, settings) for name in embedder_names()]
    cells = [
        [
            one["name"] + ("*" if one["chosen"] else ""),
            "yes" if one["ready"] else "no",
            terminal_text(one["model_id"]) or "-",
            str(one["dimension"]) if one["ready"] else "-",
            terminal_text(one["lacks"]) or one["known_for"],
        ]
        for one in found
    ]
    header = ["name", "ready", "model", "dimension", "what it is, or lacks"]
    text = table(cells, header=header, within=terminal_width())
    say({"embedders": found}, f"{text}\n\n* named by the settings", as_json=as_json)


def try_one(home: str | None, name: str | None, *, as_json: bool) -> None:
    """Print what came of each trial, and leave with an error where one brought a fault to light."""
    chosen, embedder = _chosen(home, name)
    done = list(checks(embedder))
    faults = sum(bool(one.fault) for one in done)
    rows = [_check_row(one) for one in done]
    text = "\n".join((_headline(chosen, embedder), table(rows, header=["ms", "trial", "found"])))
    data = {"name": chosen, "model_id": embedder.model_id, "faults": faults}
    say({**data, "checks": [asdict(one) for one in done]}, text, as_json=as_json)
    if faults:
        raise SystemExit(ExitCode.FAILED)


def bench(home: str | None, name: str | None, *, texts: int, queries: int, as_json: bool) -> None:
    """Print how quick an embedder is here."""
    chosen, embedder = _chosen(home, name)
    pace = measure(embedder, texts=texts, queries=queries)
    memory = "unknown" if pace.memory_added_mb is None else f"{pace.memory_added_mb:.0f} MB"
    rows = [
        ["first text", f"{pace.first_text_s:.2f} s"],
        ["texts", f"{pace.texts_per_s:.0f} a second, of {pace.texts}"],
        ["question", f"p50 {pace.query_p50_ms:.1f} ms, p95 {pace.query_p95_ms:.1f} ms"],
        ["memory added", memory],
    ]
    text = "\n".join((_headline(chosen, embedder), table(rows, header=["what", "measured"])))
    say({"name": chosen, "model_id": embedder.model_id, **asdict(pace)}, text, as_json=as_json)


def _chosen(home: str | None, name: str | None) -> tuple[str, Embedder]:
    settings = load_settings(home)
    chosen = name or settings.embedder.name
    if chosen not in embedder_names():
        known = ", ".join(embedder_names())
        raise typer.BadParameter(f"no such embedder: {terminal_text(chosen)!r}; there are {known}")
    return chosen, embedder_named(chosen, settings)


def _described(name: str, settings: Settings) -> dict[str, Any]:
    lacks, model_id, dimension = "", "", 0
    try:
        embedder = embedder_named(name, settings)
        model_id, dimension = embedder.model_id, embedder.dimension
    except ConfigurationError as error:
        lacks = str(error)
    return {
        "name": name,
        "chosen": name == settings.embedder.name,
        "ready": not lacks,
        "model_id": model_id,
        "dimension": dimension,
        "known_for": _KNOWN_FOR.get(name, ""),
        "lacks": lacks,
    }


def _check_row(check: Check) -> list[str]:
    return [f"{check.seconds * 1000:.0f}", check.name, terminal_text(check.fault) or "well"]


def _headline(name: str, embedder: Embedder) -> str:
    return f"{name}: {terminal_text(embedder.model_id)}, {embedder.dimension} numbers\n"

"""What the command does that embeds the memories."""

from __future__ import annotations

from typing import NoReturn

from sunrise import rooms
from sunrise.cli.exit_codes import code_for
from sunrise.cli.output import say
from sunrise.cli.receipt_lines import receipt_table
from sunrise.cli.trust_commands import terminal_text
from sunrise.domain.receipts import RunReceipt
from sunrise.settings import load_settings

EMBED_FLOW = "flows.embed:embed_memories"
_COUNTED = ("seen", "embedded", "kept", "empty", "failed", "gone")


def embed(home: str | None, *, dry_run: bool, drop_old: bool, as_json: bool) -> NoReturn:
    """Embed what is missing, switch, print what came of it, and leave with the code of the verdict."""
    settings = load_settings(home)
    flow = rooms.load(EMBED_FLOW)
    receipt: RunReceipt = flow.fn(home=str(settings.home), dry_run=dry_run, drop_old=drop_old)
    told = [*_lines(receipt), *(f"{one.code}: {one.message}" for one in receipt.anomalies)]
    text = "\n".join((receipt_table([receipt]), *([""] if told else []), *told))
    say({"receipt": receipt.to_dict()}, text, as_json=as_json)
    raise SystemExit(code_for(receipt.status))


def _lines(receipt: RunReceipt) -> list[str]:
    if receipt.reason == "embedder_none":
        return ["the settings name no embedder: see `embedder.name`"]
    if "model" not in receipt.facts:
        return []
    lines = [f"model     {receipt.facts['model']}", f"before    {receipt.facts['model_before']}"]
    lines += [f"{name:<9} {receipt.counts.get(name, 0)}" for name in _COUNTED]
    lines += [f"refused   {terminal_text(ref)}" for ref in receipt.refs.get("not_embedded", ())]
    lines += [f"dropped   {name}" for name in receipt.refs.get("columns_dropped", ())]
    seconds = receipt.figures.get("estimated_seconds")
    return [*lines, f"would take about {_told(seconds)}"] if seconds is not None else lines


def _told(seconds: float) -> str:
    """
    Return a time in words.

    >>> _told(42.4), _told(5400)
    ('42 s', '90 min')
    """
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"

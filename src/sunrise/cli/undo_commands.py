"""What the commands do that take a run back and that grade anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn

import typer

from sunrise import rooms
from sunrise.cli.exit_codes import code_for
from sunrise.cli.moments import milliseconds
from sunrise.cli.output import say
from sunrise.cli.receipt_lines import receipt_table
from sunrise.cli.trust_commands import terminal_text
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.settings import Settings, load_settings

UNDO_FLOW = "flows.undo:undo_run"
REGRADE_FLOW = "flows.regrade:regrade_importance"


def undo_run(home: str | None, run_id: str, *, over_later: bool, dry_run: bool, as_json: bool) -> NoReturn:
    """Take back what a run changed, print what came of it, and leave with the code of the verdict."""
    from sunrise.bootstrap import open_home

    settings = load_settings(home)
    with open_home(settings) as place:
        known = rooms.load("tasks.undo:is_known")(place, run_id)
    if not known:
        raise typer.BadParameter(
            f"no run has this id: {terminal_text(run_id)}; see `sunrise receipts --json`"
        )
    receipt = run_on_demand(UNDO_FLOW, settings, run_id=run_id, dry_run=dry_run, over_later=over_later)
    leave(receipt, _undo_lines(receipt), as_json=as_json)


def regrade(
    home: str | None,
    *,
    scorer: str | None,
    since: str | None,
    scope: str | None,
    force: Sequence[str],
    preview: bool,
    as_json: bool,
) -> NoReturn:
    """Grade anew, or show what would move, and leave with the code of the verdict."""
    settings = load_settings(home)
    since_ms = None if since is None else milliseconds(since, settings.timezone, option="--since")
    _check(scorer, force)
    _check_scope(settings, scope)
    asked = {"scorer": scorer, "since_ms": since_ms, "scope": scope, "force": tuple(force)}
    receipt = run_on_demand(REGRADE_FLOW, settings, dry_run=preview, **asked)
    leave(receipt, _regrade_lines(receipt), as_json=as_json)


def run_on_demand(target: str, settings: Settings, **parameters: Any) -> RunReceipt:
    """Run a flow that only an operator starts, in this process, and return its receipt."""
    receipt: RunReceipt = rooms.load(target).fn(home=str(settings.home), **parameters)
    return receipt


def leave(receipt: RunReceipt, lines: Sequence[str], *, as_json: bool) -> NoReturn:
    """Print a receipt with what there is to say of it, and leave with the code of its verdict."""
    told = [*lines, *(f"{one.code}: {one.message}" for one in receipt.anomalies)]
    text = "\n".join((receipt_table([receipt]), *([""] if told else []), *told))
    say({"receipt": receipt.to_dict()}, text, as_json=as_json)
    raise SystemExit(code_for(receipt.status))


def _check(scorer: str | None, force: Sequence[str]) -> None:
    scorers, fields = rooms.load("tasks.regrade:own_methods")(), rooms.load("tasks.regrade:FORCEABLE")
    if scorer is not None and scorer not in scorers:
        raise typer.BadParameter(f"no such scorer: {scorer!r}; there are {', '.join(sorted(scorers))}")
    if unknown := [name for name in force if name not in fields]:
        raise typer.BadParameter(f"no such field: {', '.join(unknown)}; there are {', '.join(fields)}")


def _check_scope(settings: Settings, scope: str | None) -> None:
    """Check that the ledger has rows of the scope; there a row without one is in none."""
    if scope is None:
        return
    from sunrise.bootstrap import open_home
    from sunrise.cli.known_names import none_of

    with open_home(settings) as place:
        rows = place.ledger.distribution().to_pylist()
    counts: Counter[str] = Counter()
    for row in rows:
        if row["scope"]:
            counts[row["scope"]] += row["rows"]
    if counts and scope not in counts:
        raise typer.BadParameter(none_of("scope", scope, counts))


def _undo_lines(receipt: RunReceipt) -> list[str]:
    if receipt.reason == "run_changed_nothing":
        return ["the run changed nothing: there is nothing to undo"]
    lines = [
        f"{verdict:<12} {field:<18} {fields}"
        for verdict in ("restored", "already_so", "skipped")
        for field, fields in sorted(receipt.groups.get(f"{verdict}_by_field", {}).items())
    ]
    lines += [f"left alone   {terminal_text(ref)}" for ref in receipt.refs.get("skipped", ())]
    over = receipt.counts.get("restored_over_later", 0)
    lines += [f"{over} of these over a later run"] if over else []
    return [*lines, *run_line(receipt, "restored")]


def _regrade_lines(receipt: RunReceipt) -> list[str]:
    moves = sorted(receipt.groups.get("label_moves", {}).items())
    lines = [f"{move:<32} {rows}" for move, rows in moves]
    lines += [f"such as  {ref}" for ref in receipt.refs.get("samples", ())]
    return [*lines, *run_line(receipt, "regraded")]


def run_line(receipt: RunReceipt, count: str) -> list[str]:
    """Return the line that names the run, so that it can be undone, where it changed something."""
    is_done = receipt.status in (RunStatus.OK, RunStatus.ANOMALY) and not receipt.dry_run
    return [f"run      {receipt.run_id}"] if is_done and receipt.counts.get(count) else []

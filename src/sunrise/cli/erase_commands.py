"""What the command does that forgets a memory and erases it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from sunrise import rooms
from sunrise.cli.exit_codes import ExitCode, code_for
from sunrise.cli.output import say
from sunrise.cli.store_commands import FORGOTTEN, forgotten, forgotten_data, forgotten_lines
from sunrise.domain.erasure import ERASE, erasure_to_dict, is_complete, places, still_holding
from sunrise.domain.forget import ForgetStatus
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.records import memory_ref
from sunrise.domain.schedule import ON_DEMAND_ENTRYPOINTS
from sunrise.settings import load_settings


def erase_memory(home: str | None, *, asked: Mapping[str, Any], backups: bool, as_json: bool) -> NoReturn:
    """
    Forget a memory and take its text out of every store; leave with the code of the erasure's verdict.

    One that was forgotten before is erased too.
    """
    settings = load_settings(home)
    module, _, name = ON_DEMAND_ENTRYPOINTS[ERASE].rpartition(".")
    # Before anything is forgotten: an installation without flows could not go on.
    flow = rooms.load(f"{module}:{name}")
    result = forgotten(home, asked=asked)
    if result.status not in (ForgetStatus.FORGOTTEN, ForgetStatus.ALREADY):
        say(forgotten_data(result), "\n".join(forgotten_lines(result)), as_json=as_json)
        raise SystemExit(FORGOTTEN.get(result.status, ExitCode.OK))
    receipt: RunReceipt = flow.fn(
        [ref.removeprefix(memory_ref("")) for ref in result.refs],
        home=str(settings.home),
        with_derived=bool(asked.get("with_derived")),
        backups=backups,
    )
    data = {**forgotten_data(result), "erasure": erasure_to_dict(receipt)}
    say(data, "\n".join((*forgotten_lines(result), *_lines(receipt))), as_json=as_json)
    raise SystemExit(code_for(receipt.status))


def _lines(receipt: RunReceipt) -> list[str]:
    found = [(place, counts) for place, counts in places(receipt).items() if counts["found"]]
    lines = [f"{'erased':<12} {place} {counts['erased']} of {counts['found']}" for place, counts in found]
    lines += [f"{'still holds':<12} {one.name} ({one.kind})" for one in still_holding(receipt)]
    lines += [f"{one.code}: {one.message}" for one in receipt.anomalies]
    return [*lines, f"{'complete':<12} {'yes' if is_complete(receipt) else 'no'}"]

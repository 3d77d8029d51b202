"""What the command does that forgets a memory and erases it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from sunrise import client
from sunrise.cli.exit_codes import ExitCode, code_for
from sunrise.cli.output import say
from sunrise.cli.service_answers import asked_of_service, body_of
from sunrise.cli.store_commands import FORGOTTEN, forgotten_lines, sensible
from sunrise.domain.answers import erase_answer_of
from sunrise.domain.forget import ForgetRequest, ForgetStatus
from sunrise.domain.receipts import RunStatus
from sunrise.settings import load_settings

PATIENCE_S: Final = 600.0
"""An erasure looks through every file of a home."""


def erase_memory(
    home: str | None, *, asked: Mapping[str, Any], backups: bool, as_json: bool, verbose: bool = False
) -> NoReturn:
    """
    Forget a memory and take its text out of every store; leave with the code of the erasure's verdict.

    One that was forgotten before is erased too.
    """
    with sensible():
        ForgetRequest(**asked)
    body = {**body_of(asked), "backups": backups}
    data = asked_of_service(home, "/v1/erase", body, verbose=verbose, timeout_s=PATIENCE_S)
    if data is None:
        more = {name: value for name, value in asked.items() if name != "id"}
        with sensible(), client.open(home) as memories:
            data = erase_answer_of(memories.erase(asked["id"], backups=backups, **more))
    erasure = data["erasure"]
    lines = forgotten_lines(data, zone=load_settings(home).timezone)
    if erasure is None:
        say(data, "\n".join(lines), as_json=as_json)
        raise SystemExit(FORGOTTEN.get(ForgetStatus(data["status"]), ExitCode.OK))
    say(data, "\n".join((*lines, *_lines(erasure))), as_json=as_json)
    raise SystemExit(code_for(RunStatus(erasure["status"])))


def _lines(erasure: Mapping[str, Any]) -> list[str]:
    found = [(place, counts) for place, counts in erasure["places"].items() if counts["found"]]
    lines = [f"{'erased':<12} {place} {counts['erased']} of {counts['found']}" for place, counts in found]
    lines += [f"{'still holds':<12} {one['path']} ({one['kind']})" for one in erasure["stillHolds"]]
    lines += [f"{one['code']}: {one['message']}" for one in erasure["anomalies"]]
    return [*lines, f"{'complete':<12} {'yes' if erasure['complete'] else 'no'}"]

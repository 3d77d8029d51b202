"""What the commands do that look at memories, ask them, and bring one back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
from pydantic.alias_generators import to_camel

from sunrise import client, rooms
from sunrise.cli.exit_codes import code_for
from sunrise.cli.known_names import check_names
from sunrise.cli.memory_lines import DEFAULT_WIDTH, memory_table, observation_table, record_lines, stats_lines
from sunrise.cli.moments import milliseconds
from sunrise.cli.output import say
from sunrise.cli.service_answers import (
    asked_of_service,
    get_result,
    list_result,
    stats_result,
    timeline_result,
)
from sunrise.cli.tables import terminal_width
from sunrise.cli.trust_commands import terminal_text
from sunrise.domain.admin import AdminReceipt
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.record_requests import ReviveStatus
from sunrise.errors import DataError, StoreError
from sunrise.online.admin_get import AMBIGUOUS, NOT_FOUND
from sunrise.online.admin_trail import FAILED, NO_TABLE
from sunrise.settings import load_settings

_NO_MEMORIES = "there are no memories yet"


def list_memories(
    home: str | None,
    wanted: Mapping[str, str | None],
    *,
    since: str | None,
    limit: int,
    cursor: str | None,
    quarantined: bool,
    as_json: bool,
    verbose: bool = False,
) -> None:
    """Print one page of memories, and how to go on."""
    zone = load_settings(home).timezone
    meant = asked(wanted, since, zone)
    body = {to_camel(name): value for name, value in meant.items()}
    body |= {"limit": limit, "cursor": cursor, "withQuarantinedTexts": quarantined}
    answer = asked_of_service(home, "/v1/list", body, verbose=verbose)
    if answer is not None:
        found = list_result(answer)
    else:
        with usage_errors(), client.open(home, read_only=True) as memories:
            found = memories.list(limit=limit, cursor=cursor, with_quarantined_texts=quarantined, **meant)
    check(found.receipt)
    if not found.total:
        check_names(home, wanted)
    if not found.items:
        text = _NO_MEMORIES if found.receipt.reason == NO_TABLE else "no memory is like that"
    else:
        text = memory_table(found.items, within=terminal_width() or DEFAULT_WIDTH)
        text += f"\n\n{len(found.items)} of {found.total}"
        text += f"; go on with --cursor {found.next_cursor}" if found.next_cursor else ""
    say(found.to_dict(), text, as_json=as_json)


def stats(
    home: str | None, *, scope: str | None, vectors: bool, as_json: bool, verbose: bool = False
) -> None:
    """Print figures."""
    zone = load_settings(home).timezone
    body = {"scope": scope, "withVectors": vectors}
    answer = asked_of_service(home, "/v1/stats", body, verbose=verbose)
    if answer is not None:
        found = stats_result(answer)
    else:
        with usage_errors(), client.open(home, read_only=True) as memories:
            found = memories.stats(scope, with_vectors=vectors)
    check(found.receipt)
    if not found.stats.rows:
        check_names(home, {"scope": scope})
    text = _NO_MEMORIES if found.receipt.reason == NO_TABLE else stats_lines(found.stats, zone=zone)
    say(found.to_dict(), text, as_json=as_json)


def get(home: str | None, ref: str, *, quarantined: bool, as_json: bool, verbose: bool = False) -> None:
    """Print one record."""
    zone = load_settings(home).timezone
    body = {"ref": ref, "withQuarantinedTexts": quarantined}
    answer = asked_of_service(home, "/v1/get", body, verbose=verbose)
    if answer is not None:
        found = get_result(answer)
    else:
        with usage_errors(), client.open(home, read_only=True) as memories:
            found = memories.get(ref, with_quarantined_texts=quarantined)
    _check_found(ref, found.receipt.reason, found.candidates)
    check(found.receipt)
    text = "\n".join((record_lines(found, zone=zone), *found.receipt.warnings))
    say(found.to_dict(), text, as_json=as_json)


def timeline(
    home: str | None,
    ref: str | None,
    *,
    at: str | None,
    scope: str | None,
    hours: float,
    before: int,
    after: int,
    quarantined: bool,
    as_json: bool,
    verbose: bool = False,
) -> None:
    """Print what was captured around a record or a moment."""
    zone = load_settings(home).timezone
    at_ms = None if at is None else milliseconds(at, zone, option="--at")
    around: dict[str, Any] = {
        "at_ms": at_ms,
        "scope": scope,
        "window_ms": int(hours * 3_600_000),
        "before": before,
        "after": after,
        "with_quarantined_texts": quarantined,
    }
    body = {"ref": ref, **{to_camel(name): value for name, value in around.items()}}
    answer = asked_of_service(home, "/v1/timeline", body, verbose=verbose)
    if answer is not None:
        found = timeline_result(answer)
    else:
        with usage_errors(), client.open(home, read_only=True) as memories:
            found = memories.timeline(ref, **around)
    _check_found(ref or "", found.receipt.reason, ())
    check(found.receipt)
    width = terminal_width() or DEFAULT_WIDTH
    text = (
        observation_table(found.items, anchor=found.anchor, within=width)
        if found.items
        else "nothing was captured then"
    )
    say(found.to_dict(), text, as_json=as_json)


def revive(home: str | None, ref: str, *, dry_run: bool, as_json: bool, verbose: bool = False) -> None:
    """Bring an archived or replaced record back."""
    body = {"ref": ref, "dryRun": dry_run}
    data = asked_of_service(home, "/v1/revive", body, verbose=verbose)
    if data is None:
        with usage_errors(), client.open(home, read_only=dry_run) as memories:
            data = memories.revive(ref, dry_run=dry_run).to_dict()
    _check_found(ref, data["receipt"]["reason"], data["candidates"])
    if data["status"] == ReviveStatus.FORGOTTEN:
        raise typer.BadParameter("its memory was forgotten: store it again with `sunrise store --again`")
    shown = terminal_text(data["ref"] or ref)
    if data["status"] == ReviveStatus.NOT_ARCHIVED:
        text = f"{shown} is neither archived nor replaced"
    elif data["runId"] is None:
        text = f"{shown} would be revived"
    else:
        text = f"revived  {shown}\nrun      {data['runId']}"
    say(data, text, as_json=as_json)


def mend_ids(home: str | None, *, dry_run: bool, as_json: bool) -> NoReturn:
    """Give memories ids of their own, or show to which, and leave with the code of the verdict."""
    settings = load_settings(home)
    receipt: RunReceipt = rooms.load("tasks.own_ids:mend_ids")(str(settings.home), dry_run=dry_run)
    say({"receipt": receipt.to_dict()}, "\n".join(_id_lines(receipt)), as_json=as_json)
    raise SystemExit(code_for(receipt.status))


def _id_lines(receipt: RunReceipt) -> list[str]:
    if receipt.status is not RunStatus.OK:
        return [f"{receipt.status}: {receipt.reason or 'nothing was changed'}"]
    counts = receipt.counts
    if not counts["mended"] + counts["left"]:
        return ["every memory has an id of its own"]
    refs = list(map(terminal_text, receipt.refs["renamed"]))
    more = [f"and {rest} more"] if (rest := counts["mended"] + counts["left"] - len(refs)) > 0 else []
    if receipt.dry_run:
        told = f"{counts['mended']} memories would get an id of their own, {counts['kept']} would keep theirs"
        lines = [f"{'would get one':<14} {ref}" for ref in refs]
        return [*lines, *more, told, "give them with: sunrise mend-ids --apply"]
    lines = [f"{ref} is {new}" for ref, new in zip(refs, receipt.refs["ids"], strict=True)]
    left = f"; {counts['left']} changed meanwhile: run it again" if counts["left"] else ""
    told = f"{counts['mended']} memories got an id of their own{left}"
    return [*lines, *more, told, f"run      {receipt.run_id}"]


def asked(wanted: Mapping[str, str | None], since: str | None, zone: str) -> dict[str, Any]:
    """Return the fields of a filter, as the command line gave them."""
    since_ms = None if since is None else milliseconds(since, zone, option="--since")
    return {**wanted, "since_ms": since_ms}


def check(receipt: AdminReceipt) -> None:
    """
    Check that a store answered.

    Raises:
        StoreError: It did not.
    """
    if receipt.reason == FAILED:
        raise StoreError("the memories cannot be read: see `sunrise doctor`")


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn what was asked wrongly into an error of the command line."""
    try:
        yield
    except DataError as error:
        raise typer.BadParameter(str(error)) from error


def _check_found(ref: str, reason: str | None, candidates: Sequence[str]) -> None:
    if reason == NO_TABLE:
        raise typer.BadParameter(_NO_MEMORIES)
    if reason == AMBIGUOUS:
        named = ", ".join(
            [*map(terminal_text, candidates[:5]), *(["and more"] if len(candidates) > 5 else [])]
        )
        raise typer.BadParameter(
            f"several memories are called that, or begin so: {named}" if named else "several do"
        )
    if reason == NOT_FOUND:
        raise typer.BadParameter(f"no record has this ref: {terminal_text(ref)}; see `sunrise list`")

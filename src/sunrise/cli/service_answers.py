"""What the running service answers, as the results that this process would have made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.alias_generators import to_camel

from sunrise.adapters.service_client import TIMEOUT_S, ask_service
from sunrise.cli.quick_recall import home_of
from sunrise.cli.recall_lines import print_path
from sunrise.domain.admin import AdminReceipt, Backend, ListResult, MemoryStats, StatsResult
from sunrise.domain.record_requests import GetResult, TimelineResult
from sunrise.domain.record_views import MemoryView, ObservationView, RecordedChange, RecordLink, Usage
from sunrise.domain.transfer import ExportResult

Answer = Mapping[str, Any]


def asked_of_service(
    home: str | None, path: str, body: Mapping[str, Any], *, verbose: bool, timeout_s: float = TIMEOUT_S
) -> dict[str, Any] | None:
    """Return what the running service answers, None where this process has to; say which where asked for."""
    said = {name: value for name, value in body.items() if value is not None}
    answer = ask_service(home_of(home), path, said, timeout_s=timeout_s)
    say_path(answer, verbose=verbose)
    return answer


def body_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the service is asked, by the names that it reads."""
    return {to_camel(name): whole(value) for name, value in asked.items()}


def whole(value: Any) -> Any:
    """Return a value that is a whole text if it is one: bytes that are no UTF-8 come as halves of pairs."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return value


def list_result(answer: Answer) -> ListResult:
    """Return a page of memories."""
    items = tuple(MemoryView(**one) for one in answer["items"])
    return ListResult(items, answer["nextCursor"], answer["total"], _receipt(answer["receipt"]))


def stats_result(answer: Answer) -> StatsResult:
    """Return figures."""
    return StatsResult(MemoryStats(**answer["stats"]), _receipt(answer["receipt"]))


def get_result(answer: Answer) -> GetResult:
    """Return one record."""
    memory, observation = answer["memory"], answer["observation"]
    return GetResult(
        receipt=_receipt(answer["receipt"]),
        memory=None if memory is None else MemoryView(**memory),
        observation=None if observation is None else ObservationView(**observation),
        candidates=tuple(answer["candidates"]),
        has_more=answer.get("has_more", False),
        changes=tuple(RecordedChange(**one) for one in answer["changes"]),
        links=tuple(RecordLink(**one) for one in answer["links"]),
        usage=Usage(**answer["usage"]),
    )


def timeline_result(answer: Answer) -> TimelineResult:
    """Return what was captured around a record or a moment."""
    items = tuple(ObservationView(**one) for one in answer["items"])
    receipt = _receipt(answer["receipt"])
    return TimelineResult(receipt=receipt, at_ms=answer["at_ms"], anchor=answer["anchor"], items=items)


def export_result(answer: Answer) -> ExportResult:
    """Return how many memories were written."""
    return ExportResult(answer["exported"], answer["leftOut"], _receipt(answer["receipt"]))


def say_path(answer: object, *, verbose: bool) -> None:
    """Say who answered, where that was asked for: without an answer of the service it was this process."""
    if verbose:
        print_path("this process" if answer is None else "the service")


def _receipt(said: Answer) -> AdminReceipt:
    where = said["backend"]
    return AdminReceipt(
        op=said["op"],
        at_ms=said["atMs"],
        backend=Backend(where["dbPath"], where["tableName"], where["version"]),
        filters=said["filters"],
        counts=said["counts"],
        latency_ms=said["latencyMs"],
        warnings=tuple(said["warnings"]),
        reason=said["reason"],
    )

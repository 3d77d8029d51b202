"""The reference page of the receipt: fields, statuses, and every code that a receipt may carry."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path

from docs.code_meanings import ANOMALIES, FIELDS, REASONS, REFUSALS, STATUSES
from docs.markdown import code, page, table
from sunrise.cli.exit_codes import code_for
from sunrise.domain.capture import RejectReason
from sunrise.domain.memory_lines import LineFault
from sunrise.domain.receipts import MAX_REFS, RECEIPT_SCHEMA, RunReceipt, RunStatus
from sunrise.domain.snapshots import SnapshotFault

ROOT = Path(__file__).resolve().parents[1]
# A reason with a dot is made up of two parts; the reader's own have none.
_PLAIN = {name: meaning for name, meaning in REFUSALS.items() if "." not in name}


def receipt_page() -> str:
    """
    Return the page of the receipt.

    Raises:
        ValueError: The code has a field, status or reason that :mod:`docs.code_meanings` does not explain.
    """
    fields = {field.name: field for field in dataclasses.fields(RunReceipt)}
    _same("fields", set(fields), FIELDS)
    _same("statuses", set(map(str, RunStatus)), STATUSES)
    anomalies, reasons = codes_in_rooms()
    _same("anomaly codes", anomalies, ANOMALIES)
    _same("reasons", reasons, REASONS)
    _same("refusal reasons", {*map(str, RejectReason), *map(str, LineFault)}, _PLAIN)
    statuses = [(f"`{s}`", STATUSES[s], str(int(code_for(RunStatus(s))))) for s in map(str, RunStatus)]
    return page(
        "Receipt",
        f"A receipt is one JSON object, schema `{RECEIPT_SCHEMA}`. It stands in `receipts/YYYY/MM/` and in "
        "the table `runs` of the ledger. It holds counts and record refs, never the text of a memory.",
        table(("field", "type", "meaning"), [_field(name, fields[name].type) for name in fields]),
        f"A kind of refs holds at most {MAX_REFS}; the count beside it is whole.",
        "## Statuses",
        table(("status", "meaning", "exit code"), statuses),
        "## Reasons",
        "`reason` says why a run was skipped, was busy or failed. A `DataError` of a store or a reader puts "
        "its own reason there.",
        table(("reason", "meaning"), _rows(REASONS)),
        "## Anomalies",
        "Each anomaly has a code, a message and a count.",
        table(("code", "meaning"), _rows(ANOMALIES)),
        "## Refusals",
        "A line or row that is refused stands in the table `quarantine` with one of these reasons.",
        table(("reason", "meaning"), _rows(REFUSALS)),
        "A contract refuses with `column.code`, for example `importance.out_of_range`. The codes:",
        code("missing  not_allowed  out_of_range  not_unique  bad_length  bad_form"),
        "A check of a whole row has its own name as its reason, for example `names_an_answer`. The columns "
        "and checks are in [contracts](contracts.md).",
    )


def codes_in_rooms() -> tuple[set[str], set[str]]:
    """Return the anomaly codes and the reasons that stand as texts in the flows, the tasks and the reaper."""
    anomalies: set[str] = set()
    reasons: set[str] = set()
    files = [*ROOT.glob("flows/*.py"), *ROOT.glob("tasks/**/*.py"), *ROOT.glob("contracts/*.py")]
    own = [ROOT / "src/sunrise" / name for name in ("adapters/sqlite_runs.py", "online/admin_import.py")]
    for path in [*files, *own]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                anomalies |= set(_anomalies(node))
                reasons |= set(_reasons(node))
            elif path.name == "run_frame.py" and isinstance(node, ast.Return):
                reasons |= set(_returned(node))
    # Why a snapshot is refused, stands there as a name.
    return anomalies, reasons | set(map(str, SnapshotFault))


def _anomalies(call: ast.Call) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in {"anomaly", "Anomaly"} and call.args:
        yield from _texts(call.args[0])


def _reasons(call: ast.Call) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "SkipRun" and call.args:
        yield from _texts(call.args[0])
    if name in {"_close", "closed", "DataError"}:
        for keyword in call.keywords:
            if keyword.arg == "reason":
                yield from _texts(keyword.value)


def _returned(node: ast.Return) -> Iterator[str]:
    # `return status, reason` of the verdict, and the two codes of errors.
    if isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2:
        yield from _texts(node.value.elts[1])
    if isinstance(node.value, ast.IfExp):
        yield from _texts(node.value.body)
        yield from _texts(node.value.orelse)


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _same(what: str, found: set[str], explained: Mapping[str, str]) -> None:
    unexplained, gone = sorted(found - explained.keys()), sorted(explained.keys() - found)
    if unexplained or gone:
        msg = f"docs/code_meanings.py, {what}: to be explained {unexplained}, no longer there {gone}"
        raise ValueError(msg)


def _field(name: str, kind: object) -> tuple[str, str, str]:
    return f"`{name}`", f"`{kind}`", FIELDS[name]


def _rows(meanings: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(f"`{name}`", meaning) for name, meaning in sorted(meanings.items())]

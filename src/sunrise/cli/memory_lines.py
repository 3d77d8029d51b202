"""Memories, observations and figures as lines for a terminal, eighty columns wide if need be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sunrise.cli.moments import when
from sunrise.cli.tables import columns_of, shortened, table
from sunrise.cli.trust_commands import beginning, terminal_text
from sunrise.domain.admin import MemoryStats
from sunrise.domain.record_requests import SHORTEST_PREFIX, GetResult
from sunrise.domain.record_views import MemoryView, ObservationView

DEFAULT_WIDTH: Final = 80
WITHHELD: Final = "(withheld)"

_SCOPE_COLUMNS: Final = 10
_LABELS: Final = {"must_remember": "must", "nice_to_have": "nice", "ignore": "ignore"}


def memory_table(items: Sequence[MemoryView], *, within: int | None = None) -> str:
    """Return one line a memory: a ref that the other commands take, time, label, scope, beginning of text."""
    cells = [
        [
            _short_ref(one.ref),
            one.date or "-",
            _LABELS.get(one.importance_label or "", "-"),
            shortened(terminal_text(one.scope or "-"), _SCOPE_COLUMNS),
            _text(one.text),
        ]
        for one in items
    ]
    return _fitted(cells, header=["ref", "when", "label", "scope", "text"], within=within)


def observation_table(
    items: Sequence[ObservationView], *, anchor: str | None, within: int | None = None
) -> str:
    """Return one line an observation, the one that was asked about marked with an arrow."""
    cells = [
        [
            ">" if anchor is not None and anchor in (one.ref, one.memory_ref) else "",
            one.ref,
            one.date,
            shortened(terminal_text(one.tool_name or one.kind), _SCOPE_COLUMNS),
            _text(one.text),
        ]
        for one in items
    ]
    return _fitted(cells, header=["", "ref", "when", "kind", "text"], within=within)


def record_lines(found: GetResult, *, zone: str) -> str:
    """Return one record whole: its fields, its text, its links and its changes."""
    lines: list[str] = []
    for one in (found.memory, found.observation):
        if one is not None:
            lines += _fields(one, zone)
    use = found.usage
    if use.last_used_ms or use.last_retrieved_ms or use.included_count:
        last = when(use.last_used_ms or use.last_retrieved_ms, zone)
        lines.append(f"{'used':<16} {last}, put before the agent {use.included_count} times")
    lines += [f"{'named by':<16} {link.ref} ({link.origin})" for link in found.links]
    if found.changes:
        changes = [
            [when(one.at_ms, zone), one.field, *map(terminal_text, (one.before, one.after, one.reason))]
            for one in found.changes
        ]
        lines += ["", table(changes, header=["changed", "field", "from", "to", "why"])]
        lines += ["", *dict.fromkeys(f"run  {one.run_id}" for one in found.changes)]
    return "\n".join(lines)


def stats_lines(stats: MemoryStats, *, zone: str) -> str:
    """Return the figures, group by group."""
    head = [
        f"{'memories':<16} {stats.rows}",
        f"{'table':<16} {stats.table_bytes / 1e6:.1f} MB, {stats.table_versions} versions",
        f"{'oldest, newest':<16} {when(stats.oldest_ms, zone)}, {when(stats.newest_ms, zone)}",
        f"{'without terms':<16} {stats.without_terms}",
    ]
    if stats.without_vector is not None:
        head.append(f"{'without vector':<16} {stats.without_vector}")
    if stats.without_id:
        head.append(f"{'without id':<16} {stats.without_id}")
    groups = [_group(f"by {kind}", counts) for kind, counts in stats.by.items()]
    return "\n".join([*head, *groups, _group("by age", stats.ages)])


def _fitted(cells: list[list[str]], *, header: list[str], within: int | None) -> str:
    """Return a table of which each row is one line: the last cell is cut where there is no room for it."""
    if within is not None and cells:
        columns = list(zip(header, *cells, strict=True))[:-1]
        taken = sum(max(map(columns_of, column)) + 2 for column in columns)
        cells = [[*row[:-1], shortened(row[-1], max(20, within - taken))] for row in cells]
    return table(cells, header=header)


def _short_ref(ref: str) -> str:
    kind, _, key = ref.partition(":")
    is_uuid = len(key) == 36 and key.count("-") == 4
    return f"{kind}:{key[:SHORTEST_PREFIX]}" if is_uuid else terminal_text(ref)


def _text(text: str | None) -> str:
    return WITHHELD if text is None else beginning(text)


def _fields(one: MemoryView | ObservationView, zone: str) -> list[str]:
    moments = tuple(name for name in one.__dataclass_fields__ if name.endswith("at_ms"))
    lines = []
    for name in one.__dataclass_fields__:
        value = getattr(one, name)
        if value is None or value is False or name in ("text", "date"):
            continue
        shown = when(value, zone) if name in moments else terminal_text(str(value))
        lines.append(f"{name.removesuffix('_ms').replace('_', ' '):<16} {shown}")
    text = WITHHELD if one.text is None else "\n".join(map(terminal_text, one.text.splitlines()))
    return [*lines, "", text, ""]


def _group(name: str, counts: Mapping[str, int]) -> str:
    rows = [[terminal_text(key), str(count)] for key, count in counts.items() if count]
    return f"\n{table(rows, header=[name, 'memories'])}" if rows else ""

"""A receipt of auto-recall on one screen: of every memory why it was there or was not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sunrise.domain.auto_recall_receipt import AutoRecallReceipt, Fate, Outcome

COLUMNS: Final = 80
LINES: Final = 40

_LONG_ID: Final = 12
_SHOWN_ID: Final = 8
"""As many characters of a long id tell it from others, and can be given to a command instead of it."""


def explain_lines(receipt: AutoRecallReceipt) -> list[str]:
    """
    Return at most :data:`LINES` lines of at most :data:`COLUMNS` columns.

    Each memory stands under what became of it. Where there are too many of one kind the rest is counted.

    >>> tea = Outcome(ref="mem:tea", fate=Fate.SELECTED, why="must", tier="must", score=0.5)
    >>> milk = Outcome(ref="mem:milk", fate=Fate.LEFT_OUT, why="must_cap", tier="must", score=0.4, times=2)
    >>> for line in explain_lines(AutoRecallReceipt(at_ms=0, turn=3, outcomes=(tea, milk))):
    ...     print(line)
    turn 3, scope global (default): selected 1 of 2 found
    tier_quota_v1, found must 2, nice 0, unknown 0, ignore 0
    selected (1)
      mem:tea      must    0.500 must
    left out (1)
      must_cap (1): mem:milk
    """
    lines = [_head(receipt), *_scopes(receipt)]
    if receipt.skip_reason is None:
        lines += [*_rules(receipt), *_lanes(receipt, _Names(receipt))]
    return [_fitted(line) for line in (*lines, *_foot(receipt))]


class _Names(dict[str, str]):
    """A short name for each ref, unless two of a receipt would have the same."""

    def __init__(self, receipt: AutoRecallReceipt) -> None:
        shown: dict[str, set[str]] = {}
        for one in receipt.outcomes:
            shown.setdefault(_short(one.ref), set()).add(one.ref)
        super().__init__({refs.pop(): name for name, refs in shown.items() if len(refs) == 1})

    def __missing__(self, ref: str) -> str:
        return ref

    def with_reason(self, outcome: Outcome) -> str:
        why = self[outcome.why] if outcome.fate is Fate.BACKBONE else outcome.why
        return f"{self[outcome.ref]} ({why})"


def _short(ref: str) -> str:
    kind, colon, name = ref.partition(":")
    return kind + colon + name[:_SHOWN_ID] if len(name) > _LONG_ID else ref


def _head(receipt: AutoRecallReceipt) -> str:
    place = f"turn {receipt.turn}, scope {receipt.scope.scope} ({receipt.scope.source})"
    if receipt.skip_reason is not None:
        return f"{place}: nothing was looked up, {receipt.skip_reason}"
    return f"{place}: selected {len(receipt.of(Fate.SELECTED))} of {len(receipt.found)} found"


def _scopes(receipt: AutoRecallReceipt) -> list[str]:
    scope = receipt.scope
    if scope.fallbacks:
        return [f"looked in other scopes too: {', '.join(scope.fallbacks)}"]
    return [f"looked in no other scope: {scope.suppressed}"] if scope.suppressed else []


def _rules(receipt: AutoRecallReceipt) -> list[str]:
    quota = receipt.quota
    lines = [f"{receipt.selection_mode}, found {_counted(receipt.tier_candidates)}"]
    if quota.must_max or quota.nice_min or quota.unknown_max:
        shares = f"must at most {quota.must_max}, nice at least {quota.nice_min}"
        rest = f"wildcards {quota.wildcard_used}, spilled {quota.spilled}"
        lines.append(f"{shares}, unknown at most {quota.unknown_max}; {rest}")
    return lines


def _lanes(receipt: AutoRecallReceipt, names: _Names) -> list[str]:
    of, turns = receipt.of, receipt.window_turns
    selected = [_row(one, names, turns) for one in of(Fate.SELECTED)]
    suppressed = [_row(one, names, turns) for one in of(Fate.SUPPRESSED)]
    left_out = _reasons(of(Fate.LEFT_OUT), names)
    return [
        *_listed("pinned by the working set", [names[one.ref] for one in of(Fate.PINNED)], most=2),
        *_titled("selected", len(selected), _first(selected, most=10)),
        *_titled("suppressed, their place went to others", len(suppressed), _first(suppressed, most=4)),
        *_listed("the working set says it", [*map(names.with_reason, of(Fate.BACKBONE))], most=3),
        *_listed("dropped by the budget", [*map(names.with_reason, of(Fate.BUDGET))], most=2),
        *_listed("tasks that are too old", [names[one.ref] for one in of(Fate.STALE_TODO)], most=2),
        *_titled("left out", len(of(Fate.LEFT_OUT)), _first(left_out, most=5)),
    ]


def _foot(receipt: AutoRecallReceipt) -> list[str]:
    lines = []
    budget, working_set = receipt.budget, receipt.working_set
    if working_set is not None:
        lines.append(f"working set: {working_set.chars} characters, {_counted(working_set.sections)}")
    if budget is not None:
        cut = f", {budget.after_chars} after {budget.action}" if budget.action != "none" else ""
        lines.append(f"context: {budget.before_chars} characters{cut}")
    lines += _listed("warnings", receipt.warnings, most=1)
    if receipt.latency_ms:
        # The whole first: what does not fit on the line is cut.
        stages = sorted(receipt.latency_ms.items(), key=lambda one: one[0] != "total")
        spent = ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in stages)
        lines.append(f"took {spent}")
    return lines


def _row(one: Outcome, names: _Names, turns: int) -> str:
    score = "" if one.score is None else f"{one.score:.3f}"
    told = f", told in {one.times} of {turns} turns" if one.times else ""
    exempt = f", but {one.exempt}" if one.exempt else ""
    return f"{names[one.ref]:<12} {one.tier:<7} {score:>5} {one.why}{told}{exempt}"


def _reasons(left_out: Iterable[Outcome], names: _Names) -> list[str]:
    refs: dict[str, list[str]] = {}
    for one in left_out:
        refs.setdefault(one.why, []).append(names[one.ref])
    frequent = sorted(refs, key=lambda why: (-len(refs[why]), why))
    return [line for why in frequent for line in _listed(why, refs[why], most=1, width=COLUMNS - 2)]


def _titled(title: str, count: int, rows: Sequence[str]) -> list[str]:
    return [f"{title} ({count})", *(f"  {row}" for row in rows)] if rows else []


def _first(rows: Sequence[str], *, most: int) -> list[str]:
    if len(rows) <= most:
        return list(rows)
    return [*rows[: most - 1], f"and {len(rows) - most + 1} more"]


def _listed(title: str, items: Sequence[str], *, most: int, width: int = COLUMNS) -> list[str]:
    """Return a title and items behind it, in at most so many lines; what has no room is counted."""
    lines, line = list[str](), f"{title} ({len(items)}):"
    for rest, item in zip(range(len(items), 0, -1), items, strict=True):
        more = f" and {rest} more" if rest > 1 and len(lines) == most - 1 else ""
        piece = f" {item}," if rest > 1 else f" {item}"
        if _width(line + piece + more) > width:
            if len(lines) == most - 1:
                return [*lines, f"{line} and {rest} more"]
            lines, line = [*lines, line], "   "
        line += piece
    return [*lines, line] if items else []


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "empty"


def _fitted(line: str) -> str:
    """Return a line that a terminal shows as one line of the screen's width."""
    line = "".join(character if character.isprintable() else "?" for character in line)
    if _width(line) <= COLUMNS:
        return line
    while _width(line) >= COLUMNS:
        line = line[:-1]
    return f"{line}…"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)

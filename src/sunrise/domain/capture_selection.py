"""Which candidates are stored: no repeats, a few a turn, the same ones however often a session is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sunrise.domain.auto_capture import (
    HOUR_MS,
    AutoCapturePolicy,
    CaptureCandidate,
    Extraction,
    sorted_counts,
)
from sunrise.domain.capture_repeats import CapturedTexts, KeptText
from sunrise.domain.capture_signs import CaptureCategory, CaptureSkip


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """What of an extraction is to be stored, and why the rest of its candidates is not."""

    candidates: tuple[CaptureCandidate, ...] = ()
    filtered: Mapping[str, int] = field(default_factory=dict)


def settled(
    extraction: Extraction,
    *,
    policy: AutoCapturePolicy,
    recent: Sequence[KeptText] = (),
    known: Collection[str] = (),
) -> Settlement:
    """
    Return the candidates to store: no repeats, and no more a turn than the policy lets.

    ``known`` are the keys of candidates that were stored before, ``recent`` texts to compare with. Which
    candidates have a place in their turn is settled before either is looked at, so that reading a session
    again never lets in what its turn had no place for. Of two that say nearly the same the one that says more
    stays.
    """
    selection = _Selection(policy)
    for turn in sorted({candidate.turn for candidate in extraction.candidates}):
        group = [candidate for candidate in extraction.candidates if candidate.turn == turn]
        for candidate in sorted(group, key=lambda one: not one.explicit):
            selection.add(candidate)
    stored = _Stored(policy, recent, known)
    order = {candidate.key: place for place, candidate in enumerate(extraction.candidates)}
    chosen: list[CaptureCandidate] = []
    for candidate in sorted(selection.chosen.values(), key=lambda one: order[one.key]):
        new = stored.settle(candidate, selection.superseded.get(candidate.key, ()))
        if isinstance(new, CaptureSkip):
            selection.filtered[new] += 1
        else:
            chosen.append(new)
    return Settlement(candidates=tuple(chosen), filtered=sorted_counts(selection.filtered))


class _Selection:
    """The candidates of a session that have a place in their turn; what was stored before plays no part."""

    def __init__(self, policy: AutoCapturePolicy) -> None:
        self.chosen: dict[str, CaptureCandidate] = {}
        self.superseded: dict[str, tuple[str, ...]] = {}
        self.filtered: Counter[str] = Counter()
        self._policy = policy
        self._texts = CapturedTexts()
        self._seen: set[str] = set()
        self._places: Counter[int] = Counter()
        self._tasks: Counter[int] = Counter()

    def add(self, candidate: CaptureCandidate) -> None:
        skip = self._skip(candidate)
        if skip is not None:
            self.filtered[skip] += 1

    def _skip(self, candidate: CaptureCandidate) -> CaptureSkip | None:
        new, is_task = _kept_text(candidate), candidate.category is CaptureCategory.TODO
        window_ms = self._policy.todo_dedupe_window_hours * HOUR_MS if is_task else None
        repeat = self._texts.repeated_by(new, within_ms=window_ms)
        if candidate.key in self._seen or (repeat and (is_task or not repeat.is_fuller)):
            return CaptureSkip.TODO_DUPLICATE if is_task else CaptureSkip.NEAR_DUPLICATE
        old = self.chosen.get(repeat.kept.key) if repeat else None
        if old is None or old.turn != candidate.turn:
            if is_task and self._tasks[candidate.turn] >= self._policy.max_todo_per_turn:
                return CaptureSkip.TODO_LIMIT
            if self._places[candidate.turn] >= self._policy.max_items:
                return CaptureSkip.OVER_LIMIT
            self._places[candidate.turn] += 1
            self._tasks[candidate.turn] += is_task
        if old is not None:
            self._supersede(old, candidate)
        self._seen.add(candidate.key)
        self.chosen[candidate.key] = candidate
        self._texts.keep(new)
        return None

    def _supersede(self, old: CaptureCandidate, new: CaptureCandidate) -> None:
        del self.chosen[old.key]
        self._texts.forget(old.key)
        self.superseded[new.key] = (*self.superseded.pop(old.key, ()), old.key)
        self.filtered[CaptureSkip.NEAR_DUPLICATE] += 1


class _Stored:
    """What was captured before, for the candidates that have a place."""

    def __init__(self, policy: AutoCapturePolicy, recent: Sequence[KeptText], known: Collection[str]) -> None:
        self._texts = CapturedTexts(recent)
        self._known = frozenset(known) | {text.key for text in recent}
        self._window_ms = policy.todo_dedupe_window_hours * HOUR_MS

    def settle(
        self, candidate: CaptureCandidate, superseded: Sequence[str]
    ) -> CaptureCandidate | CaptureSkip:
        """Return the candidate as it is to be stored, or why it is not."""
        if candidate.key in self._known:
            return CaptureSkip.ALREADY_CAPTURED
        is_task = candidate.category is CaptureCategory.TODO
        repeat = self._texts.repeated_by(
            _kept_text(candidate), within_ms=self._window_ms if is_task else None
        )
        if repeat and (is_task or not repeat.is_fuller):
            return CaptureSkip.TODO_DUPLICATE if is_task else CaptureSkip.NEAR_DUPLICATE
        before = [key for key in superseded if key in self._known]
        old = repeat.kept.key if repeat else before[-1] if before else None
        return candidate if old is None else replace(candidate, replaces=old)


def _kept_text(candidate: CaptureCandidate) -> KeptText:
    return KeptText(
        key=candidate.key,
        text=candidate.text,
        scope=candidate.scope.scope,
        category=str(candidate.category),
        created_ms=candidate.created_ms,
    )

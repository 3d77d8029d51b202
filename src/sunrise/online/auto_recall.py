"""Auto-recall: what the agent gets at a turn without asking, in two lanes, within a budget, and why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from sunrise.domain.auto_recall_receipt import AutoRecallReceipt, BudgetNote, Fate, ScopeNote
from sunrise.domain.auto_recall_record import to_record
from sunrise.domain.calibration import Calibration
from sunrise.domain.context_budget import Fitted, Slot, fitted
from sunrise.domain.fence import FencedItem
from sunrise.domain.hot_lane import HotLane, Turn, after_budget, hot_lane
from sunrise.domain.ranking import Chosen, Ranked
from sunrise.domain.recall import RecallReceipt, RecallRequest
from sunrise.domain.repeats import Injection
from sunrise.domain.scope_policy import ResolvedScope, resolved, without_tags
from sunrise.domain.secrets import redact
from sunrise.domain.times import written_time
from sunrise.domain.trivial_prompts import trivial_reason
from sunrise.domain.trust import UNKNOWN_NAME
from sunrise.domain.turn_log import Lane, LoggedTurn
from sunrise.domain.turn_request import AutoRecallRequest, AutoRecallResult, TurnPolicy
from sunrise.domain.turn_speakers import Speaker
from sunrise.domain.use import not_included
from sunrise.domain.working_set import working_set_id
from sunrise.errors import StoreError
from sunrise.online.backbone_lane import NO_BACKBONE, Backbone, Backbones
from sunrise.online.recall import item_of, weighed
from sunrise.online.recall_trail import Trail
from sunrise.ports import Clock, Embedder, MemoryReader, TurnLedger

POOL: Final = 40
"""So many memories compete for the slots of a turn: with fewer, many important ones would leave no others."""


@dataclass(frozen=True, slots=True)
class TurnPorts:
    """What a turn needs of the world. ``memories`` is None where the agent has not made its table yet."""

    memories: MemoryReader | None
    turns: TurnLedger
    backbones: Backbones
    embedder: Embedder
    clock: Clock
    calibration: Calibration | None = None


def auto_recall(request: AutoRecallRequest, *, ports: TurnPorts, policy: TurnPolicy) -> AutoRecallResult:
    """
    Return what is put before the agent at a turn, and a receipt that answers for every memory.

    First comes the working set of the scope, then the memories that answer the turn, chosen by quotas of
    importance; what was told a moment ago counts less. The text never exceeds the budget, its fence
    included. A store that cannot be read, or a ledger that is held, costs what it would have given and no
    more: the receipt warns. Unless the request is read-only the turn is logged.
    """
    turn = _Turn(request, ports, policy, ports.clock.now_ms())
    with turn.trail.stage("total"):
        result = _answered(turn)
    receipt = replace(result.receipt, latency_ms=turn.trail.latency_ms, warnings=tuple(turn.warnings))
    if request.read_only:
        return replace(result, receipt=receipt)
    return replace(result, receipt=_logged(turn, receipt))


@dataclass(slots=True)
class _Turn:
    request: AutoRecallRequest
    ports: TurnPorts
    policy: TurnPolicy
    now_ms: int
    trail: Trail = field(default_factory=Trail)
    warnings: list[str] = field(default_factory=list)
    working_set: str | None = None

    def warn(self, code: str) -> None:
        """Note once that something is missing."""
        if code not in self.warnings:
            self.warnings.append(code)


def _answered(turn: _Turn) -> AutoRecallResult:
    spoken = turn.request.spoken
    scope = resolved(turn.request.scope, spoken.text, turn.policy.scope)
    if scope.warning is not None:
        turn.warn(str(scope.warning))
    reason = _skip_reason(turn)
    if reason is not None:
        return AutoRecallResult("", (), _receipt(turn, scope, skip_reason=reason))
    # The tag of a scope says where to look, and is no part of what is asked.
    asked = without_tags(spoken.text) if turn.policy.scope.enabled else spoken.text
    with turn.trail.stage("working_set"):
        # What is asked may be told again as the goal of later turns: words of somebody else never are.
        backbone = _backbone(turn, scope, "" if spoken.speaker is Speaker.OTHER else asked)
        turn.working_set = backbone.kept
    found, receipt, scope = _found(turn, scope, asked)
    with turn.trail.stage("select"):
        lane = _selected(turn, found, backbone, asked)
        if not lane.has_answer:
            # What fits nothing that was asked is noise in every turn; hard rules alone are always in place.
            backbone = backbone.only_rules()
            lane = _selected(turn, found, backbone, asked)
    with turn.trail.stage("render"):
        return _rendered(turn, scope, backbone, lane, receipt)


def _skip_reason(turn: _Turn) -> str | None:
    if not turn.policy.recall.enabled:
        return "disabled"
    if turn.ports.memories is None:
        return "no_memories"
    reason = trivial_reason(turn.request.prompt) if turn.policy.recall.skip_trivial_prompts else None
    return None if reason is None else str(reason)


def _backbone(turn: _Turn, scope: ResolvedScope, asked: str) -> Backbone:
    memories = turn.ports.memories
    if not turn.policy.working_set.enabled or memories is None:
        return NO_BACKBONE
    try:
        return turn.ports.backbones.of(
            scope.scope,
            asked,
            memories=memories,
            kept=turn.ports.turns.get_note(working_set_id(scope.scope)),
            now_ms=turn.now_ms,
            policy=turn.policy.working_set,
        )
    except StoreError:
        turn.warn("working_set_failed")
        return NO_BACKBONE


def _found(
    turn: _Turn, scope: ResolvedScope, asked: str
) -> tuple[Chosen, RecallReceipt | None, ResolvedScope]:
    """Return what was found in the scope, and in the fallback scopes as far as it is too little."""
    found, receipt = _weighed(turn, scope, asked)
    used = () if receipt is None else receipt.fallback_scopes
    return found, receipt, replace(scope, fallbacks=used, marker=scope.marker if used else None)


def _weighed(turn: _Turn, scope: ResolvedScope, asked: str) -> tuple[Chosen, RecallReceipt | None]:
    memories = turn.ports.memories
    if memories is None:
        return Chosen(), None
    with turn.trail.stage("recall"):
        found, receipt = weighed(
            RecallRequest(asked, scope=scope.scope, limit=POOL, fallbacks=scope.fallbacks),
            memories=memories,
            embedder=turn.ports.embedder,
            clock=turn.ports.clock,
            calibration=turn.ports.calibration,
            policy=turn.policy.ranking,
            may_be_untrusted=False,
            enough=turn.policy.recall.max_items,
        )
    # What was found beyond the pool came for no slot.
    found = replace(found, rejected=tuple(one for one in found.rejected if one[1] != "over_limit"))
    for warning in receipt.warnings:
        turn.warn(warning)
    if receipt.reason == "store_failed":
        turn.warn("recall_failed")
    return found, receipt


def _selected(turn: _Turn, found: Chosen, backbone: Backbone, asked: str) -> HotLane:
    window = turn.policy.recall.repeats.window_turns
    number = window + 1
    return hot_lane(
        found,
        Turn(
            number=number,
            now_ms=turn.now_ms,
            prompt=asked,
            history=tuple(Injection(number - ago, ref) for ref, ago in _history(turn, window)),
            pinned=backbone.sayings,
        ),
        policy=turn.policy.recall,
    )


def _history(turn: _Turn, window: int) -> list[tuple[str, int]]:
    request = turn.request
    try:
        injected = turn.ports.turns.injected(request.session_key, turns=window, but=request.turn_key)
    except StoreError:
        turn.warn("turns_unknown")
        return []
    return [(one.ref, one.turns_ago) for one in injected if one.lane is Lane.HOT]


def _rendered(
    turn: _Turn, scope: ResolvedScope, backbone: Backbone, lane: HotLane, found: RecallReceipt | None
) -> AutoRecallResult:
    slots = [*(Slot(item) for item in backbone.items), *(_slot(turn, one) for one in lane.selected)]
    fit = fitted(slots, turn.policy.budget)
    dropped = {one.ref: str(one.why) for one in fit.dropped}
    receipt = _receipt(
        turn,
        scope,
        quota=lane.quota,
        outcomes=after_budget(lane.outcomes, dropped),
        fts_top=found.fts_top if found else (),
        vec_top=found.vec_top if found else (),
        fused_top=found.fused_top if found else (),
        working_set=backbone.note,
        budget=_budget_note(fit),
    )
    shown, zone = {item.ref for item in fit.items}, turn.policy.ranking.zone
    kept = tuple(item_of(one, zone=zone) for one in lane.selected if one.memory.ref in shown)
    return AutoRecallResult(_with_comment(fit.text, receipt, turn.policy), kept, receipt)


def _slot(turn: _Turn, one: Ranked) -> Slot:
    memory = one.memory
    item = FencedItem(
        ref=memory.ref,
        kind=memory.category or "",
        importance=memory.label or "",
        trust=memory.trust_tier or UNKNOWN_NAME,
        scope=memory.scope,
        date=written_time(memory.created_at_ms, zone=turn.policy.ranking.zone),
        text=redact(memory.text).text,
    )
    return Slot(item, memory.created_at_ms)


def _budget_note(fit: Fitted) -> BudgetNote:
    return BudgetNote(
        before_chars=fit.before_chars,
        after_chars=fit.after_chars,
        action="none" if fit.action is None else str(fit.action),
        dropped=tuple(one.ref for one in fit.dropped),
    )


def _with_comment(text: str, receipt: AutoRecallReceipt, policy: TurnPolicy) -> str:
    """Return the block with the receipt's comment behind it, where both keep within the budget."""
    comment = receipt.compact_comment()
    whole = f"{text}\n{comment}" if text and comment else text
    return whole if not policy.budget.enabled or policy.budget.holds(whole) else text


def _receipt(turn: _Turn, scope: ResolvedScope, **said: object) -> AutoRecallReceipt:
    policy = turn.policy.recall
    suppressed = str(scope.warning) if not scope.is_valid and turn.policy.scope.fallback_scopes else None
    return AutoRecallReceipt(
        at_ms=turn.now_ms,
        scope=ScopeNote(
            scope=scope.scope,
            source=str(scope.source),
            fallbacks=scope.fallbacks,
            marker=scope.marker,
            suppressed=suppressed,
        ),
        selection_mode=policy.selection_mode,
        window_turns=policy.repeats.window_turns,
        receipts=policy.receipts,
        **said,  # type: ignore[arg-type]
    )


def _logged(turn: _Turn, receipt: AutoRecallReceipt) -> AutoRecallReceipt:
    """Leave the turn in the ledger for the next ones; return the receipt with its number."""
    request = turn.request
    items = _injected(receipt)
    logged = LoggedTurn(
        session_key=request.session_key,
        scope=receipt.scope.scope,
        at_ms=turn.now_ms,
        items=items,
        receipt=to_record(receipt),
        turn_key=request.turn_key,
        skipped=receipt.skip_reason is not None,
        working_set=turn.working_set,
        retrieved=not_included(receipt.fused_top, tuple(ref for ref, _ in items)),
    )
    try:
        number = turn.ports.turns.log_turn(logged)
    except StoreError:
        # The turn is given up; that its memories were used is written later.
        if not logged.skipped:
            turn.ports.turns.note_served(logged.served)
        return replace(receipt, warnings=(*receipt.warnings, "turn_not_logged"))
    return replace(receipt, turn=number)


def _injected(receipt: AutoRecallReceipt) -> tuple[tuple[str, Lane], ...]:
    pinned = ((one.ref, Lane.BACKBONE) for one in receipt.of(Fate.PINNED))
    chosen = ((one.ref, Lane.HOT) for one in receipt.of(Fate.SELECTED))
    return tuple({ref: (ref, lane) for ref, lane in (*chosen, *pinned)}.values())

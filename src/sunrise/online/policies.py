"""From settings to how memories are ranked, stored, and put before the agent."""

from __future__ import annotations

from sunrise.domain.auto_capture import AutoCapturePolicy
from sunrise.domain.auto_recall import MAX_ITEMS, AutoRecallPolicy, ReceiptPolicy
from sunrise.domain.capture_signs import CaptureCategory
from sunrise.domain.context_budget import BudgetPolicy, OverflowAction
from sunrise.domain.priors import RankingPolicy
from sunrise.domain.recall import Verbosity
from sunrise.domain.repeats import RepeatPolicy
from sunrise.domain.scope_policy import ScopePolicy, ValidationMode
from sunrise.domain.scoring.scorers import SCORERS
from sunrise.domain.store import StorePolicy
from sunrise.domain.tier_selection import Quotas, SelectionMode
from sunrise.domain.turn_request import TurnPolicy
from sunrise.domain.working_set_synthesis import WorkingSetPolicy
from sunrise.online.auto_capture import CapturePolicy
from sunrise.settings import Settings


def turn_policy(settings: Settings) -> TurnPolicy:
    """
    Return what the settings say of auto-recall, scopes, working set and budget.

    Raises:
        ConfigurationError: A scope of the settings is no valid name.
    """
    return TurnPolicy(
        recall=_recall(settings),
        ranking=ranking_policy(settings),
        scope=scope_policy(settings),
        working_set=_working_set(settings),
        budget=_budget(settings),
    )


def ranking_policy(settings: Settings) -> RankingPolicy:
    """Return how the settings want memories ranked."""
    said = settings.recall
    return RankingPolicy(
        dense_weight=None if said.dense_weight < 0 else said.dense_weight,
        has_floor=said.floor,
        half_life_days=said.half_life_days,
        recency_floor=said.recency_floor,
        embed_timeout_s=settings.embedder.query_timeout_s,
        zone=settings.zone,
    )


def capture_policy(settings: Settings) -> CapturePolicy:
    """
    Return what the settings say of auto-capture.

    Raises:
        ConfigurationError: A scope of the settings is no valid name.
    """
    said = settings.auto_capture
    return CapturePolicy(
        capture=AutoCapturePolicy(
            enabled=said.enabled,
            categories=frozenset(map(CaptureCategory, said.categories)),
            max_items=said.max_items,
            capture_todo=said.capture_todo,
            max_todo_per_turn=said.max_todo_per_turn,
            todo_dedupe_window_hours=said.todo_dedupe_window_hours,
            todo_stale_ttl_days=said.todo_stale_ttl_days,
        ),
        scopes=scope_policy(settings),
        store=store_policy(settings),
    )


def store_policy(settings: Settings) -> StorePolicy:
    """
    Return how a text is stored: graded by the scorer of the settings, if it is a table.

    Raises:
        ConfigurationError: A scope of the settings is no valid name.
    """
    return StorePolicy(
        scorer=SCORERS.get(settings.grade.scorer),
        embed_timeout_s=settings.embedder.query_timeout_s,
        zone=settings.zone,
        scopes=scope_policy(settings),
    )


def scope_policy(settings: Settings) -> ScopePolicy:
    """
    Return what the settings say of scopes.

    Raises:
        ConfigurationError: A scope of the settings is no valid name.
    """
    said = settings.scope_policy
    return ScopePolicy(
        enabled=said.enabled,
        default_scope=said.default_scope,
        fallback_scopes=said.fallback_scopes,
        fallback_marker=said.fallback_marker,
        skip_fallback_on_invalid_scope=said.skip_fallback_on_invalid_scope,
        validation_mode=ValidationMode(said.validation_mode),
        max_scope_length=said.max_scope_length,
    )


def receipt_policy(settings: Settings) -> ReceiptPolicy:
    """Return how much the receipts of the online module say."""
    said = settings.receipts
    return ReceiptPolicy(enabled=said.enabled, verbosity=Verbosity(said.verbosity), max_items=said.max_items)


def _recall(settings: Settings) -> AutoRecallPolicy:
    said = settings.auto_recall
    return AutoRecallPolicy(
        enabled=said.enabled,
        skip_trivial_prompts=said.skip_trivial_prompts,
        selection_mode=SelectionMode(said.selection_mode),
        # Settings that were valid before they had a limit still open their home.
        max_items=min(said.max_items, MAX_ITEMS),
        quotas=Quotas(must_max=said.must_max, nice_min=said.nice_min, unknown_max=said.unknown_max),
        repeats=RepeatPolicy(window_turns=said.repeat_window_turns, penalty=said.repeat_penalty),
        dedupe_backbone=said.dedupe_backbone,
        todo_stale_ttl_days=settings.auto_capture.todo_stale_ttl_days,
        receipts=receipt_policy(settings),
    )


def _working_set(settings: Settings) -> WorkingSetPolicy:
    said = settings.working_set
    return WorkingSetPolicy(
        enabled=said.enabled,
        persist=said.persist,
        max_chars=said.max_chars,
        max_items_per_section=said.max_items_per_section,
        max_goal_chars=said.max_goal_chars,
        max_item_chars=said.max_item_chars,
        zone=settings.zone,
    )


def _budget(settings: Settings) -> BudgetPolicy:
    said = settings.budget
    return BudgetPolicy(
        enabled=said.enabled,
        max_chars=said.max_chars,
        max_tokens=said.max_tokens or None,
        min_recent_slots=said.min_recent_slots,
        overflow_action=OverflowAction(said.overflow_action),
    )

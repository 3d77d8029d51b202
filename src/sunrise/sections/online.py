"""What the agent gets without asking, and what is kept of what its owner says."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sunrise.sections.section import Section


class RecallSettings(Section):
    """How memories are ranked; see docs/explanation/ranking.md."""

    dense_weight: float = Field(
        -1.0,
        ge=-1,
        le=1,
        description="Share of meaning in a score, the rest is words; below 0: as fits the model.",
    )
    floor: bool = Field(default=True, description="Answer nothing where nothing fits.")
    half_life_days: float = Field(90.0, gt=0, description="Days in which age takes half of what it can take.")
    recency_floor: float = Field(0.85, ge=0, le=1, description="What is left of a score at any age.")


class ScopePolicySettings(Section):
    """Which scope a turn belongs to, and where else may be looked."""

    enabled: bool = Field(
        default=True, description="Keep scopes apart; off: everything is in the default one."
    )
    default_scope: str = Field("global", min_length=1, max_length=64, description="Scope of what names none.")
    fallback_scopes: tuple[str, ...] = Field(
        (), description="Scopes that are asked, in this order, where the own one does not give enough."
    )
    fallback_marker: bool = Field(default=True, description="Say in the receipt which scope helped out.")
    skip_fallback_on_invalid_scope: bool = Field(
        default=True, description="Ask no other scope where the turn named one that is not valid."
    )
    validation_mode: Literal["strict", "normalize", "none"] = Field(
        "strict", description="What is done with a scope that is not valid: refused, mended, or taken."
    )
    max_scope_length: int = Field(64, ge=1, le=256, description="Characters of a scope.")


class AutoRecallSettings(Section):
    """What is put before the agent at each turn."""

    enabled: bool = Field(default=True, description="Answer turns at all.")
    skip_trivial_prompts: bool = Field(
        default=True, description="Look nothing up for greetings, thanks, commands and heartbeats."
    )
    selection_mode: Literal["tier_quota_v1", "tier_first_v1"] = Field(
        "tier_quota_v1",
        description="tier_quota_v1: each label has its share; tier_first_v1: the most important first.",
    )
    max_items: int = Field(
        6, ge=1, le=20, description="Memories of one turn, beside the working set; more than 6 count as 6."
    )
    must_max: int = Field(
        2, ge=0, le=20, description="Memories of must_remember, at most, while others wait."
    )
    nice_min: int = Field(2, ge=0, le=20, description="Memories of nice_to_have, at least, where any fit.")
    unknown_max: int = Field(
        1, ge=0, le=20, description="Memories without a label, at most, while others wait."
    )
    repeat_window_turns: int = Field(
        6, ge=0, le=50, description="Turns in which a memory counts as repeated."
    )
    repeat_penalty: float = Field(
        0.35, ge=0, lt=1, description="Share of its score that a repeated memory loses."
    )
    dedupe_backbone: bool = Field(default=True, description="Leave out what the working set says already.")


class WorkingSetSettings(Section):
    """The backbone: goal, constraints, decisions, next actions and open questions of a scope."""

    enabled: bool = Field(default=True, description="Put it before the memories of a turn.")
    persist: bool = Field(default=True, description="Keep it as working_set:<scope>.")
    max_chars: int = Field(900, ge=100, le=10_000, description="Characters of it, at most.")
    max_items_per_section: int = Field(3, ge=1, le=20, description="Items of each section, at most.")
    max_goal_chars: int = Field(200, ge=20, le=2000, description="Characters of the goal.")
    max_item_chars: int = Field(160, ge=20, le=2000, description="Characters of one item.")


class BudgetSettings(Section):
    """What is put before the agent is never longer than this, its fence included."""

    enabled: bool = Field(default=True, description="Keep the ceiling.")
    max_chars: int = Field(1800, ge=0, le=100_000, description="Characters of the whole block.")
    max_tokens: int = Field(0, ge=0, le=100_000, description="Tokens of it, as estimated by script; 0: none.")
    min_recent_slots: int = Field(1, ge=0, le=20, description="So many of the newest memories are kept last.")
    overflow_action: Literal["truncate_oldest", "truncate_tail"] = Field(
        "truncate_oldest", description="What goes first: the oldest, or the least relevant."
    )


class AutoCaptureSettings(Section):
    """What is kept of what the owner says, without being asked."""

    enabled: bool = Field(default=True, description="Capture at all.")
    max_items: int = Field(4, ge=1, le=4, description="Memories of one turn, at most.")
    categories: tuple[Literal["preference", "decision", "fact", "entity", "todo"], ...] = Field(
        ("preference", "decision"), description="Kinds of statements that are kept."
    )
    capture_todo: bool = Field(default=False, description="Keep todos as well.")
    max_todo_per_turn: int = Field(1, ge=0, le=3, description="Todos of one turn, at most.")
    todo_dedupe_window_hours: int = Field(
        24, ge=1, le=168, description="A todo of the same scope said again within this time is no new one."
    )
    todo_stale_ttl_days: int = Field(7, ge=1, le=90, description="Days for which a todo is worth being told.")


class ReceiptSettings(Section):
    """How much the receipts of the online module say."""

    enabled: bool = Field(default=True, description="Write them at all.")
    verbosity: Literal["low", "high"] = Field(
        "low", description="high: the parts of each score, and a comment with the ids before the agent."
    )
    max_items: int = Field(3, ge=1, le=10, description="Refs in each of their lists.")

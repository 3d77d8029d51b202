"""What is asked of recall and what it answers: the request, the items, and a receipt without any text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Literal

from sunrise.domain.empty_answers import message_of
from sunrise.domain.filters import check_scope
from sunrise.domain.scope_policy import ScopePolicy, looked_in, without_tags
from sunrise.errors import DataError

RECALL_SCHEMA: Final = "sunrise.recall.v1"
MAX_LIMIT: Final = 100


class Verbosity(StrEnum):
    """How much a receipt says of single memories: ``high`` shows what each score is made of."""

    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """
    One question to the memory. With ``read_only`` what it hands out does not count as used.

    Without a ``scope`` that of a tag in the query counts, else the default; see :func:`scoped`. What the
    scope leaves open of the limit is filled up from the ``fallbacks``.

    With ``look_elsewhere`` an answer that is empty, or weak, says where a better one may lie: in the archive,
    or in one of the scopes that the caller ``may_see``. None are all scopes; nobody sees another one unless
    that is said.

    Raises:
        DataError: The limit is not between 1 and :data:`MAX_LIMIT`, reason ``bad_limit``, or the scope is no
            name, reason ``bad_scope``.
    """

    query: str
    scope: str = ""
    limit: int = 5
    include_archived: bool = False
    verbosity: Literal["low", "high"] = "low"
    look_elsewhere: bool = False
    may_see: tuple[str, ...] | None = ()
    read_only: bool = False
    fallbacks: tuple[str, ...] = ()
    scope_warning: str | None = None

    def __post_init__(self) -> None:
        check_scope(self.scope)
        if not 1 <= self.limit <= MAX_LIMIT:
            msg = f"limit must be between 1 and {MAX_LIMIT}, not {self.limit}"
            raise DataError(msg, reason="bad_limit")


def scoped(request: RecallRequest, policy: ScopePolicy) -> RecallRequest:
    """
    Return a request with the scope that it names or that a tag in its query names, and where to look beside.

    The tag is no part of what is asked. Only a fallback scope that the caller may see is looked in.

    >>> asked = RecallRequest("[SCOPE: home] where is the ladder", may_see=None)
    >>> found = scoped(asked, ScopePolicy(fallback_scopes=("shed",)))
    >>> found.query, found.scope, found.fallbacks
    ('where is the ladder', 'home', ('shed',))
    """
    found = looked_in(request.scope, request.query, policy)
    allowed = request.may_see
    return replace(
        request,
        query=without_tags(request.query) if policy.enabled else request.query,
        scope=found.scope,
        fallbacks=tuple(one for one in found.fallbacks if allowed is None or one in allowed),
        scope_warning=None if found.warning is None else str(found.warning),
    )


@dataclass(frozen=True, slots=True)
class RecallItem:
    """
    One memory that answers, with what a reader needs to weigh it. ``ref`` is ``mem:<id>``.

    ``date`` is the time of the memory as people are shown it.
    """

    ref: str
    text: str
    scope: str
    importance_label: str | None
    trust_tier: str | None
    category: str | None
    created_at_ms: int | None
    score: float
    date: str = ""


@dataclass(frozen=True, slots=True)
class RecallReject:
    """One memory that was found and not returned. ``reason`` is a stable code."""

    ref: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRef:
    """Why one memory was returned: its score, the parts of it by name, and codes for what spoke for it."""

    ref: str
    score: float
    tier: str
    why: tuple[str, ...]
    components: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """
    Where a better answer may lie: counts, the name of a scope, and a ref; never a text.

    ``here`` is how many memories of the asked scope could have answered, None where nobody counted;
    ``scopes`` how many other scopes hold memories that the caller may see, ``scope`` the likeliest of them.
    ``archived`` is an archived memory that fits better than all that was found.
    """

    here: int | None = None
    scopes: int = 0
    scope: str | None = None
    archived: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallReceipt:
    """
    How an answer came about, in refs, counts and codes; never the text of a memory or of the query.

    ``reason`` says why nothing came back, ``lexical_skipped`` and ``dense_skipped`` why a leg did not run.
    The tops hold the first refs of each leg and of their fusion. ``fusion`` is ``calibrated`` or ``rrf``,
    ``policy_tier`` how far down the labels of importance the answer had to go. ``elsewhere`` says where a
    better answer may lie, where somebody asked for that and looked. ``is_use_lost`` says that use was given
    up, because the ledger could not be written for too long. ``fallback_scopes`` are those that were looked
    in beside the scope, ``scope_warning`` says that the name of the scope was refused or put in order.
    """

    at_ms: int
    scope: str
    limit: int
    query_chars: int
    query_terms: int
    model_id: str
    fts_top: tuple[str, ...] = ()
    vec_top: tuple[str, ...] = ()
    fused_top: tuple[str, ...] = ()
    fusion: str | None = None
    calibration_id: str | None = None
    policy_tier: str = "must+nice"
    tier_candidates: Mapping[str, int] = field(default_factory=dict)
    tier_selected: Mapping[str, int] = field(default_factory=dict)
    with_untrusted: bool = False
    why_summary: str = ""
    scores: tuple[ScoredRef, ...] = ()
    rejects: tuple[RecallReject, ...] = ()
    rejected_by_reason: Mapping[str, int] = field(default_factory=dict)
    lexical_skipped: str | None = None
    dense_skipped: str | None = None
    reason: str | None = None
    elsewhere: Elsewhere | None = None
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    verbosity: Verbosity = Verbosity.LOW
    is_use_lost: bool = False
    fallback_scopes: tuple[str, ...] = ()
    scope_warning: str | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a caller should show: a leg that was left out means that something may be missing."""
        legs = (("lexical", self.lexical_skipped), ("dense", self.dense_skipped))
        skipped = tuple(
            f"{leg}_skipped:{reason}" for leg, reason in legs if reason not in (None, "embedder_none")
        )
        named = () if self.scope_warning is None else (self.scope_warning,)
        return (*skipped, *named, "use_not_recorded") if self.is_use_lost else (*skipped, *named)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values under the names that agents read: ``ftsTop``, ``vecTop``, ``fusedTop``."""
        elsewhere = None if self.elsewhere is None else self.elsewhere.to_dict()
        return {
            "schema": RECALL_SCHEMA,
            "atMs": self.at_ms,
            "scope": self.scope,
            "fallbackScopes": list(self.fallback_scopes),
            "limit": self.limit,
            "queryChars": self.query_chars,
            "queryTerms": self.query_terms,
            "modelId": self.model_id,
            "fusion": self.fusion,
            "calibrationId": self.calibration_id,
            "ftsTop": list(self.fts_top),
            "vecTop": list(self.vec_top),
            "fusedTop": list(self.fused_top),
            "policyTier": self.policy_tier,
            "tierCounts": {"candidates": dict(self.tier_candidates), "selected": dict(self.tier_selected)},
            "untrustedAdmitted": self.with_untrusted,
            "whySummary": self.why_summary,
            "whyTheseIds": [_why(one, self.verbosity) for one in self.scores],
            "rejects": [{"ref": reject.ref, "reason": reject.reason} for reject in self.rejects],
            "rejectedByReason": dict(self.rejected_by_reason),
            "warnings": list(self.warnings),
            "lexicalSkipped": self.lexical_skipped,
            "denseSkipped": self.dense_skipped,
            "reason": self.reason,
            "elsewhere": elsewhere,
            "message": message_of(self.reason, self.scope, elsewhere),
            "latencyMs": dict(self.latency_ms),
        }


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The memories most useful for a query, best first, and the receipt."""

    items: tuple[RecallItem, ...]
    receipt: RecallReceipt


def _why(one: ScoredRef, verbosity: Verbosity) -> dict[str, Any]:
    said: dict[str, Any] = {"ref": one.ref, "score": one.score, "tier": one.tier, "why": list(one.why)}
    return said | {"components": dict(one.components)} if verbosity is Verbosity.HIGH else said

"""The backbone lane of a turn: the working set of a scope, read from its memories and kept between turns."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from sunrise.domain import filters
from sunrise.domain.auto_recall_receipt import WorkingSetNote
from sunrise.domain.backbone import Saying
from sunrise.domain.duplicates import sameness
from sunrise.domain.fence import FencedItem
from sunrise.domain.importance import ImportanceLabel, effective_label
from sunrise.domain.records import memory_ref
from sunrise.domain.repeats import is_hard_rule
from sunrise.domain.row_names import ROW_COLUMNS, id_in, names_among, of_ids
from sunrise.domain.trust import TRUSTED, known_tier, may_be_must
from sunrise.domain.working_set import PROMPT, WorkingSet
from sunrise.domain.working_set_synthesis import Drawn, Remembered, WorkingSetPolicy, draw, put_together
from sunrise.errors import DataError
from sunrise.ports import MemoryReader

FULL_LOOK_MS: Final = 300_000
"""Between two full looks at a scope only what is new is read, and what is known is looked at again."""

MEMORIES: Final = 96
"""So many compete for the lines of a working set: those that must be remembered first, then the newest."""

_SCOPES: Final = 32
_MINUTE_MS: Final = 60_000
_SAYS: Final = (
    *ROW_COLUMNS, "importance", "importance_label", "trust_tier", "source_kind",
)  # fmt: skip
_RANKS: Final = ("id", "importance_label", "createdAt", "trust_tier", "source_kind")


@dataclass(frozen=True, slots=True)
class Backbone:
    """What is pinned before the agent: the lines, what they say, and what the receipt tells of them."""

    items: tuple[FencedItem, ...] = ()
    sayings: tuple[Saying, ...] = ()
    note: WorkingSetNote | None = None
    kept: str | None = None
    """The working set as JSON, where it says something else than the one that is kept."""
    rules: frozenset[str] = frozenset()
    """The refs of hard rules among the items."""

    def only_rules(self) -> Backbone:
        """Return the hard rules alone: what stays in place where nothing else fits the turn."""
        return replace(
            self,
            items=tuple(one for one in self.items if one.ref in self.rules),
            sayings=tuple(one for one in self.sayings if self.rules.issuperset(one.refs)),
        )


NO_BACKBONE: Final = Backbone()


@dataclass(frozen=True, slots=True)
class _Known:
    """What was read of a scope at a version of the table."""

    memories: tuple[Remembered, ...]
    version: int
    newest_ms: int
    looked_ms: int
    is_whole: bool

    def holds(self, version: int, *, now_ms: int) -> bool:
        """Whether nothing has changed since, and nothing that was passed over is due."""
        return self.version == version and (self.is_whole or now_ms - self.looked_ms < FULL_LOOK_MS)


@dataclass(frozen=True, slots=True)
class _Made:
    """What was drawn from some memories at a minute."""

    is_of: tuple[Remembered, ...]
    minute: int
    policy: WorkingSetPolicy
    drawn: Drawn


@dataclass(slots=True)
class Backbones:
    """
    The memories that working sets are made of, by scope, as long as the table stays as it is.

    Any number of threads may ask at once. A memory that was changed, archived or deleted is seen at once; one
    that came to be important without being new is seen within :data:`FULL_LOOK_MS`.
    """

    _known: OrderedDict[str, _Known] = field(default_factory=OrderedDict)
    _made: dict[str, _Made] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def of(
        self,
        scope: str,
        asked: str,
        *,
        memories: MemoryReader,
        kept: str | None,
        now_ms: int,
        policy: WorkingSetPolicy,
    ) -> Backbone:
        """
        Return the working set of a scope for a prompt; ``kept`` is the one of the turn before, as JSON.

        Raises:
            StoreError: The table cannot be read.
        """
        before = _read(kept)
        drawn = self._drawn(scope, memories, policy, now_ms=now_ms)
        made = put_together(
            drawn,
            scope=scope,
            prompt=asked,
            now_ms=now_ms,
            before=before,
            policy=policy,
        )
        # A line that says just what the prompt says tells the agent nothing.
        prompt = sameness(asked)
        lines = tuple(one for one in made.fenced() if sameness(one.text) != prompt)
        is_news = policy.persist and (before is None or before.digest != made.digest)
        return Backbone(
            items=lines,
            sayings=tuple(Saying((one.ref,), one.text) for one in lines if one.ref != PROMPT),
            rules=frozenset(
                one.ref
                for _, one in drawn.current
                if one.may_be_must and is_hard_rule(one.category, trust_tier=one.trust_tier)
            ),
            note=WorkingSetNote(
                generated=True,
                id=made.id,
                chars=made.chars,
                sections=made.sections,
                persisted=policy.persist,
            ),
            kept=json.dumps(made.to_dict(), ensure_ascii=False, separators=(",", ":")) if is_news else None,
        )

    def _drawn(self, scope: str, memories: MemoryReader, policy: WorkingSetPolicy, *, now_ms: int) -> Drawn:
        """Return what may be pinned, as of the minute: what is drawn once serves all prompts of it."""
        known, minute = self._memories(scope, memories, now_ms=now_ms), now_ms - now_ms % _MINUTE_MS
        made = self._made.get(scope)
        if made is not None and made.is_of is known and (made.minute, made.policy) == (minute, policy):
            return made.drawn
        drawn = draw(known, policy, now_ms=minute)
        with self._lock:
            self._made = {one: kept for one, kept in self._made.items() if one in self._known}
            self._made[scope] = _Made(known, minute, policy, drawn)
        return drawn

    def _memories(self, scope: str, memories: MemoryReader, *, now_ms: int) -> tuple[Remembered, ...]:
        version = memories.newest_version()
        with self._lock:
            known = self._known.get(scope)
        if known is None or not known.holds(version, now_ms=now_ms):
            known = _looked(scope, memories, known, version=version, now_ms=now_ms)
            with self._lock:
                self._known[scope] = known
                self._known.move_to_end(scope)
                while len(self._known) > _SCOPES:
                    self._known.popitem(last=False)
        return known.memories


def _looked(scope: str, memories: MemoryReader, known: _Known | None, *, version: int, now_ms: int) -> _Known:
    """Return what a scope holds now: all that may count, or what is new beside what was known."""
    where = filters.visible(scope=scope, columns=memories.schema().names, include_untrusted=False)
    is_full = known is None or now_ms - known.looked_ms >= FULL_LOOK_MS or not known.memories
    if known is None or is_full:
        # What has no id cannot be looked at again, nor be named in a working set that is kept.
        named = filters.both(where, "id <> ''")
        ids = _foremost(memories.scan(_RANKS, where=named))
        rows = memories.scan(_SAYS, where=filters.both(where, of_ids(ids))) if ids else None
    else:
        names = [one.ref.partition(":")[2] for one in known.memories]
        known_ids = of_ids([id_in(name) or name for name in names])
        rows = memories.scan(
            _SAYS, where=filters.both(where, f"(createdAt > {known.newest_ms} OR {known_ids})", "id <> ''")
        )
    told = [] if rows is None else rows.to_pylist()
    found = tuple(map(_remembered, told, names_among(told)))
    newest = max((one.created_ms or 0 for one in found), default=0)
    looked = now_ms if known is None or is_full else known.looked_ms
    return _Known(found, version, newest, looked, is_full)


def _foremost(rows: pa.Table) -> list[str]:
    """Return the ids of those that must be remembered and then of the newest, so many as are looked at."""
    if "createdAt" not in rows.column_names:
        return list(rows.column("id").to_pylist()[:MEMORIES])
    is_must = pc.and_(
        _is(rows, "importance_label", str(ImportanceLabel.MUST_REMEMBER)),
        pc.or_(_is(rows, "trust_tier", TRUSTED), _is(rows, "source_kind", "")),
    )
    ranked = pa.table(
        {
            "id": rows.column("id"),
            "lesser": pc.invert(is_must).cast(pa.int8()),
            "created": rows.column("createdAt").fill_null(0),
        }
    )
    keys = [("lesser", "ascending"), ("created", "descending"), ("id", "ascending")]
    places = pc.select_k_unstable(ranked, k=min(MEMORIES, ranked.num_rows), sort_keys=keys)
    return list(ranked.column("id").take(places).to_pylist())


def _is(rows: pa.Table, name: str, value: str) -> pa.ChunkedArray:
    """Say of which rows a column has a value; what is empty, or not there at all, has the empty one."""
    if name not in rows.column_names:
        return pa.chunked_array([pa.array([value == ""] * rows.num_rows)])
    return pc.equal(pc.fill_null(rows.column(name), ""), value)


def _remembered(row: dict[str, object], name: str) -> Remembered:
    created, importance = row.get("createdAt"), row.get("importance")
    score = importance if isinstance(importance, float) else None
    tier = known_tier(_text(row.get("trust_tier")))
    is_allowed = may_be_must(tier, _text(row.get("source_kind")))
    return Remembered(
        ref=memory_ref(name),
        text=str(row.get("text") or ""),
        category=_text(row.get("category")),
        importance_label=effective_label(_text(row.get("importance_label")), score, may_be_must=is_allowed),
        created_ms=int(created) if isinstance(created, int | float) else None,
        trust_tier=tier,
        may_be_must=is_allowed,
        state=_text(row.get("state")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _read(kept: str | None) -> WorkingSet | None:
    """Return a working set that was kept; one that cannot be read counts as none."""
    if kept is None:
        return None
    try:
        return WorkingSet.from_dict(json.loads(kept))
    except (DataError, ValueError):
        return None

"""A step of the harvest: what an agent made from something untrusted is trusted no more than that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from sunrise.bootstrap import Home
from sunrise.domain.lineage import Derived, is_derived, passages, search_words
from sunrise.domain.records import observation_ref
from sunrise.domain.retention import DAY_MS
from sunrise.domain.trust import QUARANTINED, TRUSTED, UNKNOWN_NAME, UNTRUSTED, least
from sunrise.ports import Ledger
from tasks.memories import change_of

_BATCH = 32
"""Rows that are judged in one transaction: it holds the lock for a part of a second."""

_SEARCHED_MS = 30 * DAY_MS
_MOST_CHARS = 4_000_000
_SHORT_TEXT = 20_000


def inherit_trust(home: Home, *, run_id: str) -> dict[str, int]:
    """
    Lower the trust of rows that came since last time to that of what they were made from.

    Nothing is ever raised, and rows whose trust an operator decided stay as they are. Watermark and changes
    move in one transaction. Returns how many rows were ``derived`` and how many of them were ``lowered``.
    """
    ledger = home.ledger
    counts = {"derived": 0, "lowered": 0}
    while ledger.inherited_up_to() < ledger.newest_observation():
        with ledger.transaction():
            newest = ledger.newest_observation()
            rows = ledger.derived_rows(after_id=ledger.inherited_up_to(), limit=_BATCH)
            for row in rows:
                counts["lowered"] += _lower(ledger, row, run_id=run_id)
            counts["derived"] += len(rows)
            ledger.set_inherited_up_to(rows[-1].row_id if len(rows) == _BATCH else newest)
    return counts


def inherited_tier(ledger: Ledger, row: Derived) -> str | None:
    """
    Return the most that the parents of a row leave it: those that it names, and those that its words betray.

    A parent that cannot be found is one of which nothing is known. A row without parents keeps all.
    """
    known = ledger.tiers_of(row.parents)
    tier = least(TRUSTED, *(known.get(ref) for ref in row.parents))
    if row.is_owners or tier in (UNTRUSTED, QUARANTINED):
        return tier
    return least(tier, UNTRUSTED) if _comes_from_untrusted(ledger, row) else tier


def _lower(ledger: Ledger, row: Derived, *, run_id: str) -> int:
    ref = observation_ref(row.row_id)
    tier = least(row.tier, inherited_tier(ledger, row))
    if tier == row.tier or ledger.decided_by_operator([ref]):
        return 0
    reason = f"inherits_{tier or UNKNOWN_NAME}"
    values = (("trust_tier", row.tier, tier), ("trust_reason", row.reason, reason))
    changes = [change_of(ref, name, before=was, after=now, reason=reason) for name, was, now in values]
    return ledger.apply_to_observations(changes, run_id=run_id)


def _comes_from_untrusted(ledger: Ledger, row: Derived) -> bool:
    stored = ledger.stored_text(row.episode_id) if row.episode_id is not None else None
    text = row.terms if stored is None else _terms(stored)
    turns, results = ledger.session_sources(row)
    owners, others = ledger.rows_like(row, search_words(text), since_ms=row.ts_ms - _SEARCHED_MS)
    episodes = dict.fromkeys([*results, *(episode for _, episode in others if episode is not None)])
    untrusted = [*(terms for terms, _ in others), *_passages(ledger, episodes, text)]
    if not untrusted:
        return False
    said = [part for turn in turns for part in _parts(ledger.episode_text(turn), text)]
    return is_derived(text, owner=[*said, *owners], untrusted=untrusted)


def _passages(ledger: Ledger, episodes: Iterable[int], text: str) -> Iterator[str]:
    """Yield the parts of what was answered that a text may come from, as analysed terms."""
    left = _MOST_CHARS
    for episode in episodes:
        whole = ledger.episode_text(episode)[:left]
        left -= len(whole)
        yield from map(_terms, passages(whole, text))


def _parts(whole: str, text: str) -> list[str]:
    return [_terms(whole)] if len(whole) <= _SHORT_TEXT else list(map(_terms, passages(whole, text)))


# Rows of one session have their sources in common.
@lru_cache(maxsize=512)
def _terms(text: str) -> str:
    # Stems are loaded for the first text: most harvests bring nothing that was made from something.
    from sunrise.domain.text.analysis import MAX_CHARS, terms

    return terms(text, max_chars=max(MAX_CHARS, len(text)))

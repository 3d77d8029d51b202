"""How far a text can be trusted that may be made from others: no more than what it is made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from sunrise.domain.lineage import Derived, RowsRead, is_derived, passages, search_words
from sunrise.domain.retention import DAY_MS
from sunrise.domain.text.dated_terms import current_terms, text_terms
from sunrise.domain.trust import QUARANTINED, TRUSTED, UNTRUSTED, least
from sunrise.ports import Ledger

_SEARCHED_MS: Final = 30 * DAY_MS
_MOST_CHARS: Final = 4_000_000
_SHORT_TEXT: Final = 20_000
_HELD_BACK: Final = (QUARANTINED, UNTRUSTED)


@dataclass(slots=True)
class Reach:
    """
    What was learned of the ledger for one row and holds for the next ones of a run.

    ``is_clean_since_ms`` is the time from which no observation can leave another less trust; None where that
    is not known.
    """

    is_clean_since_ms: int | None = None
    read: RowsRead = field(default_factory=RowsRead)

    def lower(self, row: Derived) -> None:
        """Note that a row is trusted less now: others may be made from it."""
        self.is_clean_since_ms = None
        self.read.add(row)

    def is_clean(self, ledger: Ledger, since_ms: int) -> bool:
        """Return whether no observation from a time on can leave another less trust."""
        if self.is_clean_since_ms is not None and self.is_clean_since_ms <= since_ms:
            return True
        if ledger.has_untrusted(since_ms=since_ms):
            return False
        self.is_clean_since_ms = since_ms
        return True


def inherited_tier(ledger: Ledger, row: Derived, *, reach: Reach | None = None) -> str | None:
    """
    Return the most that the parents of a row leave it: those that it names, and those that its words betray.

    A parent that cannot be found is one of which nothing is known. A row without parents keeps all. A
    *reach* is kept for the rows of one run between which nothing else comes in.
    """
    known = ledger.tiers_of(row.parents)
    tier = least(TRUSTED, *(known.get(ref) for ref in row.parents))
    if row.is_owners or tier in (UNTRUSTED, QUARANTINED):
        return tier
    return least(tier, UNTRUSTED) if _comes_from_untrusted(ledger, row, reach or Reach()) else tier


def tier_beside(row: Derived, memories: Sequence[Mapping[str, Any]]) -> str | None:
    """
    Return the most that some memories, as the table holds them, leave a text that may repeat them.

    What a trusted one of them says counts as said by the owner.
    """
    if not any(one.get("trust_tier") in _HELD_BACK for one in memories):
        return TRUSTED
    told: dict[str | None, list[str]] = {}
    for one in memories:
        said = text_terms(current_terms(one.get("terms") or "", one["text"]))
        told.setdefault(one.get("trust_tier"), []).append(said)
    for tier in _HELD_BACK:
        if is_derived(row.terms, owner=told.get(TRUSTED, ()), untrusted=told.get(tier, ())):
            return tier
    return TRUSTED


def _comes_from_untrusted(ledger: Ledger, row: Derived, reach: Reach) -> bool:
    since_ms = row.ts_ms - _SEARCHED_MS
    if row.episode_id is None and reach.is_clean(ledger, since_ms):
        return False
    stored = ledger.stored_text(row.episode_id) if row.episode_id is not None else None
    text = row.terms if stored is None else _terms(stored)
    turns, results = ledger.session_sources(row)
    owners, others = ledger.rows_like(row, search_words(text), since_ms=since_ms, read=reach.read)
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
    from sunrise.domain.text.analysis import MAX_CHARS, terms  # noqa: PLC0415  the stems load slowly

    return terms(text, max_chars=max(MAX_CHARS, len(text)))

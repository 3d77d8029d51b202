"""Decide whether a row is admitted, kept out of sight, or counted on a row that is kept already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.meaning import Meanings, finding_of
from sunrise.domain.admission.profiles import owner_speaks
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.rules import (
    DERIVED,
    FOR_OWNERS_NOTES,
    MADE,
    RULES,
    AdmissionRule,
    Surroundings,
    speaks_as_extractor,
)
from sunrise.domain.admission.worth import Odds, Worth, is_doubtful, is_held


class KeptRows(Protocol):
    """What the ledger and the rows of the running harvest know. Keys are those of kept rows."""

    def repeat_of(self, candidate: Candidate, /) -> str | None:
        """Return the row with the same fingerprint that was seen within the window."""

    def similar_to(self, candidate: Candidate, /) -> str | None:
        """Return the row that says nearly the same."""

    def group(self, rule: RuleName, candidate: Candidate, /) -> str | None:
        """Return the row that is kept for this rule, of the same agent and scope."""

    def owner_said(self, words: Sequence[str], /) -> bool:
        """Return whether one row of the owner holds all these index terms."""

    def was_recalled(self, key: str, /) -> bool:
        """Return whether a row was shown to the agent."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    What becomes of a row.

    Without a rule it is admitted. With ``collapse_onto`` it is counted on that row; ``archived`` says that it
    is the first of its kind: kept whole, hidden, and revivable.
    """

    collapse_onto: str | None = None
    rule: RuleName | None = None
    archived: bool = False

    @property
    def admitted(self) -> bool:
        """Whether the row becomes an observation that is in use."""
        return self.rule is None


ADMITTED = Verdict()


class Judge:
    """
    The rules of admission over one harvest.

    ``off`` names rules that are not applied. ``boot_files`` are the agent's, as far as they are at hand, and
    ``boot_files_for_notes`` those of them that hold no memories. With ``meanings``, rows that no rule settles
    are compared by meaning; with ``worth``, what would be let in is held back where it is not worth it. The
    judge remembers nothing: what was kept, *kept* knows.
    """

    def __init__(
        self,
        *,
        off: frozenset[str] = frozenset(),
        boot_files: BootFiles | None = None,
        boot_files_for_notes: BootFiles | None = None,
        window_ms: int,
        kept: KeptRows,
        meanings: Meanings | None = None,
        worth: Worth | None = None,
    ) -> None:
        self.window_ms = window_ms
        self._kept = kept
        self._meanings = meanings
        self._worth = worth
        self._off = off
        self._owner_speaks = False
        self._around = Surroundings(boot_files or BootFiles(()), kept.owner_said, boot_files_for_notes)
        self._duplicates = RuleName.NEAR_DUPLICATE not in off
        self._loops = RuleName.RECALL_LOOP not in off
        rules = [rule for rule in RULES if rule.name not in off]
        self._rules: dict[str, tuple[AdmissionRule, ...]] = {
            origin: tuple(rule for rule in rules if origin in rule.origins)
            for origin in frozenset().union(*(rule.origins for rule in RULES))
        }

    def hear_owner(self) -> None:
        """Take note that rows of the owner are coming: from here on, what only the agent says is weighed."""
        self._owner_speaks = True

    def judge(self, candidate: Candidate) -> Verdict:
        """
        Return the verdict on a row.

        A row that links a memory or has a label is touched only as an exact repeat that agrees in both.
        """
        bound = candidate.memory_id is not None or candidate.importance_label is not None
        odds = None if bound or self._worth is None else self._worth.odds(candidate)
        verdict = self._by_rules(candidate, odds, bound=bound)
        if verdict.admitted and odds is not None and is_held(candidate, odds):
            # Each has a row of its own, so that one can be let in.
            return Verdict(None, RuleName.HELD_BACK, archived=True)
        return verdict

    def _by_rules(self, candidate: Candidate, odds: Odds | None, *, bound: bool) -> Verdict:
        if self._meanings is not None and speaks_as_extractor(candidate):
            # A tool does not speak of the user: an extractor does, whatever ran it.
            candidate = replace(candidate, source_kind="agent")
        rule = None if bound else self._rule_of(candidate)
        if rule is not None and not (odds is not None and is_doubtful(rule, odds)):
            first = self._kept.group(rule, candidate)
            return Verdict(first, rule, archived=first is None)
        earlier = self._kept.repeat_of(candidate)
        if earlier is None and not bound and candidate.source_kind in DERIVED:
            earlier = self._kept.similar_to(candidate)
        # The meanings include the sentences of memory files, and a note would be found like itself.
        by_meaning = candidate.source_kind in MADE and not candidate.is_note and not bound
        if earlier is None and by_meaning and self._meanings:
            return self._by_meaning(candidate, self._meanings, odds)
        return ADMITTED if earlier is None else self._repeat(candidate, earlier)

    def _by_meaning(self, candidate: Candidate, meanings: Meanings, odds: Odds | None) -> Verdict:
        found = finding_of(
            candidate,
            meanings.likeness(candidate),
            # What brings too little is told better by what it looks like, where that was weighed.
            off=self._off if odds is None else self._off | {RuleName.HELD_BACK},
            boot_figures=self._around.boot_files.figures,
            owner_speaks=self._owner_is_heard,
            parts=meanings.parts,
        )
        if found is None or (odds is not None and found.key is None and is_doubtful(found.rule, odds)):
            return ADMITTED
        if found.rule is RuleName.HELD_BACK:
            # Each has a row of its own, so that one can be let in.
            return Verdict(found.key, found.rule, archived=found.key is None)
        if found.key is not None:
            return self._repeat(candidate, found.key)
        first = self._kept.group(found.rule, candidate)
        return Verdict(first, found.rule, archived=first is None)

    def _owner_is_heard(self) -> bool:
        self._owner_speaks = self._owner_speaks or owner_speaks(self._kept.owner_said)
        return self._owner_speaks

    def _rule_of(self, candidate: Candidate) -> RuleName | None:
        words: frozenset[str] | None = None
        rules = self._rules.get(candidate.source_kind, ())
        if candidate.is_owners_note:
            rules = tuple(rule for rule in rules if rule.name in FOR_OWNERS_NOTES)
        for rule in rules:
            if rule.hints:
                words = frozenset(candidate.terms.split()) if words is None else words
                if rule.hints.isdisjoint(words):
                    continue
            if rule.fires(candidate, self._around):
                return rule.name
        return None

    def _repeat(self, candidate: Candidate, earlier: str) -> Verdict:
        if self._loops and candidate.source_kind in DERIVED - {"web"} and self._kept.was_recalled(earlier):
            return Verdict(earlier, RuleName.RECALL_LOOP)
        return Verdict(earlier, RuleName.NEAR_DUPLICATE) if self._duplicates else ADMITTED

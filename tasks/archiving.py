"""Steps that carry out the verdicts of the lifecycle, or hold them back and show what would have gone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from reports.sections import Section
from sunrise.bootstrap import Home
from sunrise.domain.records import Change, RecordState, memory_ref
from sunrise.domain.retention import Verdict, too_much
from sunrise.errors import DataError
from sunrise.online.named_memory import ambiguous_ids
from sunrise.ports import MemoryTable
from tasks.lifecycle import Judged, archive_limit
from tasks.memories import change_memories, change_of
from tasks.run_frame import Run
from tasks.snapshot import take

WITHHELD = "withheld"
_PREVIEW = "lifecycle_preview:"
_PREVIEWS_KEPT = 14
"""So many runs that archived nothing can still be approved: two weeks of nights."""

_SHOWN_ON_PAGE = 1_000


def withheld(judged: Sequence[Judged], run: Run) -> list[Judged]:
    """Return what must not be archived without being asked about, all of it or nothing."""
    going = [one for one in judged if one.verdict is Verdict.ARCHIVE]
    active = Counter(one.store for one in judged if one.standing.state != RecordState.ARCHIVED)
    archived = Counter(one.store for one in going)
    stores = too_much(archive_limit(run.home), archived, active)
    if not stores:
        return []
    said = " and ".join(f"{archived[store]} of {active[store]} active {store}" for store in stores)
    share = run.home.settings.lifecycle.max_archived_share
    cure = "" if run.dry_run else f": look at its page, then `sunrise lifecycle approve {run.run_id}`"
    run.anomaly(
        "too_much_to_archive",
        f"would archive {said}, more than {share:.0%}, and so archives nothing{cure}",
        len(going),
    )
    return going


def count_judged(run: Run, judged: Sequence[Judged], held_back: Sequence[Judged]) -> None:
    """Count verdicts: archived or held back by tier, importance and reason, protected by reason."""
    gone = WITHHELD if held_back else "archived"
    for one in judged:
        if one.verdict is Verdict.ARCHIVE:
            count_going(run, one, gone)
        else:
            counted = _COUNTED.get(one.verdict, "protected")
            run.count(seen=1, **{counted: 1})
            if counted == "protected":
                run.tally("protected_by_reason", one.verdict)


def count_going(run: Run, one: Judged, gone: str) -> None:
    """Count one record that is archived, or held back."""
    run.count(seen=1, **{gone: 1})
    run.tally(f"{gone}_by_tier", one.tier)
    run.tally(f"{gone}_by_importance", one.standing.importance_label or "unknown")
    run.tally(f"{gone}_by_reason", one.standing.why_archived)


def show_withheld(run: Run, held_back: Sequence[Judged]) -> None:
    """Put into receipt and page what would have been archived, and keep it so that it can be approved."""
    run.name(WITHHELD, [one.record_ref for one in held_back])
    shown = held_back[:_SHOWN_ON_PAGE]
    rows = tuple(
        (one.record_ref, one.tier, one.standing.importance_label or "unknown", one.standing.why_archived)
        for one in shown
    )
    note = "Nothing of this was archived."
    if not run.dry_run:
        note += f" `sunrise lifecycle approve {run.run_id}` lets it go."
    if len(held_back) > len(shown):
        note += f" The first {len(shown)} of {len(held_back)} are shown."
    columns = ("record", "tier", "importance", "reason")
    run.sections.append(Section(title="Would be archived", note=note, columns=columns, rows=rows))
    run.write(keep_preview, run.home, run.run_id, [one.record_ref for one in held_back])


def keep_preview(home: Home, run_id: str, refs: Sequence[str]) -> None:
    """Keep what a run would have archived, and forget the oldest of many."""
    home.ledger.put_note(f"{_PREVIEW}{run_id}", json.dumps(refs))
    for name in home.ledger.note_names(_PREVIEW)[:-_PREVIEWS_KEPT]:
        home.ledger.drop_note(name)


def read_preview(home: Home, run_id: str) -> frozenset[str]:
    """
    Return what a run would have archived.

    Raises:
        DataError: The run held nothing back, or it is too long ago.
    """
    kept = home.ledger.get_note(f"{_PREVIEW}{run_id}")
    if kept is None:
        raise DataError(f"nothing of the run {run_id} waits to be approved", reason="nothing_to_approve")
    return frozenset(json.loads(kept))


def still_going(judged: Sequence[Judged], previewed: Collection[str]) -> list[Judged]:
    """Return those of a preview that would still be archived: not used since, and no other grade."""
    return [one for one in judged if one.verdict is Verdict.ARCHIVE and one.record_ref in previewed]


def expired(table: MemoryTable | None, judged: Sequence[Judged], *, now_ms: int) -> list[Change]:
    """Return the changes that archive memories whose time is over, but for those that are archived anyway."""
    if table is None or "expires_at_ms" not in table.schema().names:
        return []
    archived = {one.record_ref for one in judged if one.verdict is Verdict.ARCHIVE}
    where = f"expires_at_ms <= {now_ms} AND (state IS NULL OR state <> 'archived')"
    rows = table.scan(["id", "state", "archived_at_ms"], where=where).to_pylist()
    ambiguous = ambiguous_ids(table) if rows else frozenset()
    return [
        made
        for row in rows
        if row["id"] and row["id"] not in ambiguous and memory_ref(row["id"]) not in archived
        for made in _archived(
            memory_ref(row["id"]), row["state"], row["archived_at_ms"], now_ms=now_ms, reason="expired"
        )
    ]


def carry_out(
    run: Run, table: MemoryTable | None, judged: Sequence[Judged], ended: Sequence[Change] = ()
) -> None:
    """Take a snapshot, then change both stores as the verdicts say; with nothing to change, do nothing."""
    made = [change for one in judged for change in _changes(one, run.started_ms)]
    observations = [one for one in made if one.record_ref.startswith("obs:")]
    memories = [*(one for one in made if one.record_ref.startswith("mem:")), *ended]
    if run.dry_run or not (observations or memories):
        return
    run.facts["snapshot"] = run.step(take, run.home, table, reason="before-lifecycle")
    run.step(change_observations, run.home, observations, run_id=run.run_id)
    if table is not None and memories:
        change_memories(run, table, memories)


def change_observations(home: Home, changes: list[Change], *, run_id: str) -> int:
    """Carry out changes of observations; return how many changed."""
    return home.ledger.apply_to_observations(changes, run_id=run_id)


_COUNTED = {Verdict.REVIVE: "revived", Verdict.REST: "already_archived"}


def _changes(one: Judged, now_ms: int) -> Iterator[Change]:
    held = one.standing
    if one.verdict is Verdict.ARCHIVE:
        yield from _archived(
            one.record_ref, held.state, held.archived_at_ms, now_ms=now_ms, reason=one.standing.why_archived
        )
    elif one.verdict is Verdict.REVIVE:
        reason, state = "used_again", str(RecordState.ACTIVE)
        yield change_of(one.record_ref, "state", before=held.state, after=state, reason=reason)
        yield change_of(
            one.record_ref, "archived_at_ms", before=held.archived_at_ms, after=None, reason=reason
        )


def _archived(
    ref: str, state: str | None, archived_at_ms: int | None, *, now_ms: int, reason: str
) -> Iterator[Change]:
    yield change_of(ref, "state", before=state, after=str(RecordState.ARCHIVED), reason=reason)
    yield change_of(ref, "archived_at_ms", before=archived_at_ms, after=now_ms, reason=reason)

"""Steps of an erasure: what forgotten memories said goes from every store, or it is told where it stays."""

from __future__ import annotations

from collections.abc import Sequence

from reports.sections import Section
from sunrise.bootstrap import Home
from sunrise.domain.erasure import HolderKind, MemoriesHolding, StillHolds, told_in
from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.forget import Tombstone
from sunrise.domain.records import memory_ref
from sunrise.domain.row_names import ROW_COLUMNS
from sunrise.domain.sought_texts import SHORTEST, is_telling, sought_texts
from sunrise.errors import DataError, StoreError
from sunrise.online.burial import bury, finish_burials
from sunrise.online.derived import records_made_of
from sunrise.online.named_memory import own_names
from sunrise.ports import MemoryTable
from tasks.erasure_intent import INTENT, ErasureIntent, read_erasure, remove_erasure, write_erasure
from tasks.erasure_looks import TEXT_STORES, Look, Wanted, look_through
from tasks.restore import all_leases
from tasks.run_frame import Run
from tasks.snapshot import LEDGER_COPY
from tasks.sweep import finish_ledger, give_up_snapshots, open_existing, remove_backups

UNDO = "refused: nothing is kept of what was erased"


def erase_forgotten(run: Run, memory_ids: Sequence[str], *, with_derived: bool, backups: bool) -> None:
    """
    Take what forgotten memories said out of every store, while no other flow is at work.

    Raises:
        DataError: One of the memories was not forgotten; reason ``not_forgotten``.
        SkipRun: Another flow is at work; the run ends as busy.
        StoreError: A store failed; the same erasure finishes it.
    """
    run.balance("found", "erased", "left")
    run.facts["undo"] = UNDO
    with all_leases(run):
        table = run.step(open_existing, run.home)
        if with_derived and table is not None:
            run.write(bury_derived, run.home, table, memory_ids, run_id=run.run_id)
        wanted = run.step(plan_erasure, run.home, table, memory_ids, with_derived=with_derived)
        run.write(begin_erasure, run.home, wanted.intent)
        before = run.step(look_before, run.home, table, wanted)
        if run.dry_run:
            _tell(run, wanted, before, before)
            run.facts["complete"] = "no"
            return
        failed = _take_out(run, table, wanted, before, backups=backups)
        after = run.step(look_after, run.home, table, wanted)
        if failed:
            after.files += (StillHolds(INTENT, HolderKind.INTENT),)
        _tell(run, wanted, before, after)
        if _is_complete(run, wanted, after):
            run.write(finish_erasure, run.home, wanted.intent)
        else:
            run.anomaly("text_remains", _advice(run, after), max(len(after.holding), 1))
        if not failed:
            run.step(remove_erasure, run.home.path)


def bury_derived(home: Home, table: MemoryTable, memory_ids: Sequence[str], *, run_id: str) -> int:
    """Forget the memories that were made of others; return how many rows the table let go of."""
    _, made = records_made_of(home.ledger.buried_with(memory_ids), ledger=home.ledger)
    rows = table.by_ids(made, ROW_COLUMNS).to_pylist()
    # Of rows that share an id nobody knows which was made of it.
    rows = [row for row, name in zip(rows, own_names(rows, memories=table), strict=True) if name == row["id"]]
    stones = [
        Tombstone(row["id"], row["text"] or "", row["scope"] or DEFAULT_SCOPE, "derived", row["state"])
        for row in rows
    ]
    return bury(stones, memories=table, ledger=home.ledger, run_id=run_id)[0] if stones else 0


def plan_erasure(
    home: Home, table: MemoryTable | None, memory_ids: Sequence[str], *, with_derived: bool
) -> Wanted:
    """
    Return what is to be erased: these memories, those forgotten with them, and what all of them ever said.

    What a killed erasure left is erased too.

    Raises:
        DataError: One of the memories was not forgotten; reason ``not_forgotten``.
    """
    if missing := sorted({*memory_ids} - home.ledger.buried(memory_ids)):
        msg = f"forget it first: {', '.join(map(memory_ref, missing))}"
        raise DataError(msg, reason="not_forgotten")
    left = read_erasure(home.path)
    names = home.ledger.buried_with((*memory_ids, *left.memory_ids))
    refs: tuple[str, ...] = ()
    derived, made = records_made_of(names, ledger=home.ledger)
    if with_derived:
        names = home.ledger.buried_with((*names, *home.ledger.buried(made)))
        refs = tuple(ref for ref in derived if not ref.startswith(memory_ref("")))
    texts = _texts(home, table, frozenset(names))
    intent = ErasureIntent(names, refs, texts).joined(left)
    return Wanted(intent, sought_texts(intent.texts), () if with_derived else derived)


def begin_erasure(home: Home, intent: ErasureIntent) -> None:
    """Note what is erased, so that a killed erasure can be finished."""
    write_erasure(home.path, intent)
    home.ledger.begin_erasure(intent.memory_ids)


def look_before(home: Home, table: MemoryTable | None, wanted: Wanted) -> Look:
    """Look through the home as it is."""
    return look_through(home, table, wanted)


def look_after(home: Home, table: MemoryTable | None, wanted: Wanted) -> Look:
    """Look through the home once more."""
    return look_through(home, table, wanted)


def finish_erasure(home: Home, intent: ErasureIntent) -> None:
    """Note that nothing holds any more what these memories said."""
    home.ledger.finish_erasure(intent.memory_ids)


def erase_from_files(home: Home, wanted: Wanted) -> list[str]:
    """Blank spool and capture files in place, scrub receipts, pages, quarantine, evaluations."""
    done = [scrub(home, dry_run=False, scrubber=wanted.scrubber) for scrub in TEXT_STORES.values()]
    return [complaint for one in done for complaint in one.failed]


def erase_from_ledger(home: Home, wanted: Wanted, found: Look, *, run_id: str) -> int:
    """Empty the rows that speak of the memories, and take their texts out of all others."""
    rows = {(one.table, one.key) for one in found.rows}
    texts = [one for one in found.texts if (one.table, one.key) not in rows]
    return home.ledger.erase_records(found.rows, texts, scrubber=wanted.scrubber, run_id=run_id)


def erase_from_memories(
    home: Home, table: MemoryTable, found: MemoriesHolding, *, backups: bool
) -> tuple[int, tuple[str, ...]]:
    """Delete every version that shows them; return how many, and the snapshots that lost theirs."""
    finish_burials(memories=table, ledger=home.ledger)
    deleted = table.erase(found, tags=backups)
    return deleted, give_up_snapshots(home, table) if backups else ()


def _texts(home: Home, table: MemoryTable | None, names: frozenset[str]) -> tuple[str, ...]:
    found = home.ledger.texts_known_of(names) | (table.texts_of(names) if table is not None else frozenset())
    for path in sorted(home.backups.glob(f"*/{LEDGER_COPY}")):
        try:
            found |= home.ledger.texts_in_copy(path, names)
        except StoreError:
            # It is told as one that nobody can read.
            continue
    return tuple(sorted(text for text in found if text.strip()))


def _take_out(run: Run, table: MemoryTable | None, wanted: Wanted, found: Look, *, backups: bool) -> bool:
    """Take them out of every store; return whether something of that has to be tried again."""
    home = run.home
    if complaints := run.step(erase_from_files, home, wanted):
        run.anomaly("file_not_scrubbed", "; ".join(complaints), len(complaints))
    run.step(erase_from_ledger, home, wanted, found, run_id=run.run_id)
    is_read = home.ledger.needs_finishing() and run.step(finish_ledger, home) is False
    if is_read:
        run.anomaly(
            "ledger_is_being_read",
            "another program holds the ledger open: close it and erase again, its old pages are still there",
        )
    if backups:
        run.count(backups_removed=len(run.step(remove_backups, home, _removable(found))))
    if table is not None:
        deleted, given_up = run.step(erase_from_memories, home, table, found.memories, backups=backups)
        run.count(versions_deleted=deleted, snapshots_given_up=len(given_up))
    return bool(complaints) or is_read


def _removable(found: Look) -> list[str]:
    """Return the snapshots that hold a text, in their copy of the ledger or of the memories."""
    folders = [one.name.split("/")[1] for one in found.files if one.kind is HolderKind.BACKUP]
    return sorted({*found.backups, *found.memories.stained_tags, *folders})


def _tell(run: Run, wanted: Wanted, before: Look, after: Look) -> None:
    left = after.counts
    for place, count in before.counts.items():
        # What came in meanwhile was there to be found.
        found = max(count, left.get(place, 0))
        run.tally("found_by_place", place, found)
        run.tally("erased_by_place", place, found - left.get(place, 0))
        run.tally("left_by_place", place, left.get(place, 0))
        run.count(found=found, erased=found - left.get(place, 0), left=left.get(place, 0))
    run.facts["by_text"] = _by_text(wanted.intent.texts)
    run.count(memories=len(wanted.intent.memory_ids), texts=len(wanted.intent.texts))
    run.name("memories", list(map(memory_ref, wanted.intent.memory_ids)))
    run.name("derived", wanted.derived)
    run.name("found_in", [one.name for one in before.files])
    run.count(files_found=len(before.files), still_holds=len(after.holding))
    for kind in HolderKind:
        names = [one.name for one in after.holding if one.kind is kind]
        if names:
            run.name(told_in(kind), names)
    if after.unreadable:
        named = ", ".join(after.unreadable)
        run.anomaly("backup_unreadable", f"no ledger can be read in {named}", len(after.unreadable))
    if after.holding:
        rows = tuple((one.kind.value, one.name) for one in after.holding)
        run.sections.append(Section(title="What still holds it", columns=("kind", "where"), rows=rows))


def _is_complete(run: Run, wanted: Wanted, after: Look) -> bool:
    told, names = run.facts["by_text"], wanted.memory_ids
    # What was erased once leaves nothing to search for.
    is_sure = told == "yes" or (not wanted.intent.texts and names <= run.home.ledger.erased(done=True))
    complete = is_sure and not (after.holding or after.unreadable or any(after.counts.values()))
    run.facts["complete"] = "yes" if complete else "no"
    return complete


def _by_text(texts: Sequence[str]) -> str:
    short = sum(not is_telling(text) for text in texts)
    if not texts:
        return "no: nobody knows any more what they said"
    if short:
        return (
            f"{'no' if short == len(texts) else 'in part'}: a text under {SHORTEST} characters is everywhere"
        )
    return "yes"


def _advice(run: Run, after: Look) -> str:
    kinds = {one.kind for one in after.holding}
    advice = [_ADVICE[kind] for kind in HolderKind if kind in kinds]
    told = run.facts["by_text"]
    if told != "yes":
        advice.append(f"erased by rows only, no text was searched for ({told})")
    return "; ".join(dict.fromkeys(advice or ["something could not be read or written"]))


_ADVICE = {
    HolderKind.MEMORY: "memories say it too: forget them by their id",
    HolderKind.SNAPSHOT: "snapshots hold it: --backups removes them",
    HolderKind.TABLE: "files of the memories table hold it, for a snapshot or another memory",
    HolderKind.BACKUP: "snapshots hold it: --backups removes them",
    HolderKind.GOLDEN: "a golden set asks for it: change the file",
    HolderKind.LEDGER: "the ledger's file holds it: erase again",
    HolderKind.INTENT: "erase again once the files can be written",
    HolderKind.FILE: "files that nobody scrubs hold it: look at each of them",
}

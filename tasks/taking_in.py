"""Steps that take in what another writer added: looked at for payloads and secrets, then analysed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import polars as pl
import pyarrow as pa

from sunrise.bootstrap import Home
from sunrise.domain.filters import both
from sunrise.domain.records import memory_ref
from sunrise.domain.row_names import ROW_COLUMNS, of_ids, row_name
from sunrise.domain.text.dated_terms import dated_terms
from sunrise.domain.trust import QUARANTINED, TRUSTED, least
from sunrise.online.burial import RETURNING, bury_returned, delete_named
from sunrise.online.named_memory import ambiguous_ids, rows_named
from sunrise.ports import Ledger, MemoryTable
from tasks.memories import change, change_memories, is_empty
from tasks.run_frame import Run
from tasks.term_renewal import renew_terms

_BATCH = 20_000
_NEWS = {"id": pl.String, "text": pl.String, "trust_tier": pl.String, "createdAt": pl.Float64}
_WITH_SECRETS = "memories.with_secrets"
_REMEMBERED = 10_000
"""Ids of memories with secrets that are looked at again; a sweep finds them all."""


@dataclass(frozen=True, slots=True)
class Distrusted:
    """A memory that looks like an order to the model: its id, the tier that it had, the reason codes."""

    id: str
    tier: str | None
    codes: tuple[str, ...]


def take_in(run: Run, table: MemoryTable) -> None:
    """
    Take in the memories that have no analysed terms yet: nobody of ours has seen them.

    Those that look like an order to the model go to quarantine, those that only call themselves trusted are
    of unknown trust, the operator hears of secrets, and then all get their terms, so that none is looked at
    twice. Texts and vectors stay as they are.
    """
    forget_returned(run, table)
    named = run.step(read_news, table)
    unnamed = run.step(read_unnamed, table)
    news = pl.concat([named, unnamed], how="vertical_relaxed")
    found = run.step(screen_news, run.home, news)
    quarantine(run, table, found)
    trust_less(run, table, run.step(unproven, run.home, news, found))
    tell_of_secrets(run, table, run.step(find_secrets, news))
    zone = run.home.settings.timezone
    filled = run.write(fill_terms, table, named, zone)
    run.count(backfilled=named.height if filled is None else filled)
    filled = run.write(fill_unnamed, table, zone) if unnamed.height else 0
    run.count(backfilled=unnamed.height if filled is None else filled)
    renew_terms(run, table)


def forget_returned(run: Run, table: MemoryTable) -> None:
    """Delete what is forgotten and has come back: by its id, or as the text of a memory that is new."""
    if not run.home.ledger.buried():
        return
    gone = run.write(delete_returned, run.home, table) or []
    run.count(forgotten_again=len(gone))
    run.name("forgotten_again", [memory_ref(name) for name in gone])


def delete_returned(home: Home, table: MemoryTable) -> list[str]:
    """Delete memories that are forgotten; return their ids."""
    buried = sorted(home.ledger.buried())
    there = [str(name) for name in table.by_ids(buried, ["id"]).column("id").to_pylist()]
    there += map(row_name, rows_named(buried, (), memories=table).to_pylist())
    delete_named(there, memories=table)
    names = table.schema().names
    where = "terms IS NULL" if "terms" in names else None
    news = table.scan(RETURNING, where=where).to_pylist()
    return sorted({*there, *bury_returned(news, memories=table, ledger=home.ledger)})


def read_news(table: MemoryTable) -> pl.DataFrame:
    """Return id, text, trust_tier and createdAt of what was not taken in, and has an id that is its alone."""
    rows = _news(pl.DataFrame(table.scan(list(_NEWS), where=_not_taken_in(table))))
    named = rows.filter(pl.col("id").is_not_null() & (pl.col("id") != ""))
    return named.filter(~pl.col("id").is_in(list(ambiguous_ids(table)))) if named.height else named


def read_unnamed(table: MemoryTable) -> pl.DataFrame:
    """Return the same of the rows that no id tells apart; ``id`` is the name of the row."""
    rows = _unnamed(table)
    if rows is None:
        return pl.DataFrame(schema=_NEWS)
    names = pl.Series("id", list(map(row_name, rows.to_pylist())), pl.String)
    return _news(pl.DataFrame(rows).with_columns(names))


def _news(rows: pl.DataFrame) -> pl.DataFrame:
    missing = {name: kind for name, kind in _NEWS.items() if name not in rows.columns}
    return rows.with_columns(pl.lit(None, dtype=kind).alias(name) for name, kind in missing.items()).select(
        *_NEWS
    )


def _not_taken_in(table: MemoryTable) -> str | None:
    return "terms IS NULL" if "terms" in table.schema().names else None


def _unnamed(table: MemoryTable) -> pa.Table | None:
    news = _not_taken_in(table)
    if news and not table.scan(["id"], where=news).num_rows:
        # Where nothing is new not all ids are read.
        return None
    ambiguous = ambiguous_ids(table)
    return table.placed(ROW_COLUMNS, where=both(of_ids(ambiguous), news) or "true") if ambiguous else None


def screen_news(home: Home, news: pl.DataFrame) -> list[Distrusted]:
    """
    Return the memories that look like an order to the model.

    None of which an operator has decided. The owner's own words are judged as such where the ledger knows
    them for his.
    """
    from sunrise.adapters.payload_gate import suspects
    from sunrise.domain.payloads import screen

    if news.is_empty():
        return []
    seen = news[suspects(news["text"].fill_null("").to_arrow())]
    seen = seen.filter(pl.col("trust_tier").fill_null("") != QUARANTINED)
    known = _standings(home.ledger, seen["id"].to_list())
    found = []
    for memory_id, text, tier in seen.select("id", "text", "trust_tier").iter_rows():
        said, is_decided = known[memory_id]
        codes = () if is_decided else screen(text or "", owner=said == TRUSTED)
        if codes:
            found.append(Distrusted(memory_id, None if is_empty(tier) else tier, tuple(codes)))
    return found


def quarantine(run: Run, table: MemoryTable, found: list[Distrusted]) -> None:
    """Put memories into quarantine, and tell the operator."""
    run.count(memories_quarantined=len(found))
    run.name("distrusted", [memory_ref(one.id) for one in found])
    for one in found:
        run.tally("distrusted_by_reason", f"payload:{one.codes[0]}")
    if not found:
        return
    changes = [
        change(one.id, "trust_tier", before=one.tier, after=QUARANTINED, reason=f"payload:{one.codes[0]}")
        for one in found
    ]
    if not run.dry_run:
        change_memories(run, table, changes)
    run.anomaly("poisoned_memories", "memories look like instructions to the model", len(found))


def unproven(home: Home, news: pl.DataFrame, found: list[Distrusted]) -> list[str]:
    """Return the memories that call themselves trusted, and neither the ledger nor an operator does."""
    claimed = news.filter(pl.col("trust_tier") == TRUSTED)["id"].to_list()
    if not claimed:
        return []
    known, hidden = _standings(home.ledger, claimed), {one.id for one in found}
    proven = {one for one, (tier, is_decided) in known.items() if is_decided or tier == TRUSTED}
    return [one for one in claimed if one not in proven | hidden]


def trust_less(run: Run, table: MemoryTable, ids: list[str]) -> None:
    """Take the tier away that memories claim for themselves: a text gives itself none."""
    run.count(trusted_less=len(ids))
    if ids and not run.dry_run:
        change_memories(
            run,
            table,
            [change(one, "trust_tier", before=TRUSTED, after=None, reason="claimed_trust") for one in ids],
        )


def find_secrets(news: pl.DataFrame) -> list[str]:
    """Return the ids of memories in which a secret stands."""
    from sunrise.adapters.secret_gate import redact_column

    if news.is_empty():
        return []
    held = redact_column(news["text"].fill_null("").to_arrow()).kinds
    return [str(news["id"][place]) for place in sorted(held)]


def tell_of_secrets(run: Run, table: MemoryTable, found: list[str]) -> None:
    """Tell the operator of memories that hold a secret, at each run for as long as one does."""
    known = json.loads(run.home.ledger.get_note(_WITH_SECRETS) or "[]")
    still = find_secrets(_texts(table, known)) if known else []
    holding = list(dict.fromkeys([*still, *found]))[:_REMEMBERED]
    run.count(secrets_in_memories=len(holding))
    if holding != known and not run.dry_run:
        run.home.ledger.put_note(_WITH_SECRETS, json.dumps(holding))
    if holding:
        run.anomaly(
            "secrets_in_memories",
            "memories hold secrets: run `sunrise sweep` to take them out",
            len(holding),
        )


def fill_terms(table: MemoryTable, news: pl.DataFrame, zone: str) -> int:
    """Give memories their analysed terms, with the day that each is of; return how many."""
    place = ZoneInfo(zone)
    for part in news.iter_slices(_BATCH):
        rows = part.select("text", "createdAt").iter_rows()
        analysed = [dated_terms(text or "", created, place) for text, created in rows]
        ids = pa.array(part["id"].to_list(), pa.string())
        table.merge(pa.table({"id": ids, "terms": pa.array(analysed, pa.string())}))
    return news.height


def fill_unnamed(table: MemoryTable, zone: str) -> int:
    """Give rows that no id tells apart their analysed terms; return how many."""
    rows, place = _unnamed(table), ZoneInfo(zone)
    if rows is None:
        return 0
    analysed = [dated_terms(row["text"] or "", row.get("createdAt"), place) for row in rows.to_pylist()]
    return table.write_placed(rows, "terms", analysed)


def _texts(table: MemoryTable, ids: list[str]) -> pl.DataFrame:
    called = rows_named(ids, (), memories=table).to_pylist()
    named = table.by_ids(ids, ["id", "text"]).to_pylist()
    rows = [*((row["id"], row["text"]) for row in named), *((row_name(row), row["text"]) for row in called)]
    return pl.DataFrame(rows, schema={"id": pl.String, "text": pl.String}, orient="row")


def _standings(ledger: Ledger, ids: list[str]) -> dict[str, tuple[str | None, bool]]:
    """Return of each memory the tier that the ledger knows, and whether an operator decided on it."""
    rows: dict[str, list[tuple[str, str | None]]] = {memory_id: [] for memory_id in ids}
    for one in ledger.standings_of_memories(ids):
        rows[str(one.memory_id)].append((one.ref, one.tier))
    refs = [memory_ref(memory_id) for memory_id in ids] + [ref for named in rows.values() for ref, _ in named]
    decided = ledger.decided_by_operator(refs)
    return {
        memory_id: (
            least(*(tier for _, tier in named)),
            not decided.isdisjoint([memory_ref(memory_id), *(ref for ref, _ in named)]),
        )
        for memory_id, named in rows.items()
    }

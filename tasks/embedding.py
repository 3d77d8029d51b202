"""Steps of embedding: find the memories without a vector of a model, make it, put it beside the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.domain.vector_space import LEGACY_COLUMN
from sunrise.ports import Embedder, MemoryTable
from tasks.embedding_stage import Stage, digest_of, vectors_in
from tasks.progress import Progress

BATCH = 1024
"""Texts in one call of a model and in one staged file: what a kill costs at most."""

MERGE_NUMBERS = 25_000_000
"""Merged at once: 50,000 vectors of 512, with 1 GB of memory. Each merge rewrites the columns it meets."""

_PROBE = "The quick brown fox"
"""A text that no model refuses: an embedder that fails on it is down."""

_SCHEMA = pa.schema([pa.field("id", pa.string()), pa.field("text", pa.string())])


@dataclass(frozen=True, slots=True)
class Unembedded:
    """
    The memories by what they need of a column: seen = len(rows) + kept + empty + unnamed.

    ``rows`` have ``id`` and ``text``. ``unnamed`` have no id of their own, so that nothing can be written to
    them. ``faults`` count the vectors that are there and of no use.
    """

    rows: pa.Table
    seen: int
    kept: int
    empty: int
    unnamed: int
    faults: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Embedded:
    """What came of embedding: how many were made, which memories failed, and why it stopped, if it did."""

    made: int = 0
    failed: list[str] = field(default_factory=list)
    stopped: str | None = None


def find_unembedded(table: MemoryTable, column: str, *, check: bool) -> Unembedded:
    """
    Return the memories without a vector in a column, which may not be there yet.

    With *check* every vector of the column is looked at, and those of no use count as missing.
    """
    is_there = column in table.schema().names
    seen = table.scan(["id"]).num_rows
    missing = table.scan(["id", "text"], where=f"{column} IS NULL" if is_there else None)
    faults = table.vector_faults(column) if is_there and check else None
    if faults is not None and faults.num_rows:
        bad = table.by_ids(faults.column("id").drop_null().to_pylist(), ["id", "text"])
        missing = pa.concat_tables([missing.cast(_SCHEMA), bad.cast(_SCHEMA)])
    named = _named_once(missing)
    texts = pc.utf8_trim_whitespace(pc.fill_null(named.column("text"), ""))
    rows = named.filter(pc.not_equal(texts, ""))
    return Unembedded(
        rows=rows,
        seen=seen,
        kept=seen - missing.num_rows,
        empty=named.num_rows - rows.num_rows,
        unnamed=missing.num_rows - named.num_rows,
        faults=Counter(faults.column("fault").to_pylist()) if faults is not None else {},
    )


def oldest(table: MemoryTable, rows: pa.Table, limit: int) -> pa.Table:
    """Return at most so many of the rows, those of the oldest memories."""
    if rows.num_rows <= limit:
        return rows
    times = table.scan(["id", "createdAt"])
    if "createdAt" not in times.column_names:
        return rows.slice(0, limit)
    places = pc.index_in(rows.column("id").combine_chunks(), value_set=times.column("id").combine_chunks())
    timed = rows.append_column("createdAt", times.column("createdAt").take(places))
    keys = [("createdAt", "ascending"), ("id", "ascending")]
    return timed.sort_by(keys).slice(0, limit).select(_SCHEMA.names)


def count_foreign(table: MemoryTable) -> int:
    """Return how many memories have a vector of somebody else's in the column that is not ours."""
    names = table.schema().names
    if LEGACY_COLUMN not in names:
        return 0
    # Counted by the rows: a filter on the vectors themselves would hold all of them in memory.
    ours = table.scan(["id"], where="embedding_model IS NOT NULL") if "embedding_model" in names else None
    return max(0, table.count_vectors(LEGACY_COLUMN) - (ours.num_rows if ours is not None else 0))


def embed_batches(rows: pa.Table, embedder: Embedder, stage: Stage) -> Embedded:
    """
    Make the vectors that are not staged yet, and stage them.

    A batch that fails is halved down to the text that is at fault. An embedder that fails on a plain text too
    is down: what is staged stays, and the next run goes on from there.
    """
    done, result = stage.digests(), Embedded()
    with Progress("embed", unit="texts") as progress:
        for ids, texts in _batches(rows):
            digests = list(map(digest_of, texts))
            todo = [place for place, name in enumerate(ids) if done.get(name) != digests[place]]
            vectors = _vectors([texts[place] for place in todo], embedder)
            good = [place for place, vector in zip(todo, vectors, strict=True) if vector is not None]
            made = [vector for vector in vectors if vector is not None]
            if made:
                stage.put([ids[p] for p in good], [digests[p] for p in good], np.stack(made))
            result.made += len(made) + len(ids) - len(todo)
            progress.advance(len(ids))
            if len(made) < len(todo) and not is_up(embedder):
                result.stopped = "embedder_failed"
                return result
            result.failed += [ids[place] for place in todo if place not in set(good)]
    return result


def is_up(embedder: Embedder) -> bool:
    """Return whether an embedder takes a plain text."""
    return _whole([_PROBE], embedder) is not None


def merge_staged(table: MemoryTable, column: str, stage: Stage, *, rows: pa.Table, dimension: int) -> int:
    """
    Put what was staged of these rows into the table in few merges; return how many memories got a vector.

    A memory that is gone meanwhile, or whose text is another now, is left out.
    """
    written, wanted = 0, set(rows.column("id").to_pylist())
    for chunk in stage.chunks(max(1, MERGE_NUMBERS // dimension)):
        ids, staged = chunk.column("id").to_pylist(), chunk.column("digest").to_pylist()
        now = _named_once(table.by_ids(ids, ["id", "text"]))
        texts = zip(now.column("id").to_pylist(), now.column("text").to_pylist(), strict=True)
        digests = {name: digest_of(text or "") for name, text in texts if name in wanted}
        # Of a text that came back after a change there are two, and they are the same.
        places = {name: at for at, name in enumerate(ids) if digests.get(name) == staged[at]}
        if places:
            found = chunk.take(pa.array(places.values(), pa.int64()))
            written += table.write_vectors(column, list(places), vectors_in(found))
    return written


def _batches(rows: pa.Table) -> Iterator[tuple[list[str], list[str]]]:
    for start in range(0, rows.num_rows, BATCH):
        part = rows.slice(start, BATCH)
        yield part.column("id").to_pylist(), part.column("text").to_pylist()


def _vectors(texts: Sequence[str], embedder: Embedder) -> list[np.ndarray | None]:
    """Return a vector for each text, None where the embedder makes none of it."""
    if not texts:
        return []
    whole = _whole(texts, embedder)
    if whole is not None:
        return list(whole)
    if len(texts) == 1 or not is_up(embedder):
        return [None] * len(texts)
    middle = len(texts) // 2
    return [*_vectors(texts[:middle], embedder), *_vectors(texts[middle:], embedder)]


def _whole(texts: Sequence[str], embedder: Embedder) -> np.ndarray | None:
    try:
        vectors = np.asarray(embedder.embed(texts), dtype=np.float32)
    except Exception:  # Whatever breaks in a model or its network: the run goes on without.
        return None
    is_sound = vectors.shape == (len(texts), embedder.dimension) and bool(
        np.isfinite(vectors).all() and vectors.any(axis=1).all()
    )
    return vectors if is_sound else None


def _named_once(rows: pa.Table) -> pa.Table:
    """Return the rows whose id is theirs alone: by one that stands there twice nothing can be merged."""
    rows = rows.cast(_SCHEMA)
    counts = pc.value_counts(rows.column("id").drop_null())
    once = counts.field("values").filter(pc.equal(counts.field("counts"), 1))
    return rows.filter(pc.is_in(rows.column("id"), value_set=once))

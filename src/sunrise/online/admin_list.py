"""One page of memories, newest first: ids and dates of all that are meant, texts of the page alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, tzinfo
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from sunrise.domain.admin import Backend, ListRequest, ListResult
from sunrise.domain.filters import both
from sunrise.domain.page_cursor import PageEnd, read_cursor, written_cursor
from sunrise.domain.record_views import MemoryView
from sunrise.domain.records import memory_ref
from sunrise.domain.row_names import ROW_COLUMNS, names_among, of_ids, row_name
from sunrise.online.admin_rows import KEY_COLUMNS, VIEW_COLUMNS, memories_in, times_of, views_of
from sunrise.online.admin_trail import AdminTrail
from sunrise.ports import Clock, MemoryReader

_UNKNOWN: Final = -1.0
"""Stands for an unknown age: after the oldest."""

_ORDER: Final = [("created", "descending"), ("id", "ascending")]


def list_memories(
    request: ListRequest,
    *,
    memories: MemoryReader | None,
    clock: Clock,
    backend: Backend,
    zone: tzinfo = UTC,
) -> ListResult:
    """
    Return one page of memories, newest first, equals by id; those of unknown age come last.

    They are dated in *zone*.

    Raises:
        DataError: The cursor is none of this list, or the filter holds what no store takes.
    """
    filters = request.filter.to_dict()
    trail = AdminTrail("list", clock.now_ms(), backend, {**filters, "limit": request.limit})
    end = None if request.cursor is None else read_cursor(request.cursor, filters)
    table = trail.seen(memories)
    items: tuple[MemoryView, ...] = ()
    following, total = None, 0
    if table is not None:
        with trail.open_to_failure():
            with trail.stage("find"):
                keys, total = _page(table, request, end)
            page = keys.slice(0, request.limit)
            with trail.stage("read"):
                items = _items(table, page, request, end, zone)
            if keys.num_rows > request.limit:
                following = written_cursor(_end_of(page, end), filters)
    trail.counts.update(returned=len(items), total=total)
    return ListResult(items, following, total, trail.receipt())


def _page(table: MemoryReader, request: ListRequest, end: PageEnd | None) -> tuple[pa.Table, int]:
    """Return the keys of a page and of one row more, and how many rows are meant on all pages."""
    where = request.filter.where(table.schema().names)
    skipped = 0 if end is None else end.given
    wanted = skipped + request.limit + 1
    best, total = _keys(pa.table({"id": pa.array([], pa.string())})), 0
    for batch in table.batches(KEY_COLUMNS, where=where):
        rows = memories_in(batch)
        total += rows.num_rows
        keys = _keys(rows)
        if end is not None:
            keys = keys.filter(_not_before(keys, end))
        best = pa.concat_tables([best, keys]).sort_by(_ORDER).slice(0, wanted)
    if end is None:
        return best, total
    same = pc.and_(pc.equal(best.column("created"), _created(end)), pc.equal(best.column("id"), end.id))
    return best.slice(min(skipped, pc.sum(same).as_py() or 0), request.limit + 1), total


def _keys(rows: pa.Table) -> pa.Table:
    created = pa.array(times_of(rows, unknown=_UNKNOWN), pa.float64())
    return pa.table({"created": created, "id": rows.column("id").cast(pa.string())})


def _not_before(keys: pa.Table, end: PageEnd) -> pa.ChunkedArray:
    created, ids = keys.column("created"), keys.column("id")
    later = pc.and_(pc.equal(created, _created(end)), pc.greater_equal(ids, end.id))
    return pc.or_(pc.less(created, _created(end)), later)


def _created(end: PageEnd) -> float:
    return _UNKNOWN if end.created is None else end.created


def _end_of(page: pa.Table, before: PageEnd | None) -> PageEnd:
    last = page.slice(page.num_rows - 1).to_pylist()[0]
    known = None if last["created"] == _UNKNOWN else float(last["created"])
    end = PageEnd(known, last["id"])
    given = sum(row == last for row in page.to_pylist())
    if before is not None and replace(before, given=1) == end:
        given += before.given
    return replace(end, given=given)


def _items(
    table: MemoryReader, page: pa.Table, request: ListRequest, end: PageEnd | None, zone: tzinfo
) -> tuple[MemoryView, ...]:
    meant = both(request.filter.where(table.schema().names), of_ids(set(page.column("id").to_pylist())))
    rows = memories_in(table.scan(VIEW_COLUMNS, where=meant))
    told = rows.select([name for name in ROW_COLUMNS if name in rows.column_names]).to_pylist()
    names, marks = names_among(told), list(map(row_name, told))
    keys = list(zip(rows.column("id").to_pylist(), times_of(rows, unknown=_UNKNOWN).tolist(), strict=True))
    places: dict[tuple[str, float], list[int]] = {}
    for place in sorted(range(rows.num_rows), key=marks.__getitem__):
        places.setdefault(keys[place], []).append(place)
    if end is not None:
        del places.get((end.id, _created(end)), [])[: end.given]
    # What was deleted, or given another time, since the ids were read has no place any more.
    found = (places.get((row["id"], row["created"])) for row in page.to_pylist())
    order = [same.pop(0) for same in found if same]
    taken = rows.take(pa.array(order, pa.int64()))
    views = views_of(taken, with_quarantined_texts=request.with_quarantined_texts, zone=zone)
    return tuple(
        replace(view, ref=memory_ref(names[place])) for view, place in zip(views, order, strict=True)
    )

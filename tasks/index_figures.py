"""What the receipt and the page of an index run show: figures before and after, each index, growth."""

from __future__ import annotations

from collections.abc import Sequence

from reports.sections import Section
from sunrise.bootstrap import Home
from sunrise.domain.receipts import RunReceipt
from sunrise.ports import IndexProbe
from tasks.index import TableLook
from tasks.run_frame import Run

_PAST_RUNS = 10
_GROWTH = ("rows", "bytes_after", "fragments_after", "versions")


def note_look(run: Run, before: TableLook, after: TableLook) -> None:
    """Put the table's figures before and after into the receipt."""
    old, new = before.state, after.state
    run.count(
        rows=new.rows,
        unindexed_before=max((one.unindexed_rows for one in old.indices), default=old.rows),
        unindexed_after=max((one.unindexed_rows for one in new.indices), default=new.rows),
        bytes_before=old.bytes,
        bytes_after=new.bytes,
        fragments_before=old.fragments,
        fragments_after=new.fragments,
        versions_before=old.versions,
        versions=new.versions,
        tags=len(new.tags),
    )
    for name, files in (("before", before.files), ("after", after.files)):
        if files is None:
            run.facts["files"] = "not counted: object storage, or too many versions"
            continue
        run.count(
            **{
                f"orphans_{name}": files.orphans,
                f"orphan_bytes_{name}": files.orphan_bytes,
                f"dead_bytes_{name}": files.dead_bytes,
            }
        )
    run.facts.update(version_before=str(old.version), version_after=str(new.version))


def index_section(look: TableLook, probes: Sequence[IndexProbe]) -> Section:
    """Return one row for each index: what it covers, and whether it answered."""
    by_name = {one.name: one for one in probes}
    rows = []
    for index in look.state.indices:
        probe = by_name.get(index.name)
        rows.append(
            (
                index.name,
                index.kind,
                look.state.rows - index.unindexed_rows,
                index.unindexed_rows,
                _answer(probe),
                _recall(probe),
                probe.milliseconds if probe else "",
            )
        )
    return Section(
        title="Indices",
        note="Each index was asked for random rows and for the newest.",
        columns=("index", "kind", "rows covered", "not covered", "answer", "neighbours found", "ms"),
        rows=tuple(rows),
    )


def growth_section(home: Home, receipt: RunReceipt) -> Section:
    """Return the size of the table in this run and in those before it, newest first."""
    past = [one for one in home.ledger.runs(flow=receipt.flow, limit=_PAST_RUNS + 1) if one.finished_ms]
    rows = [("this run", receipt.counts), *((one.run_id, one.counts) for one in past if "rows" in one.counts)]
    return Section(
        title="Growth",
        columns=("run", "rows", "bytes", "fragments", "versions"),
        rows=tuple(
            (name, *(counts.get(one, 0) for one in _GROWTH)) for name, counts in rows[: _PAST_RUNS + 1]
        ),
    )


def _answer(probe: IndexProbe | None) -> str:
    if probe is None:
        return "not asked"
    return "well" if probe.ok else probe.detail or "a known row was not found"


def _recall(probe: IndexProbe | None) -> str:
    return f"{probe.neighbours_found} of {probe.neighbours}" if probe and probe.neighbours else ""

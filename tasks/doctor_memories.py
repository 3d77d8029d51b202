"""What the doctor looks at in the memories table: its schema and its indices."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from sunrise.adapters.memory_schema import PLUGIN_COLUMNS, memories_schema
from sunrise.bootstrap import existing_memories
from sunrise.domain.vector_space import active_space
from sunrise.ports import Clock, MemoryTable, TableState
from sunrise.settings import Settings
from tasks.doctor_findings import Finding, command, guarded, ill, look, well
from tasks.doctor_table_files import FILES, TAGS, file_findings, python_line, restore, tag_findings
from tasks.doctor_vectors import CHECK as VECTORS
from tasks.doctor_vectors import usable_embedder, vector_findings
from tasks.own_ids import count_ambiguous

CHECK = "memories"
_OPTIONAL = {"agentId"}


def memories_findings(settings: Settings, clock: Clock) -> list[Finding]:
    """Look at the memories table and its tags."""
    return [
        *guarded(CHECK, lambda: _table_findings(settings, clock), cure=restore(settings)),
        *guarded(TAGS, lambda: tag_findings(settings, clock), cure=restore(settings)),
    ]


def _table_findings(settings: Settings, clock: Clock) -> Iterator[Finding]:
    files = guarded(FILES, lambda: file_findings(settings), cure=restore(settings))
    yield from files
    if any(one.verdict == "ill" for one in files):
        # What is asked of a table without its files would only be told in other words.
        return
    table = existing_memories(settings)
    if table is None:
        yield _absent(settings)
        return
    schema = table.schema()
    yield from _schema_findings(settings, schema)
    yield from _loose_vector_findings(settings, table, schema)
    rows = table.scan(["id"]).num_rows
    yield well(CHECK, f"{rows} memories in {settings.memories_uri}")
    yield from guarded(CHECK, lambda: _id_findings(settings, table), cure=restore(settings))
    yield from guarded(CHECK, lambda: _probe_findings(settings, table, clock), cure=restore(settings))
    yield from guarded(CHECK, lambda: _term_findings(settings, table), cure=restore(settings))
    yield from guarded(CHECK, lambda: _index_findings(settings, table.state()), cure=_untag_first(settings))
    yield from guarded(VECTORS, lambda: vector_findings(settings, table), cure=restore(settings))


def _absent(settings: Settings) -> Finding:
    message = f"there is no table {settings.memories.table!r} in {settings.memories_uri} yet"
    if settings.memories.uri:
        cure = (
            "The agent makes it when it stores its first memory. Where the agent has no such table take"
            " [memories] uri out of sunrise.toml: the home then has a table of its own. Look again with"
            f" {command(settings, 'doctor')}"
        )
    else:
        cure = f"Make it with {command(settings, 'run index')}"
    return look(CHECK, message, cure=f"{cure}.")


def _schema_findings(settings: Settings, schema: pa.Schema) -> Iterator[Finding]:
    expected = memories_schema(1)
    damaged = [
        name
        for name in PLUGIN_COLUMNS
        if not (name in _OPTIONAL and name not in schema.names)
        and (name not in schema.names or not _alike(schema.field(name).type, expected.field(name).type))
    ]
    if damaged:
        yield ill(
            f"{CHECK} schema",
            f"columns that the agent's plugin writes are missing or of another type: {', '.join(damaged)}",
            cure=restore(settings),
        )
    for field in schema:
        if field.name not in PLUGIN_COLUMNS and not field.nullable:
            yield ill(
                f"{CHECK} schema",
                f"the column {field.name} may not be empty, so the agent's plugin cannot add memories",
                cure="Make it nullable with "
                + python_line(settings, f"alter_columns({{'path': '{field.name}', 'nullable': True}})"),
            )
    if "terms" not in schema.names:
        yield look(
            f"{CHECK} schema",
            "the table has not been adopted: it has none of the governance columns",
            cure=f"Adopt it with {command(settings, 'run index')}.",
        )


def _loose_vector_findings(settings: Settings, table: MemoryTable, schema: pa.Schema) -> Iterator[Finding]:
    is_loose = "vector" in schema.names and _is_loose(schema.field("vector").type)
    # Once our vectors stand in a column of their own recall no longer looks at this one.
    if is_loose and usable_embedder(settings) is not None and active_space(table.spaces()) is None:
        yield look(
            f"{CHECK} schema",
            "the vectors are lists of any length, so that two dimensions may stand in one column",
            cure=f"Give them a column of their own with {command(settings, 'embed')}.",
        )


def _is_loose(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _alike(actual: pa.DataType, expected: pa.DataType) -> bool:
    if pa.types.is_fixed_size_list(expected):
        return bool(pa.types.is_fixed_size_list(actual) and pa.types.is_floating(actual.value_type))
    if pa.types.is_string(expected):
        return bool(pa.types.is_string(actual) or pa.types.is_large_string(actual))
    # JavaScript has one kind of number; other writers of the plugin's format use whole ones for times.
    return bool(pa.types.is_floating(actual) or pa.types.is_integer(actual))


def _id_findings(settings: Settings, table: MemoryTable) -> Iterator[Finding]:
    without, shared = count_ambiguous(table)
    if without or shared:
        yield look(
            f"{CHECK} ids",
            f"{without} memories have no id, and {shared} have the id of another one: no grade and no"
            " vector can be written to them",
            cure=f"See them with {command(settings, 'mend-ids')}, and give them ids of their own with"
            f" {command(settings, 'mend-ids --apply')}.",
        )


def _probe_findings(settings: Settings, table: MemoryTable, clock: Clock) -> Iterator[Finding]:
    probes = table.probe_indices(seed=clock.now_ms())
    for probe in probes:
        if not probe.ok:
            yield ill(
                f"{CHECK} index {probe.column}",
                probe.detail or "a row that is there was not found",
                cure=f"Build the broken index anew with {command(settings, 'run index')}.",
            )
    if probes and all(probe.ok for probe in probes):
        yield well(f"{CHECK} probes", f"{len(probes)} indices found what is there")


def _term_findings(settings: Settings, table: MemoryTable) -> Iterator[Finding]:
    if "terms" not in table.schema().names:
        return
    without = table.scan(["id"], where="terms IS NULL").num_rows
    if without:
        yield look(
            f"{CHECK} terms",
            f"{without} memories have not been analysed and are not found by words",
            cure=f"Analyse them with {command(settings, 'run index')}.",
        )


def _index_findings(settings: Settings, state: TableState) -> Iterator[Finding]:
    cure = f"Index them with {command(settings, 'run index')}."
    check = f"{CHECK} indices"
    uncovered = {index.column: index.unindexed_rows for index in state.indices if index.unindexed_rows}
    empty = sorted(column for column, rows in uncovered.items() if rows == state.rows)
    if empty:
        text = ", ".join(empty)
        yield look(check, f"indices that cover no row, built on an empty table: {text}", cure=cure)
    elif uncovered:
        text = ", ".join(f"{column} {rows}" for column, rows in sorted(uncovered.items()))
        yield look(check, f"rows that an index does not cover yet, by column: {text}", cure=cure)
    elif state.rows and not state.indices:
        yield look(check, "the table has no index, so every search reads all of it", cure=cure)
    elif state.indices:
        yield well(check, f"{len(state.indices)} indices cover all rows")


def _untag_first(settings: Settings) -> str:
    return f"Mend what is said of tags first, then {command(settings, 'run index')}."

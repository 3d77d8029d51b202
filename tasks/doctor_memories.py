"""What the doctor looks at in the memories table: its schema, its indices, its vectors and its tags."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from sunrise.adapters.memory_schema import PLUGIN_COLUMNS, memories_schema
from sunrise.bootstrap import embedder_of, existing_memories
from sunrise.domain.retention import DAY_MS
from sunrise.errors import SunriseError
from sunrise.ports import Clock, MemoryTable, TableState
from sunrise.settings import Settings
from tasks.doctor_findings import Finding, command, guarded, ill, look, well
from tasks.index import probe_indices
from tasks.snapshot import read_snapshots

CHECK, TAGS = "memories", "tags"
_OPTIONAL = {"agentId"}
_TAG_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def memories_findings(settings: Settings, clock: Clock) -> list[Finding]:
    """Look at the memories table and its tags."""
    return [
        *guarded(CHECK, lambda: _table_findings(settings), cure=_restore(settings)),
        *guarded(TAGS, lambda: _tag_findings(settings, clock), cure=_restore(settings)),
    ]


def _table_findings(settings: Settings) -> Iterator[Finding]:
    table = existing_memories(settings)
    if table is None:
        yield _absent(settings)
        return
    schema = table.schema()
    yield from _schema_findings(settings, schema)
    rows = table.scan(["id"]).num_rows
    yield well(CHECK, f"{rows} memories in {settings.memories_uri}")
    yield from guarded(CHECK, lambda: _probe_findings(settings, table), cure=_restore(settings))
    yield from guarded(CHECK, lambda: _index_findings(settings, table.state()), cure=_untag_first(settings))
    yield from _vector_findings(settings, table)


def _absent(settings: Settings) -> Finding:
    message = f"there is no table {settings.memories.table!r} in {settings.memories_uri} yet"
    if settings.memories.uri:
        cure = "Let the agent store its first memory, or set [memories] uri, then " + command(
            settings, "doctor"
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
            cure=_restore(settings),
        )
    for field in schema:
        if field.name not in PLUGIN_COLUMNS and not field.nullable:
            yield ill(
                f"{CHECK} schema",
                f"the column {field.name} may not be empty, so the agent's plugin cannot add memories",
                cure="Make it nullable with "
                + _python(settings, f"alter_columns({{'path': '{field.name}', 'nullable': True}})"),
            )
    if "terms" not in schema.names:
        yield look(
            f"{CHECK} schema",
            "the table has not been adopted: it has none of the governance columns",
            cure=f"Adopt it with {command(settings, 'run index')}.",
        )


def _alike(actual: pa.DataType, expected: pa.DataType) -> bool:
    if pa.types.is_fixed_size_list(expected):
        return bool(pa.types.is_fixed_size_list(actual) and pa.types.is_floating(actual.value_type))
    if pa.types.is_string(expected):
        return bool(pa.types.is_string(actual) or pa.types.is_large_string(actual))
    # JavaScript has one kind of number; other writers of the plugin's format use whole ones for times.
    return bool(pa.types.is_floating(actual) or pa.types.is_integer(actual))


def _probe_findings(settings: Settings, table: MemoryTable) -> Iterator[Finding]:
    if "terms" not in table.schema().names:
        return
    probes = probe_indices(table)
    for probe in probes:
        if not probe.ok:
            yield ill(
                f"{CHECK} {probe.name}",
                (probe.detail or "a row that is there once was not found once")[:200],
                cure=f"Rebuild the broken index with {command(settings, 'run index')}.",
            )
    if probes and all(probe.ok for probe in probes):
        yield well(f"{CHECK} probes", "found by id, by terms and by filter")
    without = table.scan(["id"], where="terms IS NULL").num_rows
    if without:
        yield look(
            f"{CHECK} terms",
            f"{without} memories have not been analysed and are not found by words",
            cure=f"Analyse them with {command(settings, 'run index')}.",
        )


def _index_findings(settings: Settings, state: TableState) -> Iterator[Finding]:
    uncovered = {index.column: index.unindexed_rows for index in state.indices if index.unindexed_rows}
    if uncovered:
        text = ", ".join(f"{column} {rows}" for column, rows in sorted(uncovered.items()))
        yield look(
            f"{CHECK} indices",
            f"rows that an index does not cover yet, by column: {text}",
            cure=f"Index them with {command(settings, 'run index')}.",
        )
    elif state.rows and not state.indices:
        yield look(
            f"{CHECK} indices",
            "the table has no index, so every search reads all of it",
            cure=f"Build them with {command(settings, 'run index')}.",
        )
    elif state.indices:
        yield well(f"{CHECK} indices", f"{len(state.indices)} indices cover all rows")


def _vector_findings(settings: Settings, table: MemoryTable) -> Iterator[Finding]:
    embedder, names = embedder_of(settings), table.schema().names
    if embedder.model_id == "none" or not {"vector", "embedding_model"} <= set(names):
        return
    models = table.scan(["embedding_model"], where="vector IS NOT NULL").column("embedding_model").to_pylist()
    foreign = sum(model != embedder.model_id for model in models)
    if foreign:
        yield look(
            f"{CHECK} vectors",
            f"{foreign} of {len(models)} vectors do not say that {embedder.model_id} made them,"
            " so recall finds these memories by words only",
            cure="To search by words on purpose, set it with `export SUNRISE_EMBEDDER__NAME=none`, or with"
            ' name = "none" under [embedder] in sunrise.toml.',
        )


def _tag_findings(settings: Settings, clock: Clock) -> Iterator[Finding]:
    uri = settings.memories_uri.removeprefix("file://")
    if "://" in uri:
        yield well(TAGS, "the table is in object storage; its tag files were not looked at")
        return
    folder = Path(uri).expanduser() / f"{settings.memories.table}.lance" / "_refs" / "tags"
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    bad = [path for path in files if _TAG_NAME.fullmatch(path.stem) is None]
    for path in bad:
        yield ill(
            TAGS,
            f"the tag {unquote(path.stem)!r} is not ASCII: no tag can be listed and no optimize succeeds",
            cure=f"Remove its file with `rm {shlex.quote(str(path))}`.",
        )
    stale = [path.stem for path in files if path not in bad and _is_stale(path, settings, clock)]
    for tag in stale:
        ours = tag.startswith("sunrise-")
        yield look(
            TAGS,
            f"the tag {tag} is older than versions are kept, and every version since is kept with it",
            cure=f"Expire old snapshots with {command(settings, 'run snapshot')}."
            if ours
            else f"If nobody needs it, remove it with {_python(settings, f'tags.delete({tag!r})')}",
        )
    if not bad and not stale:
        yield well(TAGS, f"{len(files)} tags")


def _is_stale(path: Path, settings: Settings, clock: Clock) -> bool:
    keep = settings.snapshot
    # The newest snapshots stay however old they are: on a quiet home the last one is still the right one.
    wanted = {one.tag for one in read_snapshots(settings.home / "backups")[: keep.keep]}
    days = max(settings.index.keep_days, keep.keep_days if path.stem.startswith("sunrise-") else 0.0)
    age_ms = clock.now_ms() - path.stat().st_mtime * 1000
    return path.stem not in wanted and age_ms > days * DAY_MS


def column_dimension(settings: Settings) -> int | None:
    """Return the length of the table's vectors; None where there is no table to be read, or no vector."""
    try:
        table = existing_memories(settings)
        kind = table.schema().field("vector").type if table else None
    except (SunriseError, KeyError):
        return None
    return int(kind.list_size) if kind is not None and pa.types.is_fixed_size_list(kind) else None


def _restore(settings: Settings) -> str:
    """Return how to go back to the newest snapshot, or by hand where there is none."""
    newest = next((one.tag for one in read_snapshots(settings.home / "backups") if one.version), None)
    if newest is None:
        return (
            "There is no snapshot to go back to: put the table aside with "
            f"`mv {shlex.quote(settings.memories_uri)} memories-damaged`, and let the agent start a new one."
        )
    return f"Go back to the newest snapshot with {_python(settings, f'restore({newest!r})')}"


def _untag_first(settings: Settings) -> str:
    return f"Mend what is said of tags first, then {command(settings, 'run index')}."


def _python(settings: Settings, call: str) -> str:
    code = (
        f"import lancedb; lancedb.connect({settings.memories_uri!r})"
        f".open_table({settings.memories.table!r}).{call}"
    )
    return f"`python -c {shlex.quote(code)}`."

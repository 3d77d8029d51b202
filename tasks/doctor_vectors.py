"""What the doctor says of searching by meaning: which vectors recall uses, which memories lack one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sunrise.bootstrap import embedder_of, embedder_of_model
from sunrise.domain.vector_space import VectorSpace, active_space, column_of, searched
from sunrise.errors import ConfigurationError
from sunrise.ports import Embedder, MemoryTable
from sunrise.settings import Settings
from tasks.doctor_findings import Finding, command, look, well
from tasks.embedding import find_unembedded

CHECK = "memories vectors"
_BY_WORDS = "recall finds them by their words only"


def vector_findings(settings: Settings, table: MemoryTable) -> Iterator[Finding]:
    """Look at the vectors that recall searches. The vectors of columns that it does not search do no harm."""
    embedder = usable_embedder(settings)
    if embedder is None:
        # Either the settings want no vectors, or the check of the embedder says why it cannot be used.
        return
    active = active_space(table.spaces())
    if active is None:
        yield from _before_own_vectors(settings, table, embedder)
    elif active.model_id == embedder.model_id:
        yield _coverage(settings, table, active)
        yield from _faulty(settings, table, active)
    else:
        yield _other_model(settings, embedder, active)


def usable_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder of the settings; None where it is ``none`` or cannot be built."""
    try:
        embedder = embedder_of(settings)
    except ConfigurationError:
        return None
    return embedder if embedder.dimension else None


def _coverage(settings: Settings, table: MemoryTable, active: VectorSpace) -> Finding:
    found = find_unembedded(table, active.column, check=False)
    missing = found.rows.num_rows
    if missing:
        return look(
            CHECK,
            f"{missing} of {found.seen} memories have no vector of {active.model_id} yet: {_BY_WORDS}",
            cure=_make_vectors(settings),
        )
    return well(CHECK, f"recall searches by meaning too, with vectors of {active.model_id}")


def _before_own_vectors(settings: Settings, table: MemoryTable, embedder: Embedder) -> Iterator[Finding]:
    """Until the index flow has made our vectors, recall uses those of the plugin that name our model."""
    found, model = find_unembedded(table, column_of(embedder.model_id), check=False), embedder.model_id
    memories = found.seen - found.empty
    space = searched(table.spaces(), model, embedder.dimension)
    usable = _rows_with_fingerprint(table, model) if isinstance(space, VectorSpace) else 0
    if usable < memories:
        yield look(
            CHECK,
            f"{memories - usable} of {memories} memories have no vector of {model} yet: {_BY_WORDS}",
            cure=_make_vectors(settings),
        )
    elif memories:
        yield well(CHECK, f"recall searches by meaning too, with the agent's vectors of {model}")
    if usable and isinstance(space, VectorSpace):
        yield from _faulty(settings, table, space)


def _rows_with_fingerprint(table: MemoryTable, model_id: str) -> int:
    """Return how many memories say that their vector in the plugin's column is of this model."""
    if "embedding_model" not in table.schema().names:
        return 0
    models = table.scan(["embedding_model"], where="embedding_model IS NOT NULL").column("embedding_model")
    return int(models.to_pylist().count(model_id))


def _other_model(settings: Settings, embedder: Embedder, active: VectorSpace) -> Finding:
    cure = f"Make vectors of {embedder.model_id} and switch to them with {command(settings, 'embed')}."
    if embedder_of_model(active.model_id, settings) is None:
        return look(
            CHECK,
            f"the memories have vectors of {active.model_id}, which no embedder here can make:"
            " recall finds memories by their words only",
            cure=cure,
        )
    message = f"the settings name {embedder.model_id}, but recall still searches vectors of {active.model_id}"
    return look(CHECK, message, cure=cure)


def _faulty(settings: Settings, table: MemoryTable, space: VectorSpace) -> Iterator[Finding]:
    check = f"memories {space.column}"
    cure = f"Make these vectors anew with {command(settings, 'embed')}."
    faults = Counter(table.vector_faults(space.column).column("fault").to_pylist())
    if faults:
        text = ", ".join(f"{number} {fault}" for fault, number in sorted(faults.items()))
        yield look(check, f"vectors that no search can use: {text}", cure=cure)
    # In a column of ours all vectors are of one length; one that ends in zeros is the model's own.
    padded = table.count_padded(space.column) if space.is_legacy else 0
    if padded:
        yield look(
            check,
            f"{padded} vectors are shorter ones, filled up with zeros: they are of another model",
            cure=cure,
        )


def _make_vectors(settings: Settings) -> str:
    return f"Make the vectors with {command(settings, 'run index')}."

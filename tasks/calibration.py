"""The ranking's calibration in a run of the index flow: measured anew when the table has become another."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow.compute as pc

from sunrise.adapters.builtin_calibration import builtin_calibration, reference_calibration
from sunrise.adapters.calibration_figures import (
    COUNTED_ROWS,
    IdSample,
    TermCounts,
    id_hashes,
    is_within,
    measure_vectors,
    other_matters,
    question_means,
)
from sunrise.bootstrap import Home
from sunrise.domain.calibration import Calibration, LanguageMeans, is_outgrown, note_of, read_calibration
from sunrise.domain.elsewhere import Elsewhere
from sunrise.domain.retention import DAY_MS
from sunrise.domain.text.dated_terms import MADE_AS
from sunrise.domain.vector_space import VectorSpace, searched
from sunrise.errors import ConfigurationError
from sunrise.ports import Embedder, MemoryTable
from tasks.run_frame import Run


def calibrate_if_due(run: Run, table: MemoryTable, *, rows: int) -> None:
    """
    Calibrate the vectors that answer where nobody did, the table grew or shrank, or it was long ago.

    A table with too few texts is calibrated on reference texts: by the figures of the package where it has
    them for the model, else by asking the model. The receipt names the calibration in use.
    """
    try:
        embedder = run.home.recall_embedder(table)
    except ConfigurationError:
        # The step that makes vectors has said so.
        return
    space = searched(table.spaces(), embedder.model_id, embedder.dimension)
    if not isinstance(space, VectorSpace):
        run.facts["calibration"] = space
        return
    known = stored_calibration(run.home, space, embedder.model_id)
    if known is not None and not _is_due(run, known, rows):
        run.facts["calibration"] = known.id
        return
    found = run.step(calibrate, table, space, embedder.model_id, rows=rows, now_ms=run.home.clock.now_ms())
    if found is None:
        found = _on_reference_texts(run, embedder, space.column, known)
        if found is None:
            return
    else:
        questions, elsewhere = _kept(known) or _asked(run, embedder)
        found = replace(found, questions=questions, elsewhere=elsewhere)
    run.write(store_calibration, run.home, found)
    run.count(calibrated=1)
    run.facts["calibration"] = found.id
    run.figures |= {"cosine_mean": found.cosine_mean, "cosine_deviation": found.cosine_deviation}


def stored_calibration(home: Home, space: VectorSpace, model_id: str) -> Calibration | None:
    """Return the calibration of a column's vectors, or None where it has none that can be read."""
    return read_calibration(
        home.ledger.get_note(note_of(space.column)), model_id=model_id, column=space.column
    )


def calibrate(
    table: MemoryTable, space: VectorSpace, model_id: str, *, rows: int, now_ms: int
) -> Calibration | None:
    """Count the terms of the rows and measure a sample of the vectors; None with too few texts for it."""
    share = min(1.0, COUNTED_ROWS / max(rows, 1))
    terms, sample = TermCounts(share), IdSample()
    for batch in table.batches(["id", "terms"]):
        hashes = id_hashes(batch.column("id"))
        sample.add(batch.column("id"), hashes)
        if "terms" in batch.schema.names:
            terms.add(batch.column("terms").filter(is_within(hashes, share)))
    ids = sample.ids()
    read = table.by_ids(ids, ["id", "text", space.column, *(["embedding_model"] if space.is_legacy else [])])
    if space.is_legacy:
        # Rows of several models may stand there.
        read = read.filter(pc.equal(read.column("embedding_model"), model_id))
    figures = measure_vectors(read, space.column, order=ids)
    if figures is None:
        return None
    return Calibration(
        model_id=model_id,
        column=space.column,
        created_ms=now_ms,
        rows=rows,
        sampled=figures.texts,
        documents=figures.means,
        questions=None,
        cosine_mean=figures.cosine_mean,
        cosine_deviation=figures.cosine_deviation,
        terms=terms.frequencies(),
        analysed_as=MADE_AS,
    )


def ask_model(embedder: Embedder) -> tuple[LanguageMeans, Elsewhere]:
    """Return the means of typical questions by a model, and where it has other matters."""
    return question_means(embedder), other_matters(embedder)


def store_calibration(home: Home, found: Calibration) -> None:
    """Write the calibration in place of the one before."""
    home.ledger.put_note(note_of(found.column), json.dumps(found.to_dict()))


def _on_reference_texts(
    run: Run, embedder: Embedder, column: str, known: Calibration | None
) -> Calibration | None:
    """Return what a model makes of the reference texts, or None where its figures are at hand."""
    at_hand = builtin_calibration(embedder.model_id, column) or known
    if at_hand is not None and _kept(at_hand) is not None:
        run.facts["calibration"] = at_hand.id
        return None
    try:
        return run.step(reference_calibration, embedder, column=column, now_ms=run.home.clock.now_ms())
    except Exception:  # As in _asked.
        run.facts["calibration"] = "embedder_failed"
        return None


def _is_due(run: Run, known: Calibration, rows: int) -> bool:
    settings = run.home.settings.index
    age = run.home.clock.now_ms() - known.created_ms
    is_old = age >= settings.calibrate_days * DAY_MS
    # Where no model could be asked the next one is not due sooner for that.
    is_of_before = known.questions is not None and _kept(known) is None
    is_of_before |= known.analysed_as != MADE_AS
    return is_old or is_of_before or is_outgrown(known, rows=rows, growth=settings.calibrate_growth)


def _kept(known: Calibration | None) -> tuple[LanguageMeans, Elsewhere] | None:
    """Return what the model said before, where it was asked all that it is asked today."""
    if known is None or known.questions is None or known.elsewhere is None:
        return None
    return (known.questions, known.elsewhere) if known.elsewhere.is_of_today else None


def _asked(run: Run, embedder: Embedder) -> tuple[LanguageMeans | None, Elsewhere | None]:
    try:
        return run.step(ask_model, embedder)
    except Exception:  # Whatever breaks in a model or its network: the memories' own means do without.
        run.facts["calibration_questions"] = "embedder_failed"
        return None, None

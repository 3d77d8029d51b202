"""Analysed terms of observations that an older analysis made are made anew, batch by batch."""

from __future__ import annotations

from sunrise.bootstrap import Home
from sunrise.domain.text.accents import has_accents
from sunrise.domain.text.analysis import terms
from sunrise.domain.text.dated_terms import MADE_AS
from tasks.run_frame import Run

_NOTE = "terms.observations"
_DONE = "done"
_BATCH = 2_000


def renew_observation_terms(run: Run) -> None:
    """
    Make the terms of observations anew where today's analysis gives others.

    A note in the ledger says up to which row this was done, and is written in the transaction of the rows: a
    run that is killed leaves whole batches, and the next one goes on behind them.
    """
    if _reached(run.home) == _DONE:
        return
    renewed = run.write(renew_terms_of_rows, run.home)
    if renewed:
        run.count(observation_terms_renewed=renewed)


def renew_terms_of_rows(home: Home, *, batch: int = _BATCH) -> int:
    """Go through the rows from where the last run stopped; return how many got other terms."""
    renewed, after = 0, int(_reached(home) or 0)
    while rows := home.ledger.observation_terms(after_id=after, limit=batch):
        after = rows[-1].id
        texts = {row.id: " ".join(row.texts) for row in rows if row.texts}
        made = {row_id: terms(text) for row_id, text in texts.items() if has_accents(text)}
        with home.ledger.transaction():
            renewed += home.ledger.put_observation_terms(made)
            home.ledger.put_note(_NOTE, f"{MADE_AS} {after}")
    home.ledger.put_note(_NOTE, f"{MADE_AS} {_DONE}")
    return renewed


def _reached(home: Home) -> str:
    """Return the id of the last row that is as today's analysis makes it, empty where none was looked at."""
    made_as, _, reached = (home.ledger.get_note(_NOTE) or "").partition(" ")
    return reached if made_as == MADE_AS else ""

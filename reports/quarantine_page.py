"""The page of what was refused: each row that waits, where it stands, and why it could not be taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from reports.engine import render
from reports.formats import stamp
from sunrise.domain.records import Quarantined

_WHY: Mapping[str, str] = {
    "malformed_json": "it is not JSON: torn, or broken by hand",
    "not_an_object": "it is JSON, but no object",
    "missing_text": "it has neither a summary nor a text",
    "wrong_type": "a field holds something that it cannot hold",
    "invalid_utf8": "its bytes are no UTF-8 text",
    "line_too_long": "it is longer than a line may be",
    "no_valid_stamp": "it does not say by which token it came",
    "nesting_too_deep": "it nests deeper than a reader can follow",
    "missing": "a field that must be there is empty",
    "not_allowed": "a field holds a value that is not on its list",
    "out_of_range": "a number is beyond its limits",
    "not_unique": "its key stands there twice",
    "bad_length": "a text is too short or too long",
    "bad_form": "a text has not the form that it must have",
}


def why(reason: str) -> str:
    """
    Return in words why a row was refused.

    >>> why("summary.missing")
    'summary: a field that must be there is empty'
    """
    column, _, code = reason.rpartition(".")
    words = _WHY.get(code, "it does not keep its contract")
    return f"{column}: {words}" if column else words


def render_quarantine_page(
    rows: Sequence[Quarantined], *, by_reason: Mapping[str, int], generated_ms: int, zone: str
) -> str:
    """
    Return the HTML of the site's ``quarantine.html``.

    ``rows`` are those that wait, oldest first, perhaps not all of them; ``by_reason`` counts them all. Their
    samples are redacted already.
    """
    return render(
        "quarantine.html.j2",
        rows=[(row, why(row.reason)) for row in rows],
        reasons=[(reason, why(reason), count) for reason, count in by_reason.items()],
        total=sum(by_reason.values()),
        when=partial(stamp, zone=zone),
        generated_ms=generated_ms,
        zone=zone,
    )

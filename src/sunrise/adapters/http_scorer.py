"""
A scorer behind a URL: rows go out as JSON, grades come back. Off unless the settings name it.

Whatever goes wrong costs rows their grade, never the run: they are tried again next time. Only the named URL
is asked: neither a redirect nor a proxy of the environment leads the rows elsewhere.
"""

from __future__ import annotations

import http.client
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from sunrise.domain.importance import label_from_score
from sunrise.domain.scoring.signals import Grade
from sunrise.domain.secrets import redact
from sunrise.domain.text.cleaning import clean, clip
from sunrise.errors import ConfigurationError

METHOD = "http"
MOST_ROWS = 100
"""Rows in one request."""

MOST_FAILURES = 3
"""After as many failed requests in a row the service is taken for absent, and not asked about the rest."""

_RATIONALE_CHARS = 300
_ANSWER_BYTES = 1_000_000


class HttpScorer:
    """
    Asks a service for grades.

    It posts ``{"rows": [{"id", "kind", "tool_name", "summary"}]}`` and reads ``{"grades": [{"id", "score",
    "rationale"}], "version": 1}``. A score is a number from 0 to 1; the label follows from it; rationale and
    version may be missing.

    Raises:
        ConfigurationError: The URL is none of HTTP.
    """

    method: str = METHOD

    def __init__(self, url: str, *, timeout_s: float) -> None:
        if not url.startswith(("http://", "https://")):
            msg = f"a scorer's URL begins with http:// or https://, not so {url!r}"
            raise ConfigurationError(msg)
        self._url = url
        self._timeout_s = timeout_s
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())

    def score(self, rows: Sequence[Mapping[str, Any]]) -> list[Grade | None]:
        """Return the grades of rows, in their order; None for each that got none."""
        grades: dict[int, Grade] = {}
        failures = 0
        for batch in _batches(rows):
            if failures == MOST_FAILURES:
                break
            try:
                grades |= _read(self._ask(batch), batch)
                failures = 0
            except (OSError, http.client.HTTPException, ValueError):
                failures += 1
        return [grades.get(row["id"]) for row in rows]

    def _ask(self, rows: Sequence[Mapping[str, Any]]) -> bytes:
        body = orjson.dumps({"rows": [_sent(row) for row in rows]})
        request = urllib.request.Request(  # noqa: S310  the scheme was looked at
            self._url, data=body, headers={"Content-Type": "application/json", "Accept": "application/json"}
        )
        with self._opener.open(request, timeout=self._timeout_s) as answer:
            content: bytes = answer.read(_ANSWER_BYTES + 1)
        if len(content) > _ANSWER_BYTES:
            msg = "the answer is too long"
            raise ValueError(msg)
        return content


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


def _batches(rows: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    for start in range(0, len(rows), MOST_ROWS):
        yield rows[start : start + MOST_ROWS]


def _sent(row: Mapping[str, Any]) -> dict[str, Any]:
    texts = {name: row[name] and redact(row[name]).text for name in ("tool_name", "summary")}
    return {"id": row["id"], "kind": row["kind"], **texts}


def _read(content: bytes, asked: Sequence[Mapping[str, Any]]) -> dict[int, Grade]:
    """Return the grades of an answer by the ids that were asked about, those that are none left out."""
    answer = orjson.loads(content)
    if not isinstance(answer, dict) or not isinstance(answer.get("grades"), list):
        msg = "the answer holds no grades"
        raise ValueError(msg)  # noqa: TRY004  every wrong answer is the same error
    version = answer.get("version", 1)
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version < 2**31:
        msg = "the version of the answer is no number from 1"
        raise ValueError(msg)
    found = {
        one["id"]: _grade(one, version)
        for one in answer["grades"]
        if isinstance(one, dict) and type(one.get("id")) is int
    }
    return {row["id"]: grade for row in asked if (grade := found.get(row["id"])) is not None}


def _grade(given: Mapping[str, Any], version: int) -> Grade | None:
    score, said = given.get("score"), given.get("rationale")
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        return None
    rationale = redact(clip(clean(said), _RATIONALE_CHARS)).text.strip() if isinstance(said, str) else ""
    return Grade(float(score), label_from_score(score), rationale, (), (), METHOD, version)

"""The OpenAPI document says what the service does: requests are made of it, and answers held against it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig

from docs.generate import REFERENCE
from sunrise.serve.http_app import openapi_document
from tests.serving import Served, make_home, served

# What is far too long is refused before anybody looks at what it is.
REFUSED = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]
CONFIG = SchemathesisConfig.from_dict({
    "checks": {
        "negative_data_rejection": {"expected-statuses": REFUSED},
        # What no schema says is refused by its reason: a cursor of another list, a file that is not there.
        "positive_data_acceptance": {"expected-statuses": ["2xx", 401, 403, 404, 409, 422, 429, 503]},
    }
})  # fmt: skip

schema = schemathesis.openapi.from_dict(openapi_document(), config=CONFIG)


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose memories may come and go."""
    home = make_home(tmp_path_factory.mktemp("trial") / "home")
    with served(home, rate_per_s=10_000, burst=10_000) as running:
        yield running


def test_the_document_that_is_checked_in_is_that_of_the_code() -> None:
    kept = json.loads((REFERENCE / "openapi.json").read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(openapi_document()))


def test_the_service_gives_its_document(door: Served) -> None:
    assert door.ask("GET", "/openapi.json").json == json.loads(json.dumps(openapi_document()))


def test_every_problem_is_described() -> None:
    problems = openapi_document()["components"]["schemas"]["ProblemGiven"]
    assert set(problems["required"]) == {"type", "title", "status", "reason", "requestId"}


@pytest.mark.slow
@schema.parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_answers_are_as_the_document_says(case: schemathesis.Case, trial: Served) -> None:
    # An erasure looks through every version that the cases before it made.
    case.call_and_validate(base_url=trial.url, headers={"Host": "localhost"}, timeout=60)

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from sunrise.adapters.http_scorer import MOST_FAILURES, MOST_ROWS, HttpScorer
from sunrise.domain.importance import ImportanceLabel
from sunrise.errors import ConfigurationError

Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


class QuietServer(ThreadingHTTPServer):
    """One that does not tell of callers who hung up."""

    def handle_error(self, *_: Any) -> None:
        return


class Service:
    """A real server on a free port that answers as it is told and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answer: Answer = half
        self.headers: dict[str, str] = {}
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append(body)
                status, content = service.answer(body)
                self.send_response(status)
                for name, value in service.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                return

        self.server = QuietServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/grade"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def half(body: dict[str, Any]) -> tuple[int, bytes]:
    grades = [{"id": row["id"], "score": 0.5, "rationale": "Half."} for row in body["rows"]]
    return 200, json.dumps({"grades": grades, "version": 4}).encode()


def rows(count: int) -> list[dict[str, Any]]:
    return [
        {"id": number, "kind": "note", "tool_name": None, "summary": f"row {number}"}
        for number in range(1, count + 1)
    ]


@pytest.fixture
def service() -> Iterator[Service]:
    served = Service()
    yield served
    served.close()


@pytest.fixture
def scorer(service: Service) -> HttpScorer:
    return HttpScorer(service.url, timeout_s=5)


def test_rows_are_asked_in_batches_and_answered_in_order(service: Service, scorer: HttpScorer) -> None:
    grades = scorer.score(rows(2 * MOST_ROWS + 1))
    assert [len(body["rows"]) for body in service.asked] == [MOST_ROWS, MOST_ROWS, 1]
    assert service.asked[0]["rows"][0] == {"id": 1, "kind": "note", "tool_name": None, "summary": "row 1"}
    assert len(grades) == 201
    one = grades[-1]
    assert one is not None
    assert (one.score, one.label, one.rationale) == (0.5, ImportanceLabel.NICE_TO_HAVE, "Half.")
    assert (one.method, one.version) == ("http", 4)


def test_no_rows_ask_nobody(service: Service, scorer: HttpScorer) -> None:
    assert scorer.score([]) == []
    assert service.asked == []


def test_a_secret_does_not_go_out_and_none_comes_in(service: Service, scorer: HttpScorer) -> None:
    secret = "ghp_" + "a1B2" * 9
    said = {"grades": [{"id": 1, "score": 1, "rationale": f"Holds {secret}\x00 " + "x" * 500}]}
    service.answer = lambda _: (200, json.dumps(said).encode())
    row = {"id": 1, "kind": "note", "tool_name": f"t {secret}", "summary": f"key {secret}"}
    (grade,) = scorer.score([row])
    assert grade is not None
    assert secret not in json.dumps(service.asked)
    assert secret not in grade.rationale
    assert len(grade.rationale) <= 320
    assert "\x00" not in grade.rationale
    assert grade.version == 1


@pytest.mark.parametrize(
    "given",
    [
        {"score": 0.5},
        {"id": "1", "score": 0.5},
        {"id": True, "score": 0.5},
        {"id": [1], "score": 0.5},
        {"id": 9, "score": 0.5},
        {"id": 1},
        {"id": 1, "score": None},
        {"id": 1, "score": True},
        {"id": 1, "score": "0.5"},
        {"id": 1, "score": 1.01},
        {"id": 1, "score": -0.1},
        {"id": 1, "score": 10**30},
        "no object",
    ],
)
def test_a_grade_of_a_wrong_shape_costs_only_its_row(
    service: Service, scorer: HttpScorer, given: object
) -> None:
    answer = {"grades": [given, {"id": 2, "score": 0.9}]}
    service.answer = lambda _: (200, json.dumps(answer).encode())
    first, second = scorer.score(rows(2))
    assert first is None
    assert second is not None
    assert (second.label, second.rationale) == (ImportanceLabel.MUST_REMEMBER, "")


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (500, b"{}"),
        (404, b""),
        (200, b""),
        (200, b"not json"),
        (200, b'{"grades": [{"id": 1, "score": NaN}]}'),
        (200, b"[]"),
        (200, b'{"grades": {}}'),
        (200, b'{"grades": [], "version": 0}'),
        (200, b'{"grades": [], "version": true}'),
        (200, b'{"grades": [], "version": "2"}'),
        (200, b'{"grades": [' + b" " * 1_000_001 + b"]}"),
    ],
    ids=str,
)  # fmt: skip
def test_an_answer_that_is_none_costs_its_rows_their_grades(
    service: Service, scorer: HttpScorer, status: int, content: bytes
) -> None:
    service.answer = lambda _: (status, content)
    assert scorer.score(rows(2)) == [None, None]


def test_one_failed_request_does_not_stop_the_next(service: Service, scorer: HttpScorer) -> None:
    service.answer = lambda body: (500, b"") if len(service.asked) == 1 else half(body)
    grades = scorer.score(rows(MOST_ROWS + 1))
    assert grades[:MOST_ROWS] == [None] * MOST_ROWS
    assert grades[MOST_ROWS] is not None


def test_a_service_that_keeps_failing_is_not_asked_for_ever(service: Service, scorer: HttpScorer) -> None:
    service.answer = lambda _: (503, b"")
    assert scorer.score(rows(10 * MOST_ROWS)) == [None] * 10 * MOST_ROWS
    assert len(service.asked) == MOST_FAILURES


def test_a_redirect_is_not_followed(service: Service, scorer: HttpScorer) -> None:
    service.headers = {"Location": service.url}
    service.answer = lambda _: (307, b"")
    assert scorer.score(rows(1)) == [None]
    assert len(service.asked) == 1


def test_an_absent_service_costs_the_grades() -> None:
    served = Service()
    served.close()
    assert HttpScorer(served.url, timeout_s=5).score(rows(1)) == [None]


def test_a_service_that_does_not_answer_in_time_costs_the_grades(service: Service) -> None:
    release = threading.Event()

    def hang(body: dict[str, Any]) -> tuple[int, bytes]:
        release.wait(5)
        return half(body)

    service.answer = hang
    try:
        assert HttpScorer(service.url, timeout_s=0.1).score(rows(1)) == [None]
    finally:
        release.set()


def test_the_proxy_of_the_environment_is_not_asked(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    assert HttpScorer(service.url, timeout_s=5).score(rows(1)) != [None]


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "ftp://a.io", "a.io"])
def test_a_url_that_is_none_of_http_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="begins with http"):
        HttpScorer(url, timeout_s=1)

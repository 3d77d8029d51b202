"""A service that is slow, busy, wrong or gone costs vectors, and nothing else."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from sunrise.adapters.json_service import FIRST_WAIT_S, MOST_WAIT_S
from sunrise.adapters.openai_embedder import TRIES, OpenAIEmbedder
from sunrise.errors import ConfigurationError, StoreError
from sunrise.settings import EmbedderSettings
from tests.embedding_service import DIMENSION, EmbeddingService, serving, vectors
from tests.fakes import FakeEmbedder

KEY = "sk-of-the-test-4f8a"
TEA = ["green tea"]


@pytest.fixture
def service() -> Iterator[EmbeddingService]:
    with serving() as made:
        yield made


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def built(service: EmbeddingService, waits: list[float]) -> Callable[..., OpenAIEmbedder]:
    def build(**changes: Any) -> OpenAIEmbedder:
        settings = service.settings(**changes)
        return OpenAIEmbedder(settings, environment={"TEA_KEY": KEY}, sleep=waits.append)

    return build


def vector_answer(*rows: object, **more: object) -> tuple[int, bytes]:
    return 200, json.dumps({"data": [{"embedding": row, **more} for row in rows]}).encode()


def test_vectors_are_made_units_and_put_in_the_order_of_the_texts(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService
) -> None:
    texts = ["green tea", "備份", "a", "b", "c"]
    assert built(batch_texts=2).embed(texts) == pytest.approx(FakeEmbedder(DIMENSION).embed(texts), abs=1e-6)
    assert [len(body["input"]) for body in service.asked] == [2, 2, 1]
    assert service.asked[0] == {"model": "tea-1", "input": ["green tea", "備份"]}
    assert set(service.paths) == {"/v1/embeddings"}


def test_the_model_and_what_stands_before_its_texts_make_the_id(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService
) -> None:
    model = built(query_prefix="query: ", text_prefix="passage: ", send_dimension=True)
    model.embed(TEA)
    model.embed_query(TEA)
    assert [body["input"] for body in service.asked] == [["passage: green tea"], ["query: green tea"]]
    assert service.asked[0]["dimensions"] == DIMENSION
    assert built().model_id == "openai/tea-1/16"
    assert model.model_id.startswith("openai/tea-1/16/")
    assert built(query_prefix="query: ").model_id == built().model_id


def test_the_key_comes_from_the_environment_and_goes_to_the_service_only(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService
) -> None:
    model = built(api_key_env="TEA_KEY")
    model.embed(TEA)
    built().embed(TEA)
    assert service.seen_headers[0]["Authorization"] == f"Bearer {KEY}"
    assert "Authorization" not in service.seen_headers[1]
    assert KEY not in repr(model)
    service.answer = lambda _: (401, json.dumps({"error": {"code": f"wrong key {KEY}"}}).encode())
    with pytest.raises(StoreError, match="401: it does not take the key") as raised:
        model.embed(TEA)
    assert KEY not in str(raised.value)
    assert KEY not in repr(raised.value.__cause__)


@pytest.mark.parametrize("value", [None, "", "  ", "two\nlines", "schlüssel"])
def test_a_key_that_is_missing_or_cannot_be_sent_is_a_matter_of_setup(
    service: EmbeddingService, value: str | None
) -> None:
    environment = {} if value is None else {"TEA_KEY": value}
    with pytest.raises(ConfigurationError, match="TEA_KEY") as raised:
        OpenAIEmbedder(service.settings(api_key_env="TEA_KEY"), environment=environment)
    assert not (value and value.strip()) or value not in str(raised.value)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("api_key_env", "sk-a-key-itself"),
        ("base_url", "ftp://localhost/v1"),
        ("base_url", "http://user:secret@localhost/v1"),
        ("base_url", "http://localhost/v1?key=secret"),
        ("base_url", ""),
        ("model", ""),
        ("dimension", 0),
    ],
)
def test_settings_hold_no_key_and_lack_nothing(setting: str, value: object) -> None:
    values = {"name": "openai", "base_url": "http://localhost/v1", "model": "tea-1", "dimension": 16}
    assert EmbedderSettings.model_validate(values).name == "openai"
    with pytest.raises(ValidationError) as raised:
        EmbedderSettings.model_validate({**values, setting: value})
    assert "secret" not in str(raised.value)
    assert "a-key-itself" not in str(raised.value)


def test_a_port_that_is_no_number_is_a_matter_of_setup() -> None:
    settings = EmbedderSettings(base_url="http://localhost:tea/v1", model="tea-1", dimension=16)
    with pytest.raises(ConfigurationError, match="port"):
        OpenAIEmbedder(settings)


def test_long_texts_secrets_and_empty_ones_are_not_sent_as_they_are(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService
) -> None:
    secret = "ghp_" + "a1B2" * 9
    built().embed(["H" * 500 + "m" * 900_000 + "T" * 5499, f"key {secret}", " ", "", "nul\0 \ud83d"])
    long, key, *rest = service.asked[0]["input"]
    assert long == "H" * 500 + " " + "T" * 5499
    assert secret not in key
    assert rest == [".", ".", "nul  \ufffd"]
    built(max_bytes=120).embed(["茶" * 5000])
    assert len(service.asked[1]["input"][0].encode()) <= 120


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_service_that_is_busy_is_asked_again_with_growing_waits(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService, waits: list[float], status: int
) -> None:
    service.queue = [(status, b"busy")] * (TRIES - 1)
    assert built().embed(TEA).shape == (1, DIMENSION)
    assert waits == [FIRST_WAIT_S, 2 * FIRST_WAIT_S, 4 * FIRST_WAIT_S]


def test_a_service_that_stays_busy_is_given_up(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService, waits: list[float]
) -> None:
    service.answer = lambda _: (503, b'{"error": {"code": "overloaded"}}')
    with pytest.raises(StoreError, match=r"503 \(overloaded\)"):
        built().embed(TEA)
    assert (len(service.asked), len(waits)) == (TRIES, TRIES - 1)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0"}, FIRST_WAIT_S),
        ({"Retry-After": "-3"}, FIRST_WAIT_S),
        ({"Retry-After": "soon"}, FIRST_WAIT_S),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, FIRST_WAIT_S),
    ],
)
def test_a_service_is_given_the_time_that_it_asks_for(
    built: Callable[..., OpenAIEmbedder],
    service: EmbeddingService,
    waits: list[float],
    headers: dict[str, str],
    expected: float,
) -> None:
    service.headers = headers
    service.queue = [(429, b"")]
    built().embed(TEA)
    assert waits == [expected]


def test_a_date_to_wait_for_is_read_by_the_clock_of_the_service(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService, waits: list[float]
) -> None:
    def in_2015(out: Any) -> None:
        out.write(
            b"HTTP/1.0 429 Busy\r\nDate: Wed, 21 Oct 2015 07:27:40 GMT\r\n"
            b"Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n\r\n"
        )
        service.raw = None

    service.raw = in_2015
    built().embed(TEA)
    assert waits == [20.0]


def test_a_service_that_asks_for_an_hour_is_not_waited_for(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService, waits: list[float]
) -> None:
    assert MOST_WAIT_S < 3600
    service.headers = {"Retry-After": "3600"}
    service.answer = lambda _: (429, b"")
    with pytest.raises(StoreError, match="asks to wait 3600 s"):
        built().embed(TEA)
    assert (len(service.asked), waits) == (1, [])


def test_many_questions_are_work_that_has_time(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService
) -> None:
    service.queue = [(503, b"")]
    assert built(batch_texts=2, query_timeout_s=0.001).embed_query(["a", "b", "c"]).shape == (3, DIMENSION)
    assert [len(body["input"]) for body in service.asked] == [2, 2, 1]


def test_a_question_is_asked_once(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService, waits: list[float]
) -> None:
    service.queue = [(503, b"")]
    with pytest.raises(StoreError, match="503"):
        built().embed_query(TEA)
    assert (len(service.asked), waits) == (1, [])
    assert built().embed_query(TEA) == pytest.approx(FakeEmbedder(DIMENSION).embed(TEA), abs=1e-6)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "answers 400"),
        (401, "does not take the key"),
        (403, "does not take the key"),
        (404, "no such model"),
        (413, "too much"),
        (422, "answers 422"),
        (301, "leads elsewhere"),
        (307, "leads elsewhere"),
        (204, "answers 204"),
    ],
)
def test_what_no_patience_mends_is_not_tried_again_and_no_text_is_repeated(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService, status: int, said: str
) -> None:
    service.headers = {"Location": f"{service.url}/elsewhere"}
    service.answer = lambda body: (status, json.dumps({"error": {"message": body["input"][0]}}).encode())
    with pytest.raises(StoreError, match=said) as raised:
        built().embed(TEA)
    assert "green tea" not in str(raised.value)
    assert service.paths == ["/v1/embeddings"]


ROW = [1.0] * DIMENSION


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, b"<html>"), "no JSON"),
        ((200, b'{"data": [{"embedding": [NaN]}]}'), "no JSON"),
        ((200, b"[]"), "without vectors"),
        ((200, b'{"error": "no"}'), "without vectors"),
        ((200, b'{"data": ["tea"]}'), "without vectors"),
        (vector_answer(), "0 vectors for 1 texts"),
        (vector_answer(ROW, ROW), "2 vectors for 1 texts"),
        (vector_answer(ROW, index=1), "which vector is of which text"),
        (vector_answer(ROW, index="0"), "which vector is of which text"),
        (vector_answer(ROW[1:]), f"of 15 numbers, and embedder.dimension is {DIMENSION}"),
        (vector_answer([]), "of 0 numbers"),
        (vector_answer("AAAA"), "of 0 numbers"),
        (vector_answer(None), "of 0 numbers"),
        (vector_answer([*ROW[1:], "tea"]), "something else than numbers"),
        (vector_answer([*ROW[1:], [1]]), "something else than numbers"),
        (vector_answer([*ROW[1:], None]), "zeros, or with numbers that are none"),
        (vector_answer([0] * DIMENSION), "zeros"),
        (vector_answer([1e300] * DIMENSION), "numbers that are none"),
        ((200, b" " * 1_000_000), "more than"),
    ],
)
def test_an_answer_that_holds_no_such_vectors_is_refused_at_once(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService, answer: tuple[int, bytes], said: str
) -> None:
    service.answer = lambda _: answer
    with pytest.raises(StoreError, match=said):
        built().embed(TEA)
    assert len(service.asked) == 1


def test_an_answer_that_is_cut_off_is_asked_for_again(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService
) -> None:
    def half(out: Any) -> None:
        _, content = vectors(service.asked[-1])
        out.write(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content[:-20])
        if len(service.asked) == 2:
            service.raw = None

    service.raw = half
    assert built().embed(TEA).shape == (1, DIMENSION)
    assert len(service.asked) == 3
    service.raw = half
    with pytest.raises(StoreError, match="cut its answer off"):
        built().embed_query(TEA)


@pytest.mark.parametrize("said", [b"", b"tea", b"HTTP/1.0 tea\r\n\r\n"])
def test_what_is_no_http_is_told(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService, said: bytes
) -> None:
    service.raw = lambda out: out.write(said)
    with pytest.raises(StoreError, match=r"does not speak HTTP|cannot be reached"):
        built().embed_query(TEA)


@pytest.mark.parametrize("start", [b"", b"HTTP/1.0 200 OK\r\nContent-Length: 100000\r\n\r\n"])
def test_a_service_that_drips_is_waited_for_no_longer_than_one_that_is_silent(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService, start: bytes
) -> None:
    def drip(out: Any) -> None:
        out.write(start)
        for _ in range(100):
            out.write(b" ")
            time.sleep(0.05)

    service.raw = drip
    started = time.monotonic()
    with pytest.raises(StoreError, match=r"no answer within 0\.3 s"):
        built(query_timeout_s=0.3).embed_query(TEA)
    assert time.monotonic() - started < 2


def test_a_service_that_is_silent_is_waited_for_so_long(
    built: Callable[..., OpenAIEmbedder], service: EmbeddingService, waits: list[float]
) -> None:
    service.raw = lambda _: time.sleep(1)
    with pytest.raises(StoreError, match=r"no answer within 0\.1 s"):
        built(timeout_s=0.1).embed(TEA)
    assert len(waits) == TRIES - 1


def test_a_service_that_is_not_there_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    settings = EmbedderSettings(base_url=url, model="tea-1", dimension=16)
    with pytest.raises(StoreError, match=f"{url.removesuffix('/v1')} cannot be reached: Connection refused"):
        OpenAIEmbedder(settings, sleep=lambda _: None).embed(TEA)


def test_a_proxy_of_the_environment_is_not_asked(
    built: Callable[..., OpenAIEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert np.isfinite(built().embed(TEA)).all()

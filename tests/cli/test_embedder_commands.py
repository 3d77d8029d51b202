from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from sunrise import bootstrap
from sunrise.adapters import embedders
from sunrise.cli.app import app
from sunrise.cli.exit_codes import ExitCode
from sunrise.settings import Settings
from tests.embedding_service import serving
from tests.fakes import FakeEmbedder

RUNNER = CliRunner()


class Forgetful(FakeEmbedder):
    """Stops at a NUL and takes no empty text."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if "" in texts:
            raise ValueError("no text")
        return super().embed([text.partition("\0")[0] for text in texts])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    built = {"use": lambda: FakeEmbedder(16), "none": embedders.NoEmbedder, "e5": lambda: Forgetful(8)}
    monkeypatch.setattr(embedders, "_BUILT_IN", built)
    bootstrap._embedder.cache_clear()
    yield str(tmp_path)
    bootstrap._embedder.cache_clear()


def test_the_list_says_what_is_named_and_what_one_lacks(home: str) -> None:
    done = RUNNER.invoke(app, ["embedder", "list", "--home", home, "--json"])
    found = {one["name"]: one for one in json.loads(done.output)["embedders"]}
    assert set(found) == {"use", "none", "e5", "openai"}
    assert [name for name, one in found.items() if one["chosen"]] == ["use"]
    assert (found["use"]["model_id"], found["use"]["dimension"]) == ("fake/1", 16)
    assert not found["openai"]["ready"]
    assert "base_url" in found["openai"]["lacks"]
    text = RUNNER.invoke(app, ["embedder", "list", "--home", home]).output
    assert "use*" in text
    assert "fake/1" in text


def test_a_sound_embedder_passes_every_trial(home: str) -> None:
    done = RUNNER.invoke(app, ["embedder", "test", "--home", home, "--json"])
    said = json.loads(done.output)
    assert (done.exit_code, said["name"], said["faults"]) == (0, "use", 0)
    assert {"1 MB", "a fork after use", "eight threads at once"} <= {one["name"] for one in said["checks"]}


def test_a_faulty_one_is_told_and_ends_with_an_error(home: str) -> None:
    done = RUNNER.invoke(app, ["embedder", "test", "e5", "--home", home, "--json"])
    faults = {one["name"]: one["fault"] for one in json.loads(done.output)["checks"] if one["fault"]}
    assert done.exit_code == ExitCode.FAILED
    assert faults == {
        "empty": "ValueError: no text",
        "what follows a NUL counts": "the text after it is ignored",
    }
    assert (
        "the text after it is ignored"
        in RUNNER.invoke(app, ["embedder", "test", "e5", "--home", home]).output
    )


def test_a_service_is_found_where_the_settings_say(home: str) -> None:
    with serving() as service:
        text = f'[embedder]\nname = "openai"\nbase_url = "{service.url}"\nmodel = "tea-1"\ndimension = 16\n'
        (Path(home) / "sunrise.toml").write_text(text, encoding="utf-8")
        done = RUNNER.invoke(app, ["embedder", "test", "--home", home, "--json"])
        assert json.loads(done.output)["faults"] == 0
        assert service.asked
        assert bootstrap.embedder_of_model("openai/tea-1/16") is None
        settings = Settings(home=Path(home), embedder=service.settings(name="use"))
        again = bootstrap.embedder_of_model("openai/tea-1/16", settings)
        assert again is not None
        assert again.dimension == 16


def test_a_bench_measures_what_it_says(home: str) -> None:
    arguments = ["embedder", "bench", "--home", home, "--texts", "40", "--queries", "5"]
    said = json.loads(RUNNER.invoke(app, [*arguments, "--json"]).output)
    assert (said["name"], said["texts"]) == ("use", 40)
    assert said["texts_per_s"] > 0
    assert 0 < said["query_p50_ms"] <= said["query_p95_ms"]
    text = RUNNER.invoke(app, arguments).output
    assert "of 40" in text
    assert "memory added" in text


def test_an_unknown_name_is_a_wrong_command_line(home: str) -> None:
    assert RUNNER.invoke(app, ["embedder", "test", "e9", "--home", home]).exit_code == ExitCode.USAGE

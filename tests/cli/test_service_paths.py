"""Commands beside a running service: it answers, says the same as this process, and `-v` says who."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.commands import typed
from tests.serving import announced, make_home, served

SERVICE = "sunrise: answered by the service"
PROCESS = "sunrise: answered by this process"
VOLATILE = {"runId", "atMs", "latencyMs", "createdAtMs", "date", "created_at_ms", "at_ms", "score", "ref"}
VOLATILE |= {"last_retrieved_ms", "last_included_ms", "last_used_ms", "foundIn", "latency_ms"}
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = make_home(tmp_path / "home")
    monkeypatch.setenv("SUNRISE_HOME", str(made))
    return made


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return partial(typed, monkeypatch, capsys)


@pytest.fixture
def service(home: Path) -> Iterator[None]:
    with served(home) as running, announced(running):
        yield


def messages(path: Path) -> Path:
    said = [{"role": "user", "content": "Remember that I prefer tea over coffee in the morning."}]
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


def steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: type(one).__name__ if name in VOLATILE else steady(one) for name, one in value.items()}
    return [steady(one) for one in value] if isinstance(value, list) else value


COMMANDS = (
    ("recall", "green tea"),
    ("list",),
    ("stats",),
    ("get", "m-tea"),
    ("timeline", "--at", "2026-11-18"),
    ("auto-recall", "what tea does the user like", "--read-only"),
    ("explain", "last"),
    ("revive", "m-tea"),
    ("store", "A thing that nobody said before"),
    ("forget", "m-backup"),
    ("forget", "m-zh", "--erase"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:1] + words[2:]))
def test_a_command_says_the_same_through_the_service(
    words: tuple[str, ...], home: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_home(tmp_path / "other")
    with served(home) as running, announced(running):
        run("auto-recall", "what tea does the user like", "--session", "s")
        through = run(*words, "--json", "-v")
        said = run(*words, "-v")
    monkeypatch.setenv("SUNRISE_HOME", str(other))
    run("auto-recall", "what tea does the user like", "--session", "s")
    own = run(*words, "--json", "-v")
    assert through[2].splitlines()[0] == said[2].splitlines()[0] == SERVICE
    assert own[2].splitlines()[0] == PROCESS
    assert through[0] == own[0] == 0
    first, second = (
        json.loads(one[1].replace(str(place), "HOME")) for one, place in ((through, home), (own, other))
    )
    assert steady(first) == steady(second)


def test_a_capture_goes_through_the_service(service: None, tmp_path: Path, run: Run) -> None:
    code, out, err = run("capture", str(messages(tmp_path / "said.json")), "--json", "-v")
    assert (code, err, len(json.loads(out)["refs"])) == (0, f"{SERVICE}\n", 1)


@pytest.mark.parametrize("form", ["jsonl", "json", "markdown", "parquet"])
def test_an_export_has_the_same_bytes_either_way(home: Path, tmp_path: Path, run: Run, form: str) -> None:
    with served(home) as running, announced(running):
        code, out, err = run("export", str(tmp_path / "through"), "--format", form, "-v", "--json")
        assert (code, err) == (0, f"{SERVICE}\n")
    code, own, err = run("export", str(tmp_path / "own"), "--format", form, "-v", "--json")
    assert (code, err) == (0, f"{PROCESS}\n")
    assert (tmp_path / "through").read_bytes() == (tmp_path / "own").read_bytes() != b""
    assert (tmp_path / "through").stat().st_mode & 0o777 == 0o600
    assert steady(json.loads(out)) == steady(json.loads(own))
    assert json.loads(out)["exported"] == 5


def test_what_the_service_does_not_do_is_said_by_this_process(
    service: None, tmp_path: Path, run: Run
) -> None:
    code, out, err = run("export", "-", "--trust", "holy", "-v")
    assert (code, out) == (2, "")
    assert PROCESS in err
    code, _, err = run("export", str(tmp_path / "no" / "where"))
    assert code == 78
    assert "make it first" in err


def test_an_import_is_sent_and_its_path_is_a_name_alone(
    home: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Larger than a request may be, so that it cannot have come as one.
    rows = [json.dumps({"id": f"i-{at}", "text": f"Fact {at}", "more": "x" * 2000}) for at in range(1000)]
    (tmp_path / "given.jsonl").write_text("\n".join([*rows, "{torn"]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with served(home) as running, announced(running):
        limit = running.service.options.settings.max_body_kib * 1024
        assert (tmp_path / "given.jsonl").stat().st_size > limit
        code, out, err = run("import", "given.jsonl", "--dry-run", "-v", "--json")
        assert (code, err, json.loads(out)["counts"]["imported"]) == (3, f"{SERVICE}\n", 1000)
        code, out, err = run("import", "given.jsonl", "-v", "--json", "--scope", "ops")
        assert (code, err) == (3, f"{SERVICE}\n")
        done = json.loads(out)
        assert (done["counts"]["imported"], done["counts"]["refused"]) == (1000, 1)
        assert done["groups"]["refused_by_reason"] == {"torn_line": 1}
        (row,) = running.service.home.ledger.quarantined(limit=10)
        assert (row.source, row.line) == (f"import:{tmp_path / 'given.jsonl'}", 1001)
        assert run("list", "--scope", "ops", "--json")[1].count('"ref"') == 20
    assert not any(path.name.startswith("tmp") for path in home.rglob("*"))


def test_standard_input_is_imported_through_the_service(
    service: None, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = io.TextIOWrapper(io.BytesIO(b'{"id": "i-1", "text": "Coffee at nine"}\n'))
    monkeypatch.setattr(sys, "stdin", given)
    code, out, err = run("import", "-", "-v", "--json")
    assert (code, err, json.loads(out)["counts"]["imported"]) == (0, f"{SERVICE}\n", 1)


def test_an_import_that_the_service_refuses_is_done_here(home: Path, tmp_path: Path, run: Run) -> None:
    rows = [json.dumps({"id": f"i-{at}", "text": f"Fact {at}", "more": "x" * 2000}) for at in range(1000)]
    (tmp_path / "given.jsonl").write_text("\n".join(rows), encoding="utf-8")
    with served(home, max_import_mib=1) as running, announced(running):
        code, out, err = run("import", str(tmp_path / "given.jsonl"), "-v", "--json")
    assert (code, err, json.loads(out)["counts"]["imported"]) == (0, f"{PROCESS}\n", 1000)

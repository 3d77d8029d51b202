"""Sources and the quarantine from the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sunrise.cli.app import main
from sunrise.cli.exit_codes import ExitCode
from sunrise.settings import SourceSettings, load_settings

Command = Callable[..., tuple[int, str, str]]

TURN = {
    "type": "message", "id": "a1", "timestamp": "2026-11-27T21:02:27.436Z",
    "message": {"role": "user", "content": "I moved the backup to the NAS in the cellar"},
}  # fmt: skip
HEAD = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-11-27T21:02:27.400Z", "cwd": "/w"}


@pytest.fixture
def sunrise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    monkeypatch.setenv("PREFECT_HOME", "unused")

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sunrise", *words, "--home", str(tmp_path / "home")])
        code: Any = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        printed = capsys.readouterr()
        return int(code or 0), printed.out, printed.err

    call("init")
    return call


@pytest.fixture
def gateway(tmp_path: Path) -> Path:
    """An OpenClaw home with one transcript, one capture and one Markdown memory."""
    root = tmp_path / "claw"
    _write(root / "agents/main/sessions/s1.jsonl", HEAD, TURN)
    _write(root / "memory/openclaw-mem-observations.jsonl", {"id": 1, "summary": "tool result"})
    (root / "workspace").mkdir()
    (root / "workspace/MEMORY.md").write_text("# House\n- The key is under the third pot\n")
    return root


def test_auto_finds_the_gateway_and_harvest_reads_all_of_it(
    sunrise: Command, gateway: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(gateway))

    code, out, _ = sunrise("sources", "add", "auto")
    _, receipt, _ = sunrise("run", "harvest", "--json")

    assert code == 0
    assert out.splitlines()[0] == f"added  openclaw {gateway}"
    assert load_settings(tmp_path / "home").sources == (SourceSettings(kind="openclaw", path=str(gateway)),)
    counts = json.loads(receipt)["receipts"][0]["counts"]
    assert (counts["sources"], counts["inserted"], counts["episodes_inserted"]) == (3, 3, 1)


def test_auto_without_a_gateway_says_how_to_name_one(
    sunrise: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "nowhere"))

    code, _, err = sunrise("sources", "add", "auto")

    assert code == ExitCode.CONFIGURATION
    assert "sunrise sources add openclaw" in err


def test_a_source_is_added_once(sunrise: Command, gateway: Path, tmp_path: Path) -> None:
    first = sunrise("sources", "add", "openclaw", str(gateway), "--json")
    second = sunrise("sources", "add", "openclaw", str(gateway), "--json")

    assert [json.loads(out)["added"] for _, out, _ in (first, second)] == [True, False]
    assert len(load_settings(tmp_path / "home").sources) == 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(("fax", "/x"), "no such kind of source"), (("markdown",), "needs a path")],
)
def test_what_is_no_source_is_refused(sunrise: Command, words: tuple[str, ...], complaint: str) -> None:
    code, _, err = sunrise("sources", "add", *words)

    assert code == ExitCode.USAGE
    assert complaint in " ".join(err.replace("│", " ").split())


def test_the_list_says_how_far_each_file_was_read(sunrise: Command, gateway: Path) -> None:
    sunrise("sources", "add", "transcripts", str(gateway / "agents/main/sessions"))
    before = json.loads(sunrise("sources", "list", "--json")[1])["sources"]
    sunrise("run", "harvest")
    after = json.loads(sunrise("sources", "list", "--json")[1])["sources"]

    size = (gateway / "agents/main/sessions/s1.jsonl").stat().st_size
    assert [(one["source"], one["bytes_read"]) for one in before] == [("transcripts", 0)]
    assert [(one["bytes_read"], one["read_up_to"]) for one in after] == [(size, f"{size} bytes")]


def test_a_test_of_sources_keeps_nothing(sunrise: Command, gateway: Path) -> None:
    sunrise("sources", "add", "openclaw", str(gateway))

    code, out, _ = sunrise("sources", "test", "--json")
    _, status, _ = sunrise("receipts", "--json")

    tried = {Path(one["file"]).name: one for one in json.loads(out)["sources"]}
    assert code == 0
    assert (tried["s1.jsonl"]["new"], tried["s1.jsonl"]["episodes"]) == (1, 1)
    assert tried["MEMORY.md"]["new"] == 1
    assert json.loads(status)["receipts"] == []


def test_a_test_names_the_source_that_is_not_there(sunrise: Command, tmp_path: Path) -> None:
    sunrise("sources", "add", "capture", str(tmp_path / "later.jsonl"))

    code, out, _ = sunrise("sources", "test")

    assert code == ExitCode.ANOMALY
    assert "is not there" in out


def test_a_refused_line_can_be_seen_mended_and_retried(sunrise: Command, tmp_path: Path) -> None:
    spool = tmp_path / "home/spool/agent.jsonl"
    broken, mended = '{"id": 7, "summary": "torn"  \n', '{"id": 7, "summary": "torn"} \n'
    spool.write_text(broken + '{"id": 8, "summary": "whole"}\n')
    sunrise("run", "harvest")
    _, listed, _ = sunrise("quarantine", "list", "--json")
    _, shown, _ = sunrise("quarantine", "show", "1")
    # Mended in place, as an editor does that keeps the file.
    with spool.open("r+b") as file:
        file.write(mended.encode())

    code, out, _ = sunrise("quarantine", "retry", "--json")

    waiting = json.loads(listed)["quarantine"]
    assert [(one["reason"], one["position"], one["state"]) for one in waiting] == [
        ("malformed_json", "0", "waiting")
    ]
    assert "torn" in shown
    assert code == 0
    assert json.loads(out) == {"resolved": 1, "inserted": 1, "imported": 0, "duplicate": 0, "waiting": 0}
    assert "nothing is in quarantine" in sunrise("quarantine", "list")[1]
    assert (
        json.loads(sunrise("quarantine", "list", "--all", "--json")[1])["quarantine"][0]["state"]
        == "resolved"
    )


def test_harvest_retries_by_itself(sunrise: Command, tmp_path: Path) -> None:
    spool = tmp_path / "home/spool/agent.jsonl"
    # Beginning and end of what was read tell whether the file is another one by now; this lies between.
    beginning, end = (json.dumps({"id": n, "summary": "x" * 5000}) + "\n" for n in (1, 2))
    spool.write_text(beginning + '{"id": 7, "summary": "torn"  \n' + end)
    sunrise("run", "harvest")
    with spool.open("r+b") as file:
        file.seek(len(beginning))
        file.write(b'{"id": 7, "summary": "torn"} \n')

    _, out, _ = sunrise("run", "harvest", "--json")

    counts = json.loads(out)["receipts"][0]["counts"]
    assert (counts["seen"], counts["inserted"], counts["resolved"]) == (1, 1, 1)


def test_a_mended_line_of_a_transcript_is_retried(sunrise: Command, gateway: Path) -> None:
    transcript = gateway / "agents/main/sessions/s1.jsonl"
    later = {**TURN["message"], "content": "And oat milk, please"}
    line = json.dumps({**TURN, "id": "a2", "message": later})
    with transcript.open("a") as file:
        file.write(line[:-1] + " \n")
    sunrise("sources", "add", "openclaw", str(gateway))
    sunrise("run", "harvest")
    transcript.write_bytes(transcript.read_bytes()[:-2] + b"}\n")

    _, out, _ = sunrise("quarantine", "retry", "--json")

    assert json.loads(out) == {"resolved": 1, "inserted": 1, "imported": 0, "duplicate": 0, "waiting": 0}


def test_a_line_whose_file_is_gone_waits_on(sunrise: Command, tmp_path: Path) -> None:
    spool = tmp_path / "home/spool/agent.jsonl"
    spool.write_text("{\n")
    sunrise("run", "harvest")
    spool.unlink()

    _, out, _ = sunrise("quarantine", "retry", "--json")

    assert json.loads(out)["waiting"] == 1


def test_a_dropped_line_is_not_retried_and_stays_to_be_read(sunrise: Command, tmp_path: Path) -> None:
    (tmp_path / "home/spool/agent.jsonl").write_text("{\n")
    sunrise("run", "harvest")

    _, dropped, _ = sunrise("quarantine", "drop", "1", "--json")
    _, retried, _ = sunrise("quarantine", "retry", "--json")

    assert json.loads(dropped) == {"dropped": 1}
    assert json.loads(retried)["waiting"] == 0
    assert "dropped" in sunrise("quarantine", "show", "1")[1]


@pytest.mark.parametrize("verb", ["show", "drop", "retry"])
def test_an_unknown_id_is_a_mistake_of_the_command_line(sunrise: Command, verb: str) -> None:
    code, _, _ = sunrise("quarantine", verb, "99")

    assert code == ExitCode.USAGE


def _write(path: Path, *records: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")

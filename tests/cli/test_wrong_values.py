"""
A wrong value for each option of each command: refused by name, with the right ones, and never taken silently.

The options are those that the command line knows: one that is new has no place in the tables here, and fails
until it is given one.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from sunrise.cli.app import app
from sunrise.cli.exit_codes import ExitCode
from tests.commands import typed

LABELS = "must_remember, nice_to_have, ignore, unknown"
TIERS = "trusted, untrusted, quarantined, unknown"
MOMENT = "a date such as 2026-11-18"
SCOPE = "the name of a scope holds no control characters"
NO_RECORD = "no record has this ref"
LANCEDB = "writeback-lancedb --db {home}/ledger.sqlite --lancedb"

# Command, option or argument, the words that are typed, and what the refusal says.
REFUSED: list[tuple[str, str, str, str]] = [
    ("store", "--importance", "store x --importance 7", f"importance is 0 to 1, or {LABELS}"),
    ("store", "--importance", "store x --importance 2.5", f"importance is 0 to 1, or {LABELS}"),
    ("store", "--importance", "store x --importance urgent", f"importance is 0 to 1, or {LABELS}"),
    ("store", "--origin", "store x --origin me", "operator, agent, system, import, tool, web"),
    ("store", "--category", "store x --category A/B", "preference, decision or fact"),
    ("store", "--ttl-days", "store x --ttl-days=-1", "ttl_days above 0"),
    ("store", "--ttl-days", "store x --ttl-days nan", "ttl_days above 0"),
    ("store", "--ttl-days", "store x --ttl-days soon", "--ttl-days"),
    ("store", "--id", "store x --id a\tb", "an id has no spaces"),
    ("store", "--key", "store x --key=", "a key is not empty"),
    ("store", "--replaces", "store x --replaces obs:1", "refs or ids of memories"),
    ("store", "--scope", "store x --scope a\x1bb", SCOPE),
    ("forget", "memory_id", "forget", "name either an id or a query"),
    ("forget", "--query", "forget --query=", "the query is empty"),
    ("forget", "--scope", "forget abc --scope a\x1bb", SCOPE),
    ("forget", "--reason", "forget abc --reason=", "a reason has 1 to 200 characters"),
    ("list", "--label", "list --label important", f"no such label: 'important'; there are {LABELS}"),
    ("list", "--trust", "list --trust high", TIERS),
    ("list", "--state", "list --state gone", "captured, active, stale, superseded, archived"),
    ("list", "--since", "list --since yesterday", MOMENT),
    ("list", "--scope", "list --scope homlab", "nothing has the scope 'homlab'; there are global, ops"),
    ("list", "--category", "list --category tea", "nothing has the category 'tea'; there are fact, other"),
    ("list", "--limit", "list --limit 0", "greater than or equal to 1"),
    ("list", "--limit", "list --limit 1001", "less than or equal to 1000"),
    ("list", "--cursor", "list --cursor abc", "cursor"),
    ("stats", "--scope", "stats --scope homlab", "nothing has the scope 'homlab'; there are global, ops"),
    ("get", "ref", "get xyz", f"{NO_RECORD}: xyz"),
    ("timeline", "ref", "timeline", "needs a ref or a moment"),
    ("timeline", "ref", "timeline obs:999", f"{NO_RECORD}: obs:999"),
    ("timeline", "--at", "timeline --at noon", MOMENT),
    ("timeline", "--scope", "timeline --at 2026-11-18 --scope a\x1bb", SCOPE),
    ("timeline", "--hours", "timeline obs:1 --hours 0", "greater than or equal to 0.01"),
    ("timeline", "--before", "timeline obs:1 --before=-1", "greater than or equal to 0"),
    ("timeline", "--after", "timeline obs:1 --after 201", "less than or equal to 200"),
    ("export", "file", "export {tmp}/out.xyz", ".jsonl, .ndjson, .json, .md, .markdown, .parquet"),
    ("export", "--format", "export {tmp}/a --format xml", "jsonl, json, markdown, parquet"),
    ("export", "--scope", "export {tmp}/a --scope homlab", "there are global, ops"),
    ("export", "--category", "export {tmp}/a --category tea", "there are fact, other"),
    ("export", "--label", "export {tmp}/a --label important", LABELS),
    ("export", "--trust", "export {tmp}/a --trust high", TIERS),
    ("export", "--state", "export {tmp}/a --state gone", "captured, active, stale, superseded, archived"),
    ("export", "--since", "export {tmp}/a --since soon", MOMENT),
    ("import", "--dedupe", "import {tmp}/one.jsonl --dedupe x", "none, id, id_text"),
    ("import", "--scope", "import {tmp}/one.jsonl --scope=", "not empty"),
    ("import", "--batch", "import {tmp}/one.jsonl --batch 0", "greater than or equal to 1"),
    ("revive", "ref", "revive xyz", f"{NO_RECORD}: xyz"),
    ("lifecycle approve", "run_id", "lifecycle approve x", "nothing of the run x waits to be approved"),
    ("revive", "ref", "revive", "name one REF, or --source NAME, or --run RUN"),
    *(
        (name, option, f"{name} {line}", said)
        for name in ("revive", "memory revive")
        for option, line, said in (
            ("--source", "--source nowhere.md", "row is held back at entry"),
            ("--run", "--run nope", "the ledger knows no run nope"),
            ("--trust", "--source x --trust high", TIERS),
        )
    ),
    ("memory revive", "ref", "memory revive xyz", f"{NO_RECORD}: xyz"),
    ("writeback", "--force-fields", "writeback --force-fields text", "importance, importance_label, scope"),
    ("writeback", "--force-fields", "writeback --force-fields=", "importance, importance_label, scope"),
    ("writeback", "--limit", "writeback --limit 0", "greater than or equal to 1"),
    ("writeback", "--batch", "writeback --batch 0", "greater than or equal to 1"),
    ("writeback-lancedb", "--db", "writeback-lancedb --db {tmp}/x --lancedb a --table b", "no ledger"),
    ("writeback-lancedb", "--limit", "writeback-lancedb --db a --lancedb b --table c --limit 0", "--limit"),
    ("writeback-lancedb", "--batch", "writeback-lancedb --db a --lancedb b --table c --batch 0", "--batch"),
    ("auto-recall", "--session", "auto-recall tea --session=", "a session has 1 to 200"),
    ("auto-recall", "--turn", "auto-recall tea --turn=", "a turn has 1 to 200"),
    ("auto-recall", "--scope", "auto-recall tea --scope a\x1bb", SCOPE),
    ("capture", "path", "capture {tmp}/none.json", "holds no messages"),
    ("capture", "--session", "capture {tmp}/said.json --session=", "a session has 1 to 200"),
    ("capture", "--session-key", "capture {tmp}/said.json --session-key=", "has 1 to 200"),
    ("capture", "--scope", "capture {tmp}/said.json --scope a\x1bb", SCOPE),
    ("recall", "--scope", "recall tea --scope a\x1bb", SCOPE),
    ("recall", "--limit", "recall tea --limit 0", "greater than or equal to 1"),
    ("recall", "--limit", "recall tea --limit 101", "less than or equal to 100"),
    ("run", "flow", "run gardening", "harvest, grade, writeback"),
    ("serve", "--port", "serve --port 99999", "less than or equal to 65535"),
    ("token", "name", "token a/b", "letters, digits, dot, dash and underscore"),
    ("token", "--scope", "token tim --scope=", "not empty"),
    ("token", "--scope", "token tim --scope a\x1bb", SCOPE),
    ("token", "--right", "token tim --right all", "read, write, admin"),
    ("token", "--grant", "token tim --grant all", "read, write, admin"),
    ("mcp", "--scope", "mcp --scope=", "not empty"),
    ("undo", "run_id", "undo nosuch", "no run has this id: nosuch"),
    ("eval", "--embedder", "eval own --embedder x", "no such embedder: 'x'; there are"),
    ("eval", "--k", "eval own --k 5,x", "depths such as 5,10,20"),
    ("eval", "--k", "eval own --k 0", "from 1 to 100"),
    ("eval", "--limit", "eval own --limit 0", "greater than or equal to 1"),
    ("eval", "--ranker", "eval own --ranker best", "recall, bm25, dense"),
    ("eval", "--baseline", "eval own --baseline x", "no evaluation is kept as x; there are none yet"),
    ("eval", "--save", "eval own --save a/b", "letters, digits, dot, dash, plus and underscore"),
    ("receipts", "--flow", "receipts --flow gardening", "harvest, grade, writeback"),
    ("receipts", "--limit", "receipts --limit 0", "greater than or equal to 1"),
    ("sources add", "kind", "sources add x {tmp}", "auto, openclaw, capture, transcripts"),
    ("sources add", "path", "sources add capture", "needs a path"),
    ("sources add", "path", "sources add auto {tmp}", "takes no path"),
    ("sources add", "--timezone", "sources add capture {tmp}/c --timezone Mars/Base", "such as Asia/Taipei"),
    ("sources test", "--lines", "sources test --lines 0", "greater than or equal to 1"),
    ("grade explain", "what", "grade explain obs:999", NO_RECORD),
    ("grade explain", "--scorer", "grade explain x --scorer best", "heuristic-v1, heuristic-v2"),
    ("grade bench", "path", "grade bench {tmp}/none", "cannot be read"),
    ("grade bench", "--scorer", "grade bench {tmp}/one.jsonl --scorer best", "heuristic-v1, heuristic-v2"),
    ("grade regrade", "--scorer", "grade regrade --scorer best", "heuristic-v1, heuristic-v2, http"),
    ("grade regrade", "--since", "grade regrade --since soon", MOMENT),
    ("grade regrade", "--scope", "grade regrade --scope homlab", "there are ops"),
    ("grade regrade", "--force", "grade regrade --force text", "score, label, method, version, rationale"),
    ("admission report", "--days", "admission report --days=-1", "greater than or equal to 0"),
    ("trust list", "--tier", "trust list --tier high", TIERS),
    ("trust list", "--limit", "trust list --limit 0", "greater than or equal to 1"),
    ("trust set", "refs", "trust set xyz trusted", "no single record has this ref: xyz"),
    ("trust set", "tier", "trust set obs:1 high", TIERS),
    ("trust set", "--reason", "trust set obs:1 trusted --reason=", "say why with --reason"),
    ("trust release", "refs", "trust release xyz", "no single record has this ref: xyz"),
    ("quarantine list", "--limit", "quarantine list --limit 0", "greater than or equal to 1"),
    ("quarantine show", "row_id", "quarantine show 999", "nothing in quarantine has the id 999"),
    ("quarantine show", "row_id", "quarantine show x", "valid integer"),
    ("quarantine retry", "row_ids", "quarantine retry 999", "nothing in quarantine has one of these ids"),
    ("quarantine drop", "row_ids", "quarantine drop 999", "nothing in quarantine has one of these ids"),
    ("snapshot create", "name", "snapshot create a/b", "it takes 1 to 64 of A-Z"),
    ("embedder test", "name", "embedder test x", "no such embedder: 'x'; there are"),
    ("embedder bench", "name", "embedder bench x", "no such embedder: 'x'; there are"),
    ("embedder bench", "--texts", "embedder bench none --texts 0", "greater than or equal to 1"),
    ("embedder bench", "--queries", "embedder bench none --queries 1", "greater than or equal to 2"),
]

# What is not there, or cannot be used, is no matter of the command line: with the code that says so.
OTHER_CODES: list[tuple[str, str, str, ExitCode, str]] = [
    ("export", "file", "export {tmp}/none/a.json", ExitCode.CONFIGURATION, "there is no folder"),
    ("import", "file", "import {tmp}/none.jsonl", ExitCode.CONFIGURATION, "cannot read"),
    ("serve", "--host", "serve --host 0.0.0.0", ExitCode.CONFIGURATION, "--init-token"),
    ("eval", "golden", "eval {tmp}/none.jsonl", ExitCode.FAILED, "cannot be read"),
    ("snapshot show", "name", "snapshot show x", ExitCode.FAILED, "no finished snapshot 'x'"),
    ("snapshot diff", "old", "snapshot diff x", ExitCode.FAILED, "no finished snapshot 'x'"),
    ("snapshot diff", "new", "snapshot diff now x", ExitCode.FAILED, "no finished snapshot 'x'"),
    ("snapshot checkout", "name", "snapshot checkout x --to {tmp}/co", ExitCode.FAILED, "'x'"),
    ("snapshot checkout", "--to", "snapshot checkout x --to {tmp}", ExitCode.FAILED, "snapshot"),
    ("snapshot restore", "name", "snapshot restore x --yes", ExitCode.FAILED, "no finished snapshot 'x'"),
    ("snapshot delete", "name", "snapshot delete x --yes", ExitCode.FAILED, "no snapshot 'x'"),
    ("writeback-lancedb", "--force-fields", f"{LANCEDB} {{home}}/lance --table memories --force-fields text",
     ExitCode.FAILED, "importance, importance_label"),
    ("writeback-lancedb", "--table", f"{LANCEDB} {{home}}/lance --table x", ExitCode.FAILED,
     "there is no table x in"),
    ("writeback-lancedb", "--lancedb", f"{LANCEDB} {{tmp}}/no --table memories", ExitCode.FAILED,
     "there is no table memories in"),
]  # fmt: skip

# Any text is right here: what it means is for the command to find out, and it says so where it finds nothing.
ANY_TEXT = {
    ("store", "text"), ("store", "--source-ref"), ("auto-recall", "prompt"), ("recall", "query"),
    ("init", "--memories"), ("init", "--capture"), ("explain last", "--session"),
    ("snapshot create", "--reason"),
}  # fmt: skip


def valued() -> Iterator[tuple[str, str]]:
    """Yield each option and argument that takes a value, but for `--home`."""

    def below(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
        for name, one in getattr(command, "commands", {}).items():
            yield from below(one, (*path, name))
        if not hasattr(command, "commands"):
            yield path, command

    for path, command in below(get_command(app), ()):
        for one in command.params:
            if not getattr(one, "is_flag", False) and one.name not in ("home", "help"):
                yield " ".join(path), one.opts[0]


def test_every_option_has_its_place_here() -> None:
    known = {one[:2] for one in REFUSED} | {one[:2] for one in OTHER_CODES} | ANY_TEXT
    assert set(valued()) == known


@pytest.fixture(scope="module")
def place(home_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with memories of two scopes and an observation; nothing here changes it."""
    from sunrise import client
    from sunrise.bootstrap import open_home
    from sunrise.settings import load_settings
    from tests.homes import observation, observations

    home = shutil.copytree(home_template, tmp_path_factory.mktemp("wrong") / "home")
    (home / "said.json").write_text("[]", encoding="utf-8")
    (home / "one.jsonl").write_text('{"text": "one"}\n', encoding="utf-8")
    with client.open(home) as memories:
        memories.store("The rack is in the cellar", scope="ops")
    with open_home(load_settings(home)) as opened:
        opened.ledger.commit_harvest(observations(observation("1", scope="ops")), rejected=(), position=None)
    return home


def refusal(
    place: Path, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """Return the exit code of a typed line and all that it printed, in one line."""
    monkeypatch.setenv("SUNRISE_HOME", str(place))
    monkeypatch.setenv("COLUMNS", "400")
    for name in ("SUNRISE_MEMORIES__URI", "SUNRISE_MEMORIES__TABLE"):
        # One command sets them for its own process; they must not stay for the next test.
        monkeypatch.setenv(name, "x")
        monkeypatch.delenv(name)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    # A word may be empty, or hold any character but a blank.
    words = [word.format(tmp=place, home=place) for word in line.split(" ")]
    code, out, err = typed(monkeypatch, capsys, *words)
    assert "Traceback" not in err
    return code, " ".join((out + err).split())


@pytest.mark.parametrize(("line", "said"), [one[2:] for one in REFUSED], ids=[one[2] for one in REFUSED])
def test_a_wrong_value_is_refused_with_the_right_ones(
    place: Path, line: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed = refusal(place, line, monkeypatch, capsys)
    assert said in printed
    assert code == ExitCode.USAGE
    assert not (place / "out.xyz").exists()
    assert not (place / "a").exists()


@pytest.mark.parametrize(
    ("line", "code", "said"), [one[2:] for one in OTHER_CODES], ids=[one[2] for one in OTHER_CODES]
)
def test_what_is_not_there_is_named(
    place: Path,
    line: str,
    code: ExitCode,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    left, printed = refusal(place, line, monkeypatch, capsys)
    assert said in printed
    assert left == code

"""Memories in object storage: every flow on a local S3 server, by the same code as in a folder."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from flows.day import run_day
from flows.harvest import harvest_captures
from flows.index import index_memories
from flows.snapshot import take_snapshot
from flows.sweep import sweep_secrets
from flows.undo import undo_run
from flows.writeback import write_back
from sunrise.adapters.lance_border import connect
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.plugin_table import placeholder_vector, plugin_schema
from sunrise.bootstrap import existing_memories, open_home
from sunrise.domain.recall import RecallRequest
from sunrise.domain.receipts import RunStatus
from sunrise.domain.text.analysis import terms
from sunrise.domain.text.dated_terms import text_terms
from sunrise.errors import ConfigurationError, StoreError
from sunrise.online.recall import recall
from sunrise.settings import Settings, load_settings
from tasks.doctor import examine
from tasks.receipt_files import read_receipts
from tests.fakes import FakeEmbedder
from tests.homes import CAPTURES, CONFIG, MEMORIES, NOW, write_captures
from tests.s3_server import BUCKET, S3Server, s3_server

pytestmark = pytest.mark.xdist_group("object storage")

DIMENSION = 8
KEY = "AKIA" + "TESTTESTTESTTEST"
SECRET = "not-a-real-" + "secret-0123456789"
PLANTED = "gh" + "p_" + "a7Kq9fB2mXvR4tYw8sLz3nCd6pHj5gUe1oQi"


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with s3_server() as started:
        yield started


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)


@pytest.fixture
def home(server: S3Server, tmp_path: Path) -> Path:
    """A home before its first day, whose agent keeps its memories in the bucket."""
    home = write_home(tmp_path / "home", server, uri=f"s3://{BUCKET}/{tmp_path.name}")
    write_captures(home / "spool" / "agent.jsonl", CAPTURES)
    settings = load_settings(home)
    database = connect(settings.memories_uri, storage_options=settings.memories.storage_options)
    table = database.create_table("memories", schema=plugin_schema(DIMENSION))
    for row in MEMORIES:
        table.add(plugin_row(*row))
    return home


def write_home(home: Path, server: S3Server, *, uri: str) -> Path:
    home.mkdir()
    options = "".join(f"{name} = {json.dumps(value)}\n" for name, value in server.options.items())
    memories = f'[memories]\nuri = "{uri}"\n[memories.storage_options]\n{options}'
    (home / "sunrise.toml").write_text(f"{CONFIG}{memories}", encoding="utf-8")
    return home


def plugin_row(name: str, text: str, importance: float, category: str, created_ms: int) -> pa.Table:
    vector = placeholder_vector(text, DIMENSION).tolist()
    values = (name, text, vector, importance, category, float(created_ms))
    schema = plugin_schema(DIMENSION)
    return pa.Table.from_pylist([dict(zip(schema.names, values, strict=True))], schema=schema)


def rows_of(home: Path) -> dict[str, dict[str, Any]]:
    table = LanceMemories.open(**place_of(load_settings(home)))
    rows = table.scan(table.schema().names).to_pylist()
    return {row["id"]: row for row in rows}


def place_of(settings: Settings) -> dict[str, Any]:
    return {"uri": settings.memories_uri, "storage_options": settings.memories.storage_options}


def test_a_day_runs_and_a_second_one_changes_nothing(home: Path) -> None:
    day = run_day.fn(home=str(home))
    counts = {one.flow: one.counts for one in read_receipts(home / "receipts")[0]}
    # Without a golden set there is nothing to measure.
    assert (day.status, day.counts["ok"], day.counts["skipped"]) == (RunStatus.OK, 8, 1)
    assert (counts["writeback"]["checked"], counts["writeback"]["updated"]) == (1, 1)
    assert (counts["index"]["rows"], counts["index"]["unindexed_after"]) == (6, 0)
    assert counts["snapshot"]["stores"] == counts["snapshot"]["copied"] == 2
    rows, version = rows_of(home), LanceMemories.open(**place_of(load_settings(home))).newest_version()
    assert rows["m-backup"]["scope"] == "ops"
    assert text_terms(rows["m-tea"]["terms"]) == terms("The user likes green tea")

    assert run_day.fn(home=str(home)).status is RunStatus.OK
    assert rows_of(home) == rows
    assert LanceMemories.open(**place_of(load_settings(home))).newest_version() == version


def test_what_needs_a_folder_is_said_and_not_taken_for_well(home: Path) -> None:
    receipt = index_memories.fn(home=str(home))
    assert "object storage" in receipt.facts["files"]
    assert not {"orphans_after", "dead_bytes_after"} & receipt.counts.keys()

    findings = examine(load_settings(home))
    files = [one for one in findings if one.check == "memories files"]
    assert [(one.verdict, "not looked at" in one.message) for one in files] == [("look", True)]
    memories = [one for one in findings if one.check.startswith("memories") and one not in files]
    assert {one.verdict for one in memories} == {"well"}
    assert f"6 memories in {load_settings(home).memories_uri}" in [one.message for one in memories]


def test_a_writeback_in_the_bucket_is_undone(home: Path) -> None:
    index_memories.fn(home=str(home))
    before = rows_of(home)
    harvest_captures.fn(home=str(home))
    written = write_back.fn(home=str(home))
    assert written.counts["updated"] == 1
    assert rows_of(home)["m-backup"] != before["m-backup"]

    undone = undo_run.fn(run_id=written.run_id, home=str(home))
    assert undone.status is RunStatus.OK
    assert undone.counts["restored"] == sum(written.groups["filled_by_field"].values())
    assert rows_of(home) == before


def test_a_snapshot_tags_the_table_in_the_bucket_and_a_later_index_run_keeps_it(home: Path) -> None:
    tag = take_snapshot.fn(home=str(home)).facts["tag"]
    tagged = LanceMemories.open(**place_of(load_settings(home))).state().tags[tag]
    assert index_memories.fn(home=str(home)).status is RunStatus.OK
    state = LanceMemories.open(**place_of(load_settings(home))).state()
    assert state.tags == {tag: tagged}
    assert state.version > tagged


def test_what_a_tag_holds_comes_back_cell_by_cell(home: Path) -> None:
    index_memories.fn(home=str(home))
    table = LanceMemories.open(**place_of(load_settings(home)))
    table.tag("before")
    before = table.content()
    table.merge(pa.table({"id": ["m-tea", "m-zh"], "scope": ["other", "other"]}))
    changed = table.content()
    assert (changed.rows, changed.content_hash == before.content_hash) == (before.rows, False)

    assert table.restore("before") > changed.version
    assert table.content().content_hash == before.content_hash
    assert not any(one.unindexed_rows for one in table.state().indices)


def test_a_swept_secret_stands_in_no_object_of_the_bucket(home: Path, server: S3Server) -> None:
    settings = load_settings(home)
    prefix = settings.memories_uri.removeprefix(f"s3://{BUCKET}/")
    table = LanceMemories.open(**place_of(settings))
    table.add(plugin_row("m-secret", f"the key is {PLANTED} for now", 0.5, "fact", NOW))
    index_memories.fn(home=str(home))
    assert holding(server, prefix)

    receipt = sweep_secrets.fn(home=str(home))
    assert receipt.status is RunStatus.OK
    assert "object storage" in receipt.facts["not_searched"]
    assert receipt.counts["versions_deleted"] > 0
    assert holding(server, prefix) == []
    assert PLANTED not in rows_of(home)["m-secret"]["text"]
    assert len(rows_of(home)) == len(MEMORIES) + 1


def holding(server: S3Server, prefix: str) -> list[str]:
    # The index folds case, so its files hold the secret in small letters.
    forms = (PLANTED.encode(), PLANTED.lower().encode())
    objects = server.objects(prefix)
    assert any(key.endswith(".manifest") for key in objects)
    return [key for key, content in objects.items() if any(form in content for form in forms)]


def test_recall_finds_by_words_and_by_meaning(server: S3Server, tmp_path: Path) -> None:
    embedder = FakeEmbedder(DIMENSION)
    settings = load_settings(write_home(tmp_path / "h", server, uri=f"s3://{BUCKET}/{tmp_path.name}"))
    table = LanceMemories.create(**place_of(settings), dimension=DIMENSION)
    texts = {name: text for name, text, *_ in MEMORIES}
    table.add(
        pa.table(
            {
                "id": list(texts),
                "text": list(texts.values()),
                "vector": pa.array([v.tolist() for v in embedder.embed(list(texts.values()))]),
                "embedding_model": [embedder.model_id] * len(texts),
                "terms": [terms(text) for text in texts.values()],
            }
        )
    )
    table.build_missing_indices()
    with open_home(settings) as place:
        request = RecallRequest("backup before a deploy", limit=3)
        found = recall(request, memories=table, embedder=embedder, clock=place.clock)
        assert found.items[0].ref == "mem:m-backup"
        assert (found.receipt.lexical_skipped, found.receipt.dense_skipped) == (None, None)
        # The table that is there is opened, not made again.
        assert place.memories() is not None
    assert len(rows_of(tmp_path / "h")) == len(texts)


def test_writers_in_the_bucket_lose_nothing_of_each_other(home: Path) -> None:
    settings = load_settings(home)
    ours = LanceMemories.open(**place_of(settings))
    ours.adopt()

    def add(writer: int) -> None:
        table = LanceMemories.open(**place_of(settings))
        for number in range(8):
            table.add(plugin_row(f"w{writer}-{number}", "note", 0.5, "fact", NOW))

    writers = [threading.Thread(target=add, args=(writer,)) for writer in range(2)]
    for writer in writers:
        writer.start()
    for turn in range(5):
        ours.merge(pa.table({"id": ["m-tea", "m-zh"], "scope": [f"turn {turn}"] * 2}))
        ours.optimize(keep=timedelta(days=7))
    for writer in writers:
        writer.join(timeout=60)
    rows = rows_of(home)
    expected = {name for name, *_ in MEMORIES} | {f"w{w}-{n}" for w in range(2) for n in range(8)}
    assert rows.keys() == expected
    assert ours.scan(["id"]).num_rows == len(expected)
    assert {rows[name]["scope"] for name in ("m-tea", "m-zh")} == {"turn 4"}


def test_a_bucket_that_is_not_there_is_told_in_the_words_of_the_storage(server: S3Server) -> None:
    with pytest.raises(StoreError, match="s3://no-such-bucket/p does not answer: The specified bucket does"):
        LanceMemories.find("s3://no-such-bucket/p", storage_options=server.options)


def test_a_prefix_without_a_table_is_one_that_the_agent_has_not_made(
    server: S3Server, tmp_path: Path
) -> None:
    home = write_home(tmp_path / "home", server, uri=f"s3://{BUCKET}/empty")
    assert existing_memories(load_settings(home)) is None
    receipt = write_back.fn(home=str(home))
    assert (receipt.status, receipt.reason) == (RunStatus.SKIPPED, "no_memories_table")
    assert server.objects("empty") == {}


def test_a_storage_that_is_down_fails_flows_with_a_reason_and_recall_open(tmp_path: Path) -> None:
    with s3_server() as gone:
        home = write_home(tmp_path / "home", gone, uri=f"s3://{BUCKET}/down")
        settings = load_settings(home)
        table = LanceMemories.create(**place_of(settings), dimension=DIMENSION)
    with open_home(settings) as place:
        found = recall(
            RecallRequest("backup"), memories=table, embedder=FakeEmbedder(DIMENSION), clock=place.clock
        )
    assert (found.items, found.receipt.reason) == ((), "store_failed")

    receipt = write_back.fn(home=str(home))
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, "store")
    assert [one.code for one in receipt.anomalies] == ["store"]
    assert "does not answer" in receipt.anomalies[0].message
    assert SECRET not in json.dumps(receipt.to_dict())

    findings = examine(settings)
    (finding,) = (one for one in findings if one.check == "memories")
    assert finding.verdict == "ill"
    assert finding.cure is not None
    assert finding.cure.startswith("See that the object storage runs")


def test_options_come_from_the_file_and_secrets_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sunrise.toml").write_text(
        '[memories]\nstorage_options = {endpoint = "http://storage:9000", region = "home"}\n',
        encoding="utf-8",
    )
    secret = {"aws_secret_access_key": SECRET, "region": "here"}
    monkeypatch.setenv("SUNRISE_MEMORIES__STORAGE_OPTIONS", json.dumps(secret))
    memories = load_settings(tmp_path).memories
    public = {"endpoint": "http://storage:9000", "region": "here"}
    assert memories.storage_options == {**public, "aws_secret_access_key": SECRET}
    assert memories.public_options == public


def test_a_secret_of_the_environment_is_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "SUNRISE_MEMORIES__STORAGE_OPTIONS"
    monkeypatch.setenv(name, json.dumps({"secret_access_key": SECRET}))
    assert SECRET not in repr(load_settings(tmp_path))
    # A list where a text is wanted, and what is no JSON at all.
    for broken in (json.dumps({"secret_access_key": [SECRET]}), f"{{{SECRET}"):
        monkeypatch.setenv(name, broken)
        with pytest.raises(ConfigurationError) as raised:
            load_settings(tmp_path)
        error: BaseException | None = raised.value
        while error is not None:
            assert SECRET not in str(error)
            error = error.__cause__


@pytest.mark.parametrize(
    "name",
    ["aws_secret_access_key", "access_key_id", "session_token", "account_key", "azure_storage_sas_key"],
)
def test_a_secret_in_the_file_is_refused_without_being_shown(tmp_path: Path, name: str) -> None:
    (tmp_path / "sunrise.toml").write_text(
        f'[memories.storage_options]\n{name} = "{SECRET}"\n', encoding="utf-8"
    )
    with pytest.raises(ConfigurationError, match=f"storage_options.{name} is a secret") as raised:
        load_settings(tmp_path)
    assert SECRET not in str(raised.value)


def test_a_line_to_be_typed_names_the_options_but_no_secret() -> None:
    from tasks.doctor_table_files import python_line

    options = {"endpoint": "http://storage:9000", "aws_secret_access_key": SECRET}
    settings = Settings(memories={"uri": "s3://bucket/m", "storage_options": options})
    line = python_line(settings, "tags.list()")
    assert "storage_options={" in line
    assert "http://storage:9000" in line
    assert SECRET not in line

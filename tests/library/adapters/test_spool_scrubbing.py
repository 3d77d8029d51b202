"""Lines are blanked where they stand, and nobody who appends or reads by offset can tell."""

from __future__ import annotations

import json
import os
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.adapters.capture_jsonl import CaptureFile
from sunrise.adapters.spool_scrubbing import renewed_position, scrub_file, scrubbed_line
from sunrise.domain.capture import without_secrets
from sunrise.domain.secret_fields import with_like_marks
from sunrise.errors import StoreError

TOKEN = "gh" + "p_" + "a1B2" * 9
PLAIN = b'{"id": 1, "summary": "nothing to hide"}\n'


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


def write(path: Path, *lines: bytes) -> Path:
    path.write_bytes(b"".join(lines))
    return path


def test_a_secret_is_blanked_and_the_rest_stays_to_the_byte(tmp_path: Path) -> None:
    line = f'{{"id":2,"summary":"use {TOKEN} there"}}\n'.encode()
    path = write(tmp_path / "a.jsonl", PLAIN, line, PLAIN)
    done = scrub_file(path)
    blank = f"[{'*' * (len(TOKEN) - 2)}]".encode()
    assert path.read_bytes() == PLAIN + line.replace(TOKEN.encode(), blank) + PLAIN
    assert (done.lines, done.changed) == (3, 1)
    assert done.kinds == {"github-token": 1}
    assert done.values == {TOKEN}


def test_blanking_again_changes_nothing(tmp_path: Path) -> None:
    lines = [json.dumps({"summary": f"use {TOKEN}", "password": "swordfish", "n": n}) for n in range(5)]
    path = write(tmp_path / "a.jsonl", *(f"{line}\n".encode() for line in lines))
    assert scrub_file(path).changed == 5
    before = path.read_bytes()
    assert scrub_file(path).changed == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "line",
    [
        f'{{"summary": "{escaped("use " + TOKEN)}"}}',
        f'{{"summary": "{escaped("密碼：hunter2!")}"}}',
        f'{{"summary": "use gh\\u0070_{TOKEN[4:]}"}}',
        '{"summary": "postgres:\\/\\/app:s3cret-word@db\\/main"}',
        f'{{"{escaped("password")}": "swordfish"}}',
        '{"password":"abcd"}',
        '{"nested": [{"api_key": "x1y2z3a4b5c6"}]}',
        '{"summary": "password: a\\"b!c9", "rest": "kept"}',
    ],
)
def test_no_escape_and_no_name_hides_a_secret(line: str) -> None:
    after = scrubbed_line(line.encode())
    assert len(after) == len(line.encode())
    record = orjson.loads(after)
    assert with_like_marks(json.dumps(without_secrets(record))) == with_like_marks(json.dumps(record))
    assert TOKEN not in json.dumps(record)
    assert "swordfish" not in json.dumps(record)
    assert ("kept" in json.dumps(record)) == ("kept" in line)


def test_a_line_that_is_no_json_is_blanked_as_a_text() -> None:
    torn = f'{{"summary": "use {TOKEN} the'.encode()
    after = scrubbed_line(torn)
    assert len(after) == len(torn)
    assert TOKEN.encode() not in after


def test_bytes_that_are_no_text_stay_what_they_are() -> None:
    raw = b'\xff\xfe {"summary": "use ' + TOKEN.encode() + b'"}'
    after = scrubbed_line(raw)
    assert (after[:3], len(after), TOKEN.encode() in after) == (raw[:3], len(raw), False)


def test_a_last_line_without_its_end_is_left_alone(tmp_path: Path) -> None:
    torn = f'{{"summary": "use {TOKEN}"}}'.encode()
    path = write(tmp_path / "a.jsonl", PLAIN, torn)
    assert scrub_file(path).lines == 1
    assert path.read_bytes() == PLAIN + torn


def test_only_whole_lines_between_the_offsets_are_looked_at(tmp_path: Path) -> None:
    line = f'{{"summary": "use {TOKEN}"}}\n'.encode()
    path = write(tmp_path / "a.jsonl", line, line, line)
    # The end lies within the third line, which is therefore not whole.
    assert scrub_file(path, start=len(line), end=3 * len(line) - 1).changed == 1
    assert [TOKEN.encode() in one for one in path.read_bytes().splitlines()] == [True, False, True]


def test_a_line_longer_than_a_block_is_one_line(tmp_path: Path) -> None:
    long = f'{{"pad": "{"x" * (2 << 20)}", "summary": "use {TOKEN}"}}\n'.encode()
    path = write(tmp_path / "a.jsonl", PLAIN, long, PLAIN)
    done = scrub_file(path)
    assert (done.lines, done.changed) == (3, 1)
    assert path.stat().st_size == 2 * len(PLAIN) + len(long)
    assert TOKEN.encode() not in path.read_bytes()


def test_a_writer_that_appends_meanwhile_goes_on(tmp_path: Path) -> None:
    line = f'{{"summary": "use {TOKEN}"}}\n'.encode()
    path = write(tmp_path / "a.jsonl", line)
    held = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        inode = path.stat().st_ino
        scrub_file(path)
        os.write(held, PLAIN)
    finally:
        os.close(held)
    assert path.stat().st_ino == inode
    assert path.read_bytes().endswith(PLAIN)
    assert path.stat().st_size == len(line) + len(PLAIN)


def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", f'{{"summary": "use {TOKEN}"}}\n'.encode())
    before = path.read_bytes()
    path.chmod(0o400)
    assert scrub_file(path, dry_run=True).changed == 1
    assert path.read_bytes() == before


def test_a_reader_goes_on_from_the_renewed_position(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", f'{{"id": 7, "summary": "use {TOKEN}"}}\n'.encode())
    source = CaptureFile(path)
    (first,) = source.batches(None, now_ms=0, batch_lines=100)
    scrub_file(path)
    with path.open("ab") as file:
        file.write(PLAIN)
    old = [batch.seen for batch in source.batches(first.position, now_ms=0, batch_lines=100)]
    renewed = renewed_position(path, first.position)
    new = [batch.seen for batch in source.batches(renewed, now_ms=0, batch_lines=100)]
    # By the old fingerprint the file is another one, and is read from its start.
    assert (old, new) == ([2], [1])


def test_a_file_that_is_gone_is_no_error_and_one_that_cannot_be_read_is(tmp_path: Path) -> None:
    assert scrub_file(tmp_path / "gone.jsonl").lines == 0
    with pytest.raises(StoreError, match="cannot be blanked"):
        scrub_file(tmp_path)


TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from([f"use {TOKEN}", "password: hunter2!", "密碼：hunter2!", "a postgres://u:pass-1234@h/d"]),
)
VALUES: st.SearchStrategy[object] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(st.text(max_size=8), st.sampled_from(["password", "apiKey", "token"])),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=4), st.booleans())
def test_any_object_keeps_its_length_and_loses_its_secrets(
    record: dict[str, object], ascii_only: bool
) -> None:
    raw = json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    after = scrubbed_line(raw)
    assert len(after) == len(raw)
    assert scrubbed_line(after) == after
    assert TOKEN.encode() not in after
    if after != raw:
        assert isinstance(json.loads(after), dict)

"""Whatever a capture holds, the harvest goes on: each wild line is a row or a refusal with its reason."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tasks.harvest import read_sources
from tests.flows.wild import KEY, NEIGHBOUR, TOKEN, WRITTEN, adds_up, line, opened, rows_of, spooled
from tests.homes import NOW

HALF = "\\ud83d"


@dataclass(frozen=True)
class Row:
    """The line is kept; these columns hold these values."""

    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Refused:
    """The line is in quarantine for this reason."""

    reason: str


Outcome = Row | Refused
Wild = tuple[str, bytes, Outcome]


def kept(**values: Any) -> Row:
    return Row(values)


def flagged(flag: str, **values: Any) -> Row:
    return kept(ts_ms=WRITTEN, ts_flag=flag, **values)


def nested(depth: int) -> bytes:
    return b'{"summary": "deep", "a": ' + b"[" * depth + b"]" * depth + b"}"


WRONG_TEXTS: list[Any] = [5, True, 1.5, [], ["a"], {}, {"a": 1}, 10**30]
NO_IDS: list[Any] = [None, True, 1.5, [], ["x"], {}, "", " "]
WRONG_NAMES: list[Any] = [5, True, ["x"], {"a": 1}]

TYPES: list[Wild] = [
    *((f"summary is {x!r}", line(summary=x), Refused("wrong_type")) for x in WRONG_TEXTS),
    *((f"summary_en is {x!r}", line(summary_en=x), Refused("wrong_type")) for x in WRONG_TEXTS),
    ("summary is null", line(summary=None), Refused("missing_text")),
    ("text is a number beside a summary", line(text=5), kept(detail_json='{"id":"w","text":5}')),
    ("text_en is a list", line(text_en=["x"]), Refused("wrong_type")),
    *((f"kind is {x!r}", line(kind=x), kept(kind="note")) for x in WRONG_NAMES),
    *((f"tool_name is {x!r}", line(tool_name=x), kept(tool_name=None)) for x in WRONG_NAMES),
    *((f"scope is {x!r}", line(scope=x), kept(scope=None)) for x in WRONG_NAMES),
    *((f"session_key is {x!r}", line(session_key=x), kept(session_key=None)) for x in WRONG_NAMES),
    *((f"agent_id is {x!r}", line(agent_id=x), kept(agent_id=None)) for x in WRONG_NAMES),
    *((f"source_kind is {x!r}", line(source_kind=x), kept(source_kind="import")) for x in WRONG_NAMES),
    ("source_kind is unknown", line(source_kind="spy"), kept(source_kind="import")),
    *((f"source_ref is {x!r}", line(source_ref=x), kept(source_ref=None)) for x in WRONG_NAMES),
    *((f"lang is {x!r}", line(lang=x), kept(lang="en")) for x in [*WRONG_NAMES, "", "x" * 99, "en\n'"]),
    *((f"trust is {x!r}", line(trust=x), kept(trust_tier=None)) for x in [*WRONG_NAMES, "utterly"]),
    *((f"importance is {x!r}", line(importance=x), kept(importance_score=None)) for x in [True, [1], "so"]),
    ("importance is beyond all bounds", line(importance=10**30), kept(importance_score=1.0)),
    ("importance is below all bounds", line(importance=-5), kept(importance_score=0.0)),
    *((f"memory_id is {x!r}", line(memory_id=x), kept(memory_id=None)) for x in [*WRONG_NAMES, "two words"]),
    *((f"id is {x!r}", line(id=x), kept(summary="s")) for x in NO_IDS),
    ("detail is a list", line(detail=[1]), kept(detail_json='{"_raw_detail":[1],"id":"w"}')),
    ("detail is a number", line(detail=7), kept(detail_json='{"_raw_detail":7,"id":"w"}')),
    ("detail is a text", line(detail="so"), kept(detail_json='{"_raw_detail":"so","id":"w"}')),
    ("detail is an object in a text", line(detail='{"a": 1}'), kept(detail_json='{"a":1,"id":"w"}')),
    ("detail is a bomb in a text", line(detail="[" * 50_000), kept(summary="s")),
]  # fmt: skip

TIMES: list[Wild] = [
    ("no time", b'{"summary": "s"}', flagged("missing")),
    ("time is null", line(ts=None), flagged("missing")),
    ("time is empty", line(ts=""), flagged("missing")),
    *(
        (f"time is {x!r:.40}", line(ts=x), Refused(f"bad_time.ts.{fault}"))
        for fault, values in {
            "not_a_time": [
                "not a date", "now", "2026-02-30", "2026-13-01T00:00:00Z", "25:61", "0000-00-00", "²",
                "9" * 5000, "2026-06-12" * 500, "\x00",
            ],
            "too_early": ["0001-01-01T00:00:00+14:00", "1.5", 12345, 0],
            "too_late": ["9999-12-31T23:59:59Z", 10**30],
            "negative": [-1],
            "boolean": [True],
            "wrong_type": [[], ["x"], {"at": 1}],
        }.items()
        for x in values
    ),
    ("time is NaN", b'{"summary": "s", "ts": NaN}', Refused("bad_time.ts.not_finite")),
    ("time is infinite", b'{"summary": "s", "ts": 1e400}', Refused("bad_time.ts.not_finite")),
    ("time has four thousand digits", b'{"summary": "s", "ts": ' + b"9" * 4000 + b"}",
     Refused("bad_time.ts.too_late")),
    ("time is half an emoji", b'{"summary": "s", "ts": "\\ud83d"}', Refused("bad_time.ts.not_a_time")),
    ("half an emoji as the time of a counted id", b'{"id": 7, "ts": "\\ud83d", "summary": "s"}',
     Refused("bad_time.ts.not_a_time")),
    ("NUL is the time of a counted id", b'{"id": 7, "ts": "\\u0000", "summary": "s"}',
     Refused("bad_time.ts.not_a_time")),
    ("time in wide digits", line(ts="１７９４００００００"), kept(ts_ms=1_794_000_000_000, ts_flag=None)),
    ("time with spaces around", line(ts=" 2026-06-12T08:00:00+08:00 "),
     kept(ts_ms=1_781_222_400_000, ts_flag=None)),
]  # fmt: skip

TEXTS: list[Wild] = [
    ("escaped NUL", b'{"summary": "a\\u0000b"}', kept(summary="a b")),
    ("raw NUL", b'{"summary": "a\x00b"}', Refused("malformed_json")),
    ("a line of NULs, as a crash leaves it", b"\x00" * 4096, Refused("malformed_json")),
    ("raw tab", b'{"summary": "a\tb"}', Refused("malformed_json")),
    ("escaped controls", b'{"summary": "a\\u001b[31mb\\u0007"}', kept(summary="a [31mb ")),
    ("high half alone", f'{{"summary": "cut {HALF}"}}'.encode(), kept(summary="cut \ufffd")),
    ("low half alone", b'{"summary": "\\ude00 cut"}', kept(summary="\ufffd cut")),
    ("both halves", b'{"summary": "\\ud83d\\ude00"}', kept(summary="😀")),
    ("half an emoji in a field's name", f'{{"summary": "s", "{HALF}": 1}}'.encode(),
     kept(detail_json='{"\ufffd":1}')),
    ("raw half", b'{"summary": "a\xed\xa0\x80b"}', Refused("invalid_utf8")),
    ("invalid UTF-8", b'{"summary": "\xff\xfe"}', Refused("invalid_utf8")),
    ("overlong UTF-8", b'{"summary": "\xc0\xaf"}', Refused("invalid_utf8")),
    ("cut within a character", b'{"summary": "\xe5\x82"}', Refused("invalid_utf8")),
    ("UTF-16", '{"summary": "s"}'.encode("utf-16"), Refused("invalid_utf8")),
    ("GBK", '{"summary": "备份"}'.encode("gbk"), Refused("invalid_utf8")),
    ("byte order mark", b'\xef\xbb\xbf{"summary": "s"}', kept(summary="s")),
    ("CRLF", b'{"summary": "s"}\r', kept(summary="s")),
    ("blank lines before", b'\n\r\n \t\n{"summary": "s"}', kept(summary="s")),
    ("U+2028 and NEL", '{"summary": "a\u2028b\u0085c"}'.encode(), kept(summary="a\u2028b\u0085c")),
    ("the same field twice", b'{"summary": "one", "summary": "two"}', kept(summary="two")),
    ("right to left with an override", line(summary="\u202eשלום\u202c"), kept(summary="\u202eשלום\u202c")),
    ("family of joined emoji", line(summary="👨‍👩‍👧‍👦 家"), kept(summary="👨‍👩‍👧‍👦 家")),
    ("Zalgo", line(summary="z" + "\u0335" * 500), kept(summary="z" + "\u0335" * 500)),
    ("white summary", '{"summary": " \u3000\\n"}'.encode(), Refused("missing_text")),
    ("white summary beside an English one", line(summary=" ", summary_en="hi"),
     kept(summary="hi", summary_en="hi")),
    ("English alone", b'{"summary_en": "hi"}', kept(summary="hi", summary_en="hi")),
    ("text stands in for the summary", b'{"text": "hi"}', kept(summary="hi", detail_json="{}")),
]  # fmt: skip

SHAPES: list[Wild] = [
    ("a list", b'[{"summary": "s"}]', Refused("not_an_object")),
    ("a text", b'"summary"', Refused("not_an_object")),
    ("a number", b"1", Refused("not_an_object")),
    ("null", b"null", Refused("not_an_object")),
    ("empty object", b"{}", Refused("missing_text")),
    ("no JSON", b"Traceback (most recent call last):", Refused("malformed_json")),
    ("Python", b"{'summary': 's'}", Refused("malformed_json")),
    ("a comment behind", b'{"summary": "s"} // so', Refused("malformed_json")),
    ("two in one line", b'{"summary": "a"}{"summary": "b"}', Refused("malformed_json")),
    ("a torn one and another", b'{"summary": "a{"summary": "b"}', Refused("malformed_json")),
    ("many open lists", b"[" * 100_000, Refused("nesting_too_deep")),
    ("many open objects", b'{"a":' * 100_000, Refused("nesting_too_deep")),
    ("deep", nested(150), kept(summary="deep")),
    ("too deep", nested(900), Refused("nesting_too_deep")),
    ("bottomless", nested(50_000), Refused("nesting_too_deep")),
    ("NaN", b'{"summary": "s", "a": NaN}', kept(detail_json='{"a":null}')),
    ("infinity", b'{"summary": "s", "a": [1e400, -Infinity]}', kept(detail_json='{"a":[null,null]}')),
    ("NaN beside half an emoji", f'{{"summary": "s", "a": NaN, "b": "{HALF}"}}'.encode(),
     kept(detail_json='{"a":null,"b":"\ufffd"}')),
    ("endless number", b'{"summary": "s", "a": ' + b"9" * 5000 + b"}", Refused("malformed_json")),
]  # fmt: skip

SIZES: list[Wild] = [
    ("10 MB summary", line(summary="x" * 10_000_000),
     kept(summary="x" * 200_000, detail_json='{"_clipped":10000000,"id":"w"}')),
    ("10 MB English", line(summary_en="x" * 10_000_000), kept(summary_en="x" * 200_000)),
    ("10 MB detail", line(detail={"out": "x" * 10_000_000}),
     kept(detail_json='{"_truncated":true,"original_bytes":10000019}')),
    ("17 MB line", line(summary="x" * 17_000_000), Refused("line_too_long")),
    ("100 000 fields", line(detail={f"f{i}": i for i in range(100_000)}), kept(summary="s")),
    ("long kind", line(kind="K" * 5000), kept(kind="k" * 64)),
    ("kind that grows when lowered", line(kind="İ" * 64), kept(kind="i̇" * 32)),
    ("long tool", line(tool_name="t" * 5000), kept(tool_name="t" * 200)),
    ("long scope", line(scope="s" * 5000), Refused("bad_scope")),
    ("long agent", line(agent_id="a" * 5000), kept(agent_id="a" * 200)),
    ("long id", line(id="i" * 5000), kept(summary="s")),
    ("huge number as id", line(id=10**300), kept(summary="s")),
]  # fmt: skip

SECRETS: list[Wild] = [
    ("secret in the summary", line(summary=f"it is {KEY}"), kept(summary="it is [redacted:anthropic-key]")),
    ("secret in a value", line(detail={"a": {"b": [KEY]}}),
     kept(detail_json='{"a":{"b":["[redacted:anthropic-key]"]},"id":"w"}')),
    ("secret as a field's name", line(detail={KEY: 1}),
     kept(detail_json='{"[redacted:anthropic-key]":1,"id":"w"}')),
    ("secret under its name", line(detail={"password": "swordfish"}),
     kept(detail_json='{"id":"w","password":"[redacted:field]"}')),
    ("secret as id", line(id=KEY), kept(detail_json='{"id":"[redacted:anthropic-key]"}')),
    ("secret as scope", line(scope=KEY), Refused("bad_scope")),
    ("secret as tool", line(tool_name=TOKEN), kept(tool_name="[redacted:github-token]")),
    ("secret as session", line(session_key=TOKEN), kept(session_key="[redacted:github-token]")),
    ("secret in a link", line(source_ref=f"https://x.org/{TOKEN}"),
     kept(source_ref="https://x.org/[redacted:github-token]")),
    ("secret across the clipping", line(summary="x" * 199_990 + KEY), kept(lang="en")),
    ("secret in a broken line", f'{{"summary": "{KEY}'.encode(), Refused("malformed_json")),
]  # fmt: skip

WILD = [*TYPES, *TIMES, *TEXTS, *SHAPES, *SIZES, *SECRETS]


@pytest.mark.parametrize(("raw", "outcome"), [pytest.param(*one[1:], id=one[0]) for one in WILD])
def test_a_wild_line_is_a_row_or_a_refusal_and_keeps_nothing_else_from_being_read(
    raw: bytes, outcome: Outcome, tmp_path: Path
) -> None:
    spooled(tmp_path, "wild.jsonl", raw + b"\n" + NEIGHBOUR)
    with opened(tmp_path) as home:
        found = read_sources(home, dry_run=False)
        rows, refused = rows_of(home), home.ledger.quarantined()
        assert read_sources(home, dry_run=False).seen == 0
    assert adds_up(found) == 2
    assert [row["summary"] for row in rows][-1:] == ["after"]
    if isinstance(outcome, Refused):
        assert [one.reason for one in refused] == [outcome.reason]
        assert all(len(one.sample) <= 500 for one in refused)
    else:
        assert not refused
        assert {name: rows[0][name] for name in outcome.values} == outcome.values
        assert rows[0]["ts_ms"] == (WRITTEN if rows[0]["ts_flag"] else rows[0]["ts_ms"]) != NOW
        json.loads(rows[0]["detail_json"], parse_constant=pytest.fail)
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("ledger.sqlite*"))
    assert KEY.encode() not in stored
    assert TOKEN.encode() not in stored


def test_the_table_is_long_enough() -> None:
    assert len(WILD) >= 60
    assert len({name for name, _, _ in WILD}) == len(WILD)

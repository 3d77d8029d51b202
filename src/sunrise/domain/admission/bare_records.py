"""What the works write that holds states and ids and no word of anybody: records, listings, empty answers."""

from __future__ import annotations

import json
import re

from sunrise.domain.admission.happenings import tells_trouble


def is_bare_record(text: str) -> bool:
    """
    Return whether a text is JSON of the works: nearly all keys are theirs, and no value says anything.

    >>> is_bare_record('{"ok": true, "messageId": "11481"}'), is_bare_record('{"sku": "T-24", "price": 620}')
    (True, False)
    """
    if not text.startswith("{") or len(text) > _LONG:
        return False
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return False
    keys: list[str] = []
    if not isinstance(record, dict) or _says_something(record, keys):
        return False
    own = sum(_RECORD_KEY.fullmatch(key) is not None for key in keys)
    return own >= _FEWEST_KEYS and own * 5 >= len(keys) * 4


def is_listing(text: str) -> bool:
    r"""
    Return whether a text is what a command about the gateway itself prints, or a line of its state.

    >>> is_listing("$ openclaw cron list\ntea  isolated  ok"), is_listing("$ df -h\n/dev/sda 81 GB")
    (True, False)
    """
    if len(text) > _LONG or tells_trouble(text):
        return False
    first = text[match.end() if (match := _LABEL.match(text)) else 0 :].lstrip().split("\n", 1)[0]
    if _COMMAND.match(first) or _STATE_LINE.match(first):
        return True
    if _TREE.search(text) and len(_OWN_FILES.findall(text)) >= _FEWEST_FILES:
        return True
    pairs = _OWN_PAIR.findall(text)
    return len(pairs) >= _FEWEST_PAIRS and len("".join(pairs)) * 3 >= len(text)


def is_empty_answer(text: str) -> bool:
    """
    Return whether a tool's answer says only that there is none, or how long it was.

    >>> [is_empty_answer(text) for text in ("(no output)", "Read 200 lines", "Read the meter: 7")]
    [True, True, False]
    """
    return len(text) <= _SHORT and _EMPTY.fullmatch(text) is not None


def is_state_write(text: str) -> bool:
    """
    Return whether a text only tells that a time was written into the heartbeat's own file.

    >>> is_state_write('heartbeat-state.json updated: "mail": 1775106714720')
    True
    """
    return len(text) <= _LONG and _STATE_WRITE.search(text) is not None and not tells_trouble(text)


RECORD_GATE = r'^\{[^\n]{0,400}"(?:\w*[iI]d|status|ok|ran|action|type|channels?|sandbox|events?)" ?:'
"""How every tool row begins that may be a bare record, in what ``re`` and RE2 both read."""

LISTING_GATE = (
    r"^\s*\$? ?openclaw |~/\.openclaw|[├└]──|OpenClaw \d{4}\.|gateway\.\w+|\"sandbox\"|^USER +PID"
    r"|x86_64 GNU/Linux"
)
"""What stands in every tool row that may be a listing."""

EMPTY_GATE = (
    r"(?i:^[(\[][^\n]{0,40}(?:output|empty|truncated|no content|nothing)"
    r"|^(?:ok|done|true|success|null|none|void|exit 0|exit code 0)\.?$"
    r"|^(?:read|wrote|written|listed|returned) \d+ |^(?:process|command|session) (?:is )?still running)"
)
"""How every tool row looks that may be an empty answer."""


_EMPTY_HINTS_WORDS = """
    ok done true success null none void exit no output empti truncat noth read wrote written list return
    still run
    """
EMPTY_HINTS = frozenset(_EMPTY_HINTS_WORDS.split())
"""Index terms of which one is in every text that :func:`is_empty_answer`."""


def _says_something(value: object, keys: list[str]) -> bool:
    """Return whether a value of a record is a sentence; note the keys on the way."""
    if isinstance(value, dict):
        keys.extend(map(str, value))
        return any(_says_something(one, keys) for one in value.values())
    if isinstance(value, list):
        return any(_says_something(one, keys) for one in value)
    return isinstance(value, str) and (_WORDS.search(value) is not None or _HAN.search(value) is not None)


_LONG = 900
_SHORT = 48
_FEWEST_KEYS = 2
_FEWEST_FILES = 3
_FEWEST_PAIRS = 2

_WORDS = re.compile(r"\w+\s+\w+\s+\w")
_HAN = re.compile(r"[\u3400-\u9fff]{4}")
_RECORD_KEY = re.compile(
    r"\w*(?:Token|Id|_id|Ids|Ms|_ms|At|Key|Count|Type|Policy)|id|ok|ran|type|events?|action|status|state|channels?|chat"
    r"|message|source|destination|deliver(?:ed|y\w*)|silent|duration|ts|timestamp|time|hash|pid|sender|user"
    r"|telegram|discord|whatsapp|line|slack|signal|enabled|mode|scope|allow|deny|guild|sandbox|gateway|host|port"
    r"|wasMentioned|isRedelivery|result|code|reason|summary|error|agent|session|next\w*|last\w*|workspaceAccess"
)
_LABEL = re.compile(r"\s*(?:\[[a-z ]{1,20}\]|[-*])\s*")
_COMMAND = re.compile(
    r"\$ ?openclaw [a-z]|openclaw [a-z]+(?: [a-z-]+){0,3}\s*$"
    r"|(?:\$ ?)?(?:ls|tree|cat|du|find)\b[^\n]{0,40}~?/?\.openclaw"
)
_STATE_LINE = re.compile(
    r"\W*OpenClaw \d{4}\.\d+\.\d+\b.*[·|]|USER +PID\b|Linux \S+ \d+\.\d+\S* .*GNU/Linux", re.DOTALL
)
_TREE = re.compile(r"[├└]──|~/\.openclaw|^\w+/$", re.MULTILINE)
_OWN_FILES = re.compile(
    r"\b(?:AGENTS|SOUL|USER|TOOLS|HEARTBEAT|IDENTITY|MEMORY|BOOTSTRAP)\.md\b|\bopenclaw\.json\b"
)
_OWN_PAIR = re.compile(
    r"\b(?:gateway|agents?|plugins|channels|session|memory|tools|hooks|cron|models)\.[\w.-]+ ?[:=] ?[^\s,;]+"
    r"|\"(?:sandbox|scope|mode|workspaceAccess|dmPolicy|allowlist|compaction)\": ?\"[^\"]*\""
)
_EMPTY = re.compile(
    r"[(\[](?:[\w -]+ )?(?:no (?:new )?output|empty|truncated|no content|nothing)(?: [\w -]+)?[)\]]"
    r"|(?:ok|done|true|success|null|none|void|exit 0|exit code 0)\.?"
    r"|(?:read|wrote|written|listed|returned) \d+ (?:lines?|bytes|chars|characters|files?|entries)\.?"
    r"|(?:process|command|session) (?:is )?still running[^\d]*",
    re.IGNORECASE,
)
_STATE_WRITE = re.compile(r"^\W*(?:[\w/]+/)?heartbeat-state\.json\b[^.]*\b(?:updated|written|saved|set)\b")

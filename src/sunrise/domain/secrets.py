"""Find secrets in a text and put a readable mark in their place, before anything stores or embeds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets, and the kinds of what was taken out, each once, sorted."""

    text: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """
    One row of the table: the kind of a secret and how it looks.

    ``pattern`` is tried only where one of ``hints`` stands in the text: in the lowered text when the pattern
    ignores case, else in the text itself. Only its group ``secret`` is taken out. A match needs one of
    ``signs`` too; by default they are what punctuation a hint has. ``gate`` says more closely than the hints
    how raw JSON looks that may hold one.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    signs: tuple[str, ...] = ()
    gate: str = ""

    @property
    def ignores_case(self) -> bool:
        """Whether the hints are looked for in the lowered text."""
        return bool(self.pattern.flags & re.IGNORECASE)


def redact(text: str) -> Redaction:
    """
    Return *text* with every secret replaced by a mark that names its kind.

    Redacting again changes nothing.

    >>> redact("log in with password: hunter2, then deploy")
    Redaction(text='log in with password: [redacted:password], then deploy', kinds=('password',))
    """
    if not _may_hold_secret(text, text.lower()):
        return Redaction(text)
    kinds: set[str] = set()
    # What stands beside a mark can look different than before. Each round takes out at least one character
    # that is in no mark, so the rounds end.
    while (redacted := _redact_once(text, kinds)) != text:
        text = redacted
    return Redaction(text, tuple(sorted(kinds)))


def gate_pattern() -> str:
    """
    Return a pattern, in what ``re`` and RE2 both read, for lines of raw JSON that must be looked at.

    A line that it does not match has no secret that :func:`redact` finds in any text of its object, or in
    texts of it that are joined: no hint, and nothing that could stand for a letter of one.
    """
    looks = {look: None for rule in RULES for look in _raw_looks(rule)}
    return "|".join((*looks, r"\\[u/]", *_LIKE_ASCII))


def _raw_looks(rule: Rule) -> Iterator[str]:
    if rule.gate:
        yield f"(?i:{rule.gate})" if rule.ignores_case else rule.gate
        return
    for hint in rule.hints:
        # A control beside a hint becomes a space when the text is cleaned, and what a hint begins with may
        # be what joins two texts.
        look = re.escape(hint.strip())
        yield f"(?i:{look})" if rule.ignores_case else look
        if hint.startswith(":"):
            yield rf"\"[\s\x7f]*{re.escape(hint[1:])}"


def _redact_once(text: str, kinds: set[str]) -> str:
    lowered = text.lower()
    for rule, haystack_is_lowered in _RULES_BY_CASE:
        haystack = lowered if haystack_is_lowered else text
        for hint in rule.hints:
            if hint in haystack:
                text, count = rule.pattern.subn(_Mark(rule.kind), text)
                if count:
                    kinds.add(rule.kind)
                break
    return text


def _may_hold_secret(text: str, lowered: str) -> bool:
    """Look for hints only where their sign stands at all: that settles nearly every text at once."""
    for sign, hints, lowered_hints in _GATES:
        if sign in text:
            for hint in hints:
                if hint in text:
                    return True
            for hint in lowered_hints:
                if hint in lowered:
                    return True
    return False


@dataclass(frozen=True, slots=True)
class _Mark:
    kind: str

    def __call__(self, match: re.Match[str]) -> str:
        start, end = (position - match.start() for position in match.span("secret"))
        return f"{match[0][:start]}[redacted:{self.kind}]{match[0][end:]}"


def _token(kind: str, pattern: str, *hints: str, signs: tuple[str, ...] = (), gate: str = "") -> Rule:
    """Return the rule of a token that is known by its own look, wherever it stands."""
    return Rule(kind, hints, re.compile(rf"(?<![A-Za-z0-9_-])(?P<secret>{pattern})", re.ASCII), signs, gate)


def _assigned(kind: str, name: str, value: str, *hints: str) -> Rule:
    """Return the rule of a value that is known by the name it is given to, in any case."""
    gap = r"""["'`]?\s{0,3}(?::|=>?|：|＝)\s{0,3}["'`「]?"""
    pattern = re.compile(f"{name}{gap}(?P<secret>{_REAL}{value})", re.IGNORECASE)
    return Rule(kind, hints, pattern, _ASSIGNMENT, name + _ASSIGNED_RAW)


_LIKE_ASCII = ("\u0130", "\u0131", "\u017f", "\u212a")
"""Two i, a long s and the kelvin sign: where case does not count they pass for letters of ASCII."""

# Between a name and its sign stand quotes and spaces, which may be escaped, or be no ASCII as the sign may.
_ASSIGNED_RAW = r"""[\s\x7f]*["'`\\:=\x80-\xff]"""
_ASSIGNMENT = (":", "=", "：", "＝")


# No mark, reference, example or blank that merely stands where a value would.
_REAL = (
    r"(?!\[redacted|\$|<|\{|%|\*{3}|\.{3}|x{4}|(?:os|process|import\.meta)\.env|(?:os\.)?getenv|vault\b|env\b"
    r"|(?:none|null|nil|true|false|undefined|empty|required|optional|redacted|changeme|secret|password)\b)"
)
_WORD = r"""[^\s"'`,;，。；、」<>()\[\]{}]"""
# A figure, a sign or a capital inside a word: what "password: see vault" has not.
_PASSWORD = rf"(?:(?={_WORD}*?[\d!@#$%^&*+=~?]){_WORD}{{4,}}|{_WORD}*?[a-z](?-i:[A-Z]){_WORD}{{2,}})"
_PLAIN = rf"{_WORD}{{4,}}"
_RANDOM = rf"(?={_WORD}*\d)(?={_WORD}*[a-z]){_WORD}{{8,}}"

# A Discord token begins with its bot's number in base64, and a digit gives one of these.
_DISCORD_STARTS = tuple(first + second for first in "MNO" for second in "DTjz")
_PRIVATE_KEY = r"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_KEY_OWNERS = (
    "api|app|access|secret|private|auth|account|signing|signature|encryption|decryption|master|service|license"
    "|deploy|webhook|client|consumer|admin|storage|shared|ssh|aes|hmac|jwt"
)

RULES = (
    Rule(
        "private-key",
        ("-----BEGIN ",),
        # Without its end, the lines that can only be key material go with the header.
        re.compile(
            rf"(?P<secret>-----BEGIN {_PRIVATE_KEY}"
            rf"(?:(?:[^-]|-(?!----BEGIN )){{0,20000}}?-----END {_PRIVATE_KEY}"
            r"|(?:(?:\s|\\n)*[A-Za-z0-9+/=]{16,})*))"
        ),
    ),
    _token("anthropic-key", r"sk-ant-[\w-]{16,}", "sk-ant-"),
    _token("openai-key", r"sk-(?:(?:proj|svcacct|admin|None|or-v1)-[\w-]{16,}|[A-Za-z0-9]{20,})", "sk-"),
    _token("google-key", r"AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}", "AIza", "GOCSPX-", "ya29."),
    _token("aws-access-key", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])", "AKIA", "ASIA"),
    _token(
        "github-token",
        r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
    ),
    _token("gitlab-token", r"gl(?:pat|dt|rt|ptt)-[\w-]{16,}", "glpat-", "gldt-", "glrt-", "glptt-"),
    _token("slack-token", r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-\d-[\w-]{10,}", "xox", "xapp-"),
    Rule(
        "slack-webhook",
        ("hooks.slack.com/",),
        re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/-]{20,})", re.ASCII),
    ),
    Rule(
        "discord-webhook",
        ("/api/webhooks/",),
        re.compile(r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{5,}/[\w-]{20,})", re.ASCII),
    ),
    _token(
        "discord-token",
        r"[MNO][DTjz][\w-]{21,26}\.[\w-]{6}\.[\w-]{27,40}",
        *_DISCORD_STARTS,
        signs=(".",),
        gate="[MNO][DTjz][A-Za-z0-9_-]{21}",
    ),
    _token(
        "stripe-key",
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[\w+/=]{20,}",
        "k_live_",
        "k_test_",
        "whsec_",
    ),
    _token("npm-token", r"npm_[A-Za-z0-9]{30,}", "npm_"),
    _token("pypi-token", r"pypi-AgE[\w-]{16,}", "pypi-"),
    _token("huggingface-token", r"hf_[A-Za-z0-9]{30,}", "hf_"),
    _token("telegram-token", r"\d{8,10}:AA[\w-]{30,}", ":AA"),
    _token("twilio-key", r"SK[0-9a-f]{32}(?![A-Za-z0-9])", "SK"),
    _token("sendgrid-key", r"SG\.[\w-]{16,}\.[\w-]{16,}", "SG."),
    _token("jwt", r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}", "eyJ", signs=(".",)),
    Rule(
        "database-password",
        ("://",),
        re.compile(
            r"\b(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|clickhouse|cockroachdb|oracle)"
            rf"(?:\+\w+)?://[^\s:/@]*:(?P<secret>{_REAL}[^\s/\"'<>]+)(?=@)",
            re.IGNORECASE,
        ),
    ),
    Rule(
        "url-password",
        ("://",),
        re.compile(
            rf"\b[a-z][a-z0-9+.-]{{1,20}}://[^\s:/@]*:(?P<secret>{_REAL}[^\s/\"'<>]+)(?=@)", re.IGNORECASE
        ),
    ),
    Rule(
        "authorization",
        ("authorization",),
        re.compile(
            r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token)\s+(?P<secret>[\w.~+/=-]{8,})",
            re.IGNORECASE,
        ),
        _ASSIGNMENT,
    ),
    Rule(
        "authorization",
        ("bearer",),
        re.compile(r"\bbearer\s+(?P<secret>(?=[a-z.~+/=_-]*\d)[\w.~+/=-]{20,})", re.IGNORECASE),
    ),
    _assigned("aws-secret-key", r"aws[_-]?secret[_-]?(?:access[_-]?)?key", r"[\w/+=]{16,}", "secret"),
    # password=swordfish: after "=" any word will do, after ":" it must not look like prose.
    Rule(
        "password",
        ("pass", "pwd"),
        re.compile(
            rf"(?:password|passwd|passphrase|passcode|pwd)[\"'`]?(?:=|\s?[:=]\s?(?=[\"'`]))[\"'`]?"
            rf"(?P<secret>{_REAL}{_PLAIN})",
            re.IGNORECASE,
        ),
        _ASSIGNMENT,
        "(?:password|passwd|passphrase|passcode|pwd)" + _ASSIGNED_RAW,
    ),
    _assigned("password", "(?:password|passwd|passphrase|passcode|pwd)", _PASSWORD, "pass", "pwd"),
    _assigned(
        "password",
        "(?:密碼|密码|口令|通關密語|パスワード|비밀번호)",
        _PASSWORD,
        "密",
        "口令",
        "通關",
        "パス",
        "비밀",
    ),
    _assigned("key", rf"(?:{_KEY_OWNERS})[_-]?key", _RANDOM, "key"),
    # In capitals it is an environment variable; keys of tables, caches and sorts are no secrets.
    Rule(
        "key",
        ("_KEY",),
        re.compile(
            r"\b(?![A-Z0-9_]*(?:PRIMARY|FOREIGN|PUBLIC|SORT|CACHE|SESSION|IDEMPOTENCY|PARTITION|GROUP)_KEY)"
            rf"[A-Z0-9_]+_KEY[\"']?\s?[=:]\s?[\"']?(?P<secret>{_REAL}(?i:{_RANDOM}))"
        ),
    ),
    _assigned("token", "token", _RANDOM, "token"),
    _assigned("secret", "secret", _RANDOM, "secret"),
    _assigned("key", "(?:金鑰|密鑰|密钥|私鑰|私钥)", _RANDOM, "鑰", "钥"),
    _assigned("token", "(?:權杖|令牌)", _RANDOM, "權杖", "令牌"),
)


def _gates() -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    by_sign: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for rule in RULES:
        for hint in rule.hints:
            for sign in rule.signs or _signs_in(hint):
                by_sign.setdefault(sign, ({}, {}))[rule.ignores_case][hint] = None
    return tuple((sign, tuple(exact), tuple(lowered)) for sign, (exact, lowered) in by_sign.items())


def _signs_in(hint: str) -> tuple[str]:
    # The empty sign is in every text.
    return (next((sign for sign in ":-_." if sign in hint), ""),)


_GATES = _gates()
_RULES_BY_CASE = tuple((rule, rule.ignores_case) for rule in RULES)

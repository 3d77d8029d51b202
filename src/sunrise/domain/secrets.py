"""Find secrets in a text and put a readable mark in their place, before anything stores or embeds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sunrise.domain.secret_rules import RULES
from sunrise.domain.secret_shapes import Rule

__all__ = ["RULES", "Redaction", "Rule", "blanked", "gate_pattern", "is_only_redacted", "redact"]


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets, and the kinds of what was taken out, each once, sorted."""

    text: str
    kinds: tuple[str, ...] = ()


def redact(text: str) -> Redaction:
    """
    Return *text* with every secret replaced by a mark that names its kind.

    Redacting again changes nothing.

    >>> redact("log in with password: hunter2, then deploy")
    Redaction(text='log in with password: [redacted:password], then deploy', kinds=('password',))
    """
    kinds: set[str] = set()
    text = _without_secrets(text, kinds, lambda rule, _secret: f"[redacted:{rule.kind}]")
    return Redaction(text, tuple(sorted(kinds)))


def blanked(text: str) -> str:
    r"""
    Return *text* with every secret replaced by a blank that has as many bytes in UTF-8.

    A line of raw JSON stays one: quotes are kept, and so is what they hold together. Blanking again changes
    nothing.

    >>> blanked('{"note": "password: hunter2"}')
    '{"note": "password: [*****]"}'
    """
    return _without_secrets(text, set(), lambda _rule, secret: _INSIDE_QUOTES.sub(_blank, secret))


def is_only_redacted(text: str) -> bool:
    """
    Return whether nothing is left of *text* but marks or blanks and what they were called: it is no fact.

    >>> is_only_redacted("my api key is [redacted:key]"), is_only_redacted("DB_PASSWORD=[*****]")
    (True, True)
    >>> is_only_redacted("the router's password is [redacted:password]"), is_only_redacted("nothing here")
    (False, False)
    """
    rest, marks = _MARK.subn(" ", _NAMED_MARK.sub(r"\1", text))
    return marks > 0 and not _LEFT.search(_NAMES.sub(" ", rest))


def gate_pattern() -> str:
    """
    Return a pattern, in what ``re`` and RE2 both read, for lines of raw JSON that must be looked at.

    A line that it does not match has no secret that :func:`redact` finds in any text of its object, or in
    texts of it that are joined: no hint, and nothing that could stand for a letter of one. The same holds of
    a text that is no JSON.
    """
    gates = {f"(?i:{rule.gate})" if rule.ignores_case else rule.gate: None for rule in RULES if rule.gate}
    by_hints = [rule for rule in RULES if not rule.gate]
    exact = {look: None for rule in by_hints if not rule.ignores_case for look in _raw_looks(rule.hints)}
    any_case = {look: None for rule in by_hints if rule.ignores_case for look in _raw_looks(rule.hints)}
    return "|".join((*gates, *exact, f"(?i:{'|'.join(any_case)})", r"\\[u/]", *_LIKE_ASCII))


def _raw_looks(hints: tuple[str, ...]) -> Iterator[str]:
    for hint in hints:
        # A control beside a hint becomes a space when the text is cleaned, and what a hint begins with may
        # be what joins two texts.
        yield re.escape(hint.strip())
        if hint.startswith(":"):
            yield rf"\"[\s\x7f]*{re.escape(hint[1:])}"


def _without_secrets(text: str, kinds: set[str], mark: Callable[[Rule, str], str]) -> str:
    if not _may_hold_secret(text, text.lower()):
        return text
    # What stands beside a mark can look different than before. Each round takes out at least one character
    # that is in no mark, so the rounds end.
    while (marked := _marked_once(text, kinds, mark)) != text:
        text = marked
    return text


def _marked_once(text: str, kinds: set[str], mark: Callable[[Rule, str], str]) -> str:
    lowered = text.lower()
    for rule, haystack_is_lowered in _RULES_BY_CASE:
        haystack = lowered if haystack_is_lowered else text
        for hint in rule.hints:
            if hint in haystack:
                marked = rule.pattern.sub(_Mark(rule, mark), text)
                if marked != text:
                    text = marked
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
    rule: Rule
    mark: Callable[[Rule, str], str]

    def __call__(self, match: re.Match[str]) -> str:
        secret = _without_last_escape(match["secret"])
        if not self.rule.accepts(match, secret):
            return match[0]
        start = match.start("secret") - match.start()
        return f"{match[0][:start]}{self.mark(self.rule, secret)}{match[0][start + len(secret) :]}"


def _without_last_escape(secret: str) -> str:
    """Leave backslashes at the end to the quote behind them: all, or an odd one if little else is there."""
    bare = secret.rstrip("\\")
    odd = (len(secret) - len(bare)) % 2
    return bare if len(bare) > 3 else secret[: len(secret) - odd]


def _blank(match: re.Match[str]) -> str:
    length = len(match[0].encode("utf-8", "surrogatepass"))
    return f"[{'*' * (length - 2)}]" if length > 3 else "*" * length


_LIKE_ASCII = ("\u0130", "\u0131", "\u017f", "\u212a")
"""Two i, a long s and the kelvin sign: where case does not count they pass for letters of ASCII."""

# What stands between two quotes, and is not only what separates them. An escape is kept whole or left.
_INSIDE_QUOTES = re.compile(r'(?!(?:[\s+,]|\\[nr])*(?:"|$))(?:[^"\\]|\\[^"])+')
_MARK = re.compile(r"\[redacted:[a-z0-9-]+\]|\[\*+\]|\*{3,}")
_NAMED_MARK = re.compile(rf"""[\w.-]{{1,80}}["'`]?\s{{0,3}}[:=：＝]\s{{0,3}}["'`「]?({_MARK.pattern})""")
_PROVIDERS = {part for rule in RULES for part in rule.kind.split("-")}
_NAMES = re.compile(
    rf"(?<![a-z])(?:{'|'.join(sorted(_PROVIDERS))}|passwd|pwd|passphrase|passcode|api|access|auth|client"
    r"|my|our|your|the|this|that|an?|is|are|was|it|its|here|use|and|new|bearer|basic|export|set|x)s?(?![a-z])"
    r"|密碼|密码|口令|金鑰|密鑰|密钥|私鑰|私钥|權杖|令牌|信用卡|卡號|卡号|號碼|号码|我的|我們|我们|這是|这是|新|的|是|為|为"
    r"|パスワード|トークン|は|です|비밀번호|토큰|는|은",
    re.IGNORECASE,
)
_LEFT = re.compile(r"[^\W_]")


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

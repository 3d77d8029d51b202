"""What a rule on secrets is, and the ways to tell one: by its look, its name, its sentence, its neighbour."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """
    One row of the table: the kind of a secret and how it looks.

    ``pattern`` is tried only where one of ``hints`` stands in the text: in the lowered text when the pattern
    ignores case, else in the text itself. Only its group ``secret`` is taken out, and where that is said only
    if it ``holds`` and the text before it ends as ``behind`` does. A match needs one of ``signs`` too; by
    default they are what punctuation a hint has. ``gate`` says more closely than the hints how raw JSON looks
    that may hold one.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    signs: tuple[str, ...] = ()
    gate: str = ""
    holds: Callable[[str], bool] | None = None
    behind: re.Pattern[str] | None = None

    @property
    def ignores_case(self) -> bool:
        """Whether the hints are looked for in the lowered text."""
        return bool(self.pattern.flags & re.IGNORECASE)

    def accepts(self, match: re.Match[str], secret: str) -> bool:
        """Return whether a match of the pattern is such a secret."""
        if self.holds and not self.holds(secret):
            return False
        if self.behind is None:
            return True
        start = match.start("secret")
        return self.behind.search(match.string, max(0, start - _NEAR), start) is not None


def looks_random(text: str) -> bool:
    """
    Return whether *text* mixes cases and digits as no name and no digest does.

    >>> looks_random("9fK2mQ7xLp4Rt8Vz"), looks_random("getUserToken2FromCache")
    (True, False)
    """
    mixed = re.search("[a-z]", text) and re.search("[A-Z]", text) and re.search(r"\d", text)
    return bool(mixed) and not _DIGEST.match(text) and is_no_name(text)


def passes_luhn(text: str) -> bool:
    """
    Return whether the last digit of a card's number is the one that the others ask for.

    >>> passes_luhn("4111 1111 1111 1111"), passes_luhn("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(letter) for letter in reversed(text) if letter.isdecimal()]
    doubled = (digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def is_no_name(text: str) -> bool:
    """
    Return whether *text* was drawn by lot and is not made of words, as the name of a class is.

    >>> is_no_name("9fk2mq7xlp4r"), is_no_name("base64-encoded")
    (True, False)
    """
    return sum(len(word) for word in _WORDS.findall(text)) < 0.6 * len(text)


_WORDS = re.compile(r"[A-Z]?(?=[a-z]*[aeiouy])[a-z]{3,}|[A-Z]{5,}|[_/-]")
_DIGEST = re.compile(r"sha\d|md5|AAAA[A-E]|ssh-|ecdsa-")

# A token begins a word, or follows an escape that a text of raw JSON has for a line's end.
START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf]))"
_QUOTE = r"""(?:\\{0,3}["'`「“])?"""
SIGN = rf"{_QUOTE}\s{{0,3}}(?::|=>?|：|＝)\s{{0,3}}{_QUOTE}"
# Between a name and its sign stand quotes and spaces, which may be escaped, or be no ASCII as the sign may.
ASSIGNED_RAW = r"""[\s\x7f]*["'`\\:=\x80-\xff]"""
ASSIGNMENT = (":", "=", "：", "＝")
# What may stand between a word and a value, but not between two fields or two joined names.
_GAP = r"""[^\n\r"<>{}\[\]|=:]{0,40}?(?::\s[^\n\r"<>{}\[\]|=:]{0,8}?)?"""
_NEAR = 80
"""More than the longest word, the widest gap and a quote are together."""
_GAP_RAW = r"""(?:[^"\n]|\\")*"?"""

# No mark, reference, call, example or blank that merely stands where a value would.
REAL = (
    r"(?!\[redacted|\[\*|\$|<|\{|%|\*{3}|\.{3}|x{4}|(?:os|process|import\.meta)\.env|(?:os\.)?getenv|vault\b"
    r"|env\b|(?:none|null|nil|true|false|undefined|empty|required|optional|redacted|changeme|secret|password)\b"
    r"|your[_-]|ssh-|ecdsa-|AAAA[A-E]|(?:op|ssm|arn|kms|file|https?):|[\w.]{1,60}\()"
)
# Nor what a value must be like.
_RULE_OF_VALUES = (
    r"(?!(?:base64|bcrypt|argon|sha|md5|utf|hash)"
    r"|\d+(?:[-~–]\d+)?\+?[ -]?(?:char|digit|letter|word|day|bit|碼|码|位|字|個|个|文字|자))"
)
WORD = r"""[^\s"'`,;，。；、」”<>()\[\]{}]"""
# A figure, a sign or a capital inside a word: what "password: see vault" has not. It stands near the start:
# to look for it in the whole of a long run, from each of many starts, takes the square of the time.
_AHEAD = rf"{WORD}{{0,100}}?"
_WITH_SIGN = rf"(?={WORD[:-1]}\d!@#$%^&*+=~?]{{0,100}}+[\d!@#$%^&*+=~?])"
PASSWORD = rf"{_RULE_OF_VALUES}(?:{_WITH_SIGN}{WORD}{{4,}}|{_AHEAD}[a-z](?-i:[A-Z]){WORD}{{2,}})"
PLAIN = rf"{WORD}{{4,}}"
RANDOM = rf"(?={WORD[:-1]}\d]{{0,100}}+\d)(?={WORD[:-1]}a-z]{{0,100}}+[a-z]){WORD}{{8,}}"
STATED = r"(?=[a-z0-9_+/=~-]*\d)(?=[a-z0-9_+/=~-]*[a-z])[a-z0-9_+/=~-]{10,}"
MIXED = (
    r"(?<![A-Za-z0-9_/+.=@#-])(?<!base64,)(?=[a-z0-9_+/~-]*\d)"
    r"[a-z0-9][a-z0-9_+/~-]{15,255}={0,2}(?![a-z0-9_+/])"
)
_HAN_IS = "(?:是|為|为|は|는|은|改成|改為|改为|設為|设为|設成|設定為)"


def token(kind: str, pattern: str, *hints: str, signs: tuple[str, ...] = (), gate: str = "") -> Rule:
    """Return the rule of a token that is known by its own look, wherever it stands."""
    return Rule(kind, hints, re.compile(rf"{START}(?P<secret>{pattern})", re.ASCII), signs, gate)


def assigned(kind: str, name: str, value: str, *hints: str, gate: str) -> Rule:
    """Return the rule of a value that is known by the name it is given to, in any case."""
    pattern = re.compile(f"{name}{SIGN}(?P<secret>{REAL}{value})", re.IGNORECASE)
    return Rule(kind, hints, pattern, ASSIGNMENT, gate)


def stated(
    kind: str, name: str, value: str, *hints: str, gate: str, holds: Callable[[str], bool] | None = None
) -> Rule:
    """Return the rule of a value that a sentence names: it "is" one."""
    verb = rf"(?:s?[ \t]{{1,2}}(?:is|was|are)(?: now| still)?:?[ \t]{{1,2}}|[ \t]?{_HAN_IS}[ \t：:]{{0,2}})"
    pattern = re.compile(f"{name}{verb}{_QUOTE}(?P<secret>{REAL}{value})", re.IGNORECASE)
    return Rule(kind, hints, pattern, ("",), gate, holds)


def beside(
    kind: str, words: str, value: str, *hints: str, gate: str, holds: Callable[[str], bool] | None = None
) -> Rule:
    """Return the rule of a value that means something only close behind one of some words."""
    # The value is looked for first: in a long text the words may be many.
    pattern = re.compile(f"(?P<secret>{value})", re.IGNORECASE)
    behind = re.compile(rf"{words}{_GAP}{_QUOTE}\Z", re.IGNORECASE)
    return Rule(kind, hints, pattern, ("",), gate, holds, behind)


def numbered(
    kind: str, words: str, number: str, *hints: str, holds: Callable[[str], bool] | None = None
) -> tuple[Rule, ...]:
    """Return the rules of a number that stands behind one of some words, is given to it, or precedes it."""
    bounded = f"(?<![a-z]){words}"
    given = re.compile(rf"{bounded}\w{{0,12}}{SIGN}(?P<secret>{number})", re.IGNORECASE)
    before = re.compile(rf"(?P<secret>{number})(?={_GAP}{bounded})", re.IGNORECASE)
    # Figures are in every line, and the words in few.
    gate = rf"(?:^|[^A-Za-z]|\\[a-z]){words}"
    return (
        beside(kind, bounded, number, *hints, gate=gate, holds=holds),
        Rule(kind, hints, given, ASSIGNMENT, gate, holds),
        Rule(kind, hints, before, ("",), gate, holds),
    )


def named(words: str) -> str:
    """
    Return the gate of values that one of some words names in any of these ways.

    Rules that share one gate cost raw lines no more than one rule does.
    """
    return rf"{words}(?:{ASSIGNED_RAW}|s?[ \x7f\\tbfr]+(?:is|was|are)\b|{_GAP_RAW}[A-Za-z0-9_+/~-]{{15}})"

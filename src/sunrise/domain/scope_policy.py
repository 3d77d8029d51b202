"""
Which scope a question or a memory belongs to, and where to look when that scope has too little.

A valid name of a scope begins and ends with a letter or a figure of any alphabet. Between them stand letters,
figures, the marks that belong to them, and the signs ``- _ . : / @ +``. It has no blank, is in the form that
NFKC gives, and is no longer than the policy says: ``openclaw-mem``, ``agent:1``, ``github.com/o/r``,
``專案-甲``. What is no such name is never corrected in the strict mode, because a scope that was guessed may
be another's.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.own_words import without_foreign_blocks
from sunrise.domain.text.cleaning import clean, clip
from sunrise.errors import ConfigurationError, DataError

MAX_STORED_SCOPE: Final = 200
"""In characters: a longer name is cut by the ledger."""


class ValidationMode(StrEnum):
    """What is done with a name that is no valid scope: refused, put in order, or taken as it is."""

    STRICT = "strict"
    NORMALIZE = "normalize"
    NONE = "none"


class ScopeSource(StrEnum):
    """What named a scope."""

    EXPLICIT = "explicit"
    ISO = "iso"
    SCOPE_TAG = "scope_tag"
    DEFAULT = "default"


class ScopeWarning(StrEnum):
    """What an operator should know of a scope: a refused name may hide memories from where they belong."""

    INVALID = "invalid_scope"
    NORMALIZED = "normalized_scope"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopePolicy:
    """
    How scopes are found and checked.

    Without ``enabled`` only an explicit scope counts, unchecked, and nothing falls back.

    Raises:
        ConfigurationError: The length is not from 1 to :data:`MAX_STORED_SCOPE`, or one of the policy's own
            scopes is no valid name.
    """

    enabled: bool = True
    default_scope: str = DEFAULT_SCOPE
    fallback_scopes: tuple[str, ...] = ()
    fallback_marker: bool = True
    skip_fallback_on_invalid_scope: bool = True
    validation_mode: ValidationMode = ValidationMode.STRICT
    max_scope_length: int = 64

    def __post_init__(self) -> None:
        if not 1 <= self.max_scope_length <= MAX_STORED_SCOPE:
            msg = f"max_scope_length must be from 1 to {MAX_STORED_SCOPE}, not {self.max_scope_length}"
            raise ConfigurationError(msg)
        object.__setattr__(self, "validation_mode", _mode(self.validation_mode))
        for scope in (self.default_scope, *self.fallback_scopes):
            if not is_valid_scope(scope, max_length=self.max_scope_length):
                msg = f"{scope!r} is no valid scope of at most {self.max_scope_length} characters"
                raise ConfigurationError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedScope:
    """
    The scope that was found, and what named it.

    ``fallbacks`` are to be looked in, in this order, when the scope has too little; ``marker`` is then to be
    shown. ``is_valid`` says that nobody named a scope that had to be refused.
    """

    scope: str
    source: ScopeSource
    fallbacks: tuple[str, ...] = ()
    is_valid: bool = True
    warning: ScopeWarning | None = None
    marker: str | None = None


def resolved(explicit: str | None, text: str, policy: ScopePolicy) -> ResolvedScope:
    """
    Return the scope of a question: the explicit one, else that of a tag in *text*, else the default.

    A tag begins a line, as ``[ISO:x]`` or ``[SCOPE: x]``; the first of each kind counts, and the first kind
    before the other. In fenced code, in blocks that the gateway put in, and in comments a tag is only text.
    An invalid name gives the default scope: a weaker source never stands in for it.

    >>> policy = ScopePolicy(fallback_scopes=("personal",))
    >>> found = resolved(None, "[SCOPE: openclaw-mem] what did we decide?", policy)
    >>> found.scope, found.source.value, found.marker
    ('openclaw-mem', 'scope_tag', 'scope_fallback:openclaw-mem->personal')
    >>> resolved("no such scope!", "", policy)
    ResolvedScope(scope='global', source=<ScopeSource.DEFAULT: 'default'>, fallbacks=(), is_valid=False, \
warning=<ScopeWarning.INVALID: 'invalid_scope'>, marker=None)
    """
    found = written_scope(explicit, policy, text=text)
    if not policy.enabled or (not found.is_valid and policy.skip_fallback_on_invalid_scope):
        return found
    fallbacks = tuple(dict.fromkeys(scope for scope in policy.fallback_scopes if scope != found.scope))
    marker = f"scope_fallback:{found.scope}->{','.join(fallbacks)}"
    return ResolvedScope(
        scope=found.scope,
        source=found.source,
        fallbacks=fallbacks,
        is_valid=found.is_valid,
        warning=found.warning,
        marker=marker if fallbacks and policy.fallback_marker else None,
    )


def looked_in(explicit: str | None, text: str, policy: ScopePolicy) -> ResolvedScope:
    """
    Return the scope in which a question is looked for, found as by :func:`resolved`.

    A refused name that was said explicitly is looked in as it stands: nothing is in there but what was kept
    under this very name before names were checked.

    >>> looked_in("My Notes", "", ScopePolicy()).scope, looked_in(None, "[ISO:a b] tea", ScopePolicy()).scope
    ('My Notes', 'global')
    """
    found = resolved(explicit, text, policy)
    if found.is_valid or explicit is None or not explicit.strip():
        return found
    return replace(found, scope=explicit.strip(), source=ScopeSource.EXPLICIT, fallbacks=(), marker=None)


def written_scope(explicit: str | None, policy: ScopePolicy, *, text: str = "") -> ResolvedScope:
    """
    Return the scope that a memory is written to: found as by :func:`resolved`, and never with fallbacks.

    >>> normal = ScopePolicy(validation_mode=ValidationMode.NORMALIZE)
    >>> written_scope(" Open Claw ", normal).scope, written_scope(None, normal, text="[ISO:home] tea").scope
    ('open-claw', 'home')
    """
    named, source = _named(explicit, text if policy.enabled else "")
    if named is None:
        return ResolvedScope(scope=policy.default_scope, source=ScopeSource.DEFAULT)
    scope = _checked(named, policy)
    if scope is None:
        return ResolvedScope(
            scope=policy.default_scope,
            source=ScopeSource.DEFAULT,
            is_valid=False,
            warning=ScopeWarning.INVALID,
        )
    return ResolvedScope(
        scope=scope, source=source, warning=None if scope == named else ScopeWarning.NORMALIZED
    )


def kept_scope(name: str, policy: ScopePolicy) -> str:
    """
    Return the name under which a row of others is kept that names a scope.

    >>> kept_scope("Open Claw", ScopePolicy(validation_mode=ValidationMode.NORMALIZE))
    'open-claw'

    Raises:
        DataError: The policy refuses the name; reason ``bad_scope``.
    """
    found = written_scope(name, policy)
    if not found.is_valid:
        raise DataError("the name of the scope is not valid", reason="bad_scope")
    return found.scope


def is_valid_scope(name: str, *, max_length: int = MAX_STORED_SCOPE) -> bool:
    """
    Return whether a text is a scope's name as the grammar of this module has it.

    >>> [is_valid_scope(name) for name in ("agent:1", "專案-甲", "my scope", "-x", "ＡＢＣ", "")]
    [True, True, False, False, False, False]
    """
    if not 1 <= len(name) <= max_length or unicodedata.normalize("NFKC", name) != name:
        return False
    kinds = ["sign" if letter in _SIGNS else unicodedata.category(letter)[0] for letter in name]
    return kinds[0] in "LN" and kinds[-1] in "LNM" and all(kind in ("L", "N", "M", "sign") for kind in kinds)


def without_scope_tags(line: str) -> str:
    """
    Return a line without the scope tags that it begins with.

    >>> without_scope_tags("[SCOPE: home] [ISO:x] TODO: water the plants")
    'TODO: water the plants'
    """
    return _TAGS_AHEAD.sub("", line, count=1)


def without_tags(text: str) -> str:
    r"""
    Return a text without the scope tags that its lines begin with: they say where to look, not what for.

    >>> without_tags("[SCOPE: home]\nwhere is the ladder")
    'where is the ladder'
    """
    if "[" not in text:
        return text
    return "\n".join(map(without_scope_tags, text.split("\n"))).strip()


_SIGNS = frozenset("-_.:/@+")
_TAG = r"\[(?P<kind>ISO|SCOPE):(?P<name>[^\[\]\n]{0,400})\]"
_TAGS_AHEAD = re.compile(
    rf"[ \t]*(?:{_TAG.replace('?P<kind>', '?:').replace('?P<name>', '?:')}[ \t]*)+", re.IGNORECASE
)
_ONE_TAG = re.compile(_TAG, re.IGNORECASE)
_BLANKS = re.compile(r"\s+")


def _mode(value: str) -> ValidationMode:
    try:
        return ValidationMode(value)
    except ValueError as error:
        msg = f"validation_mode must be strict, normalize or none, not {value!r}"
        raise ConfigurationError(msg) from error


def _named(explicit: str | None, text: str) -> tuple[str | None, ScopeSource]:
    if explicit is not None and explicit.strip():
        return explicit.strip(), ScopeSource.EXPLICIT
    tags: dict[str, str] = {}
    for line in without_foreign_blocks(text).split("\n") if "[" in text else ():
        ahead = _TAGS_AHEAD.match(line)
        for tag in _ONE_TAG.finditer(ahead[0]) if ahead else ():
            tags.setdefault(tag["kind"].upper(), tag["name"].strip())
    if "ISO" in tags:
        return tags["ISO"], ScopeSource.ISO
    return tags.get("SCOPE"), ScopeSource.SCOPE_TAG


def _checked(name: str, policy: ScopePolicy) -> str | None:
    """Return the name as it may be used, or None where it must be refused."""
    if policy.enabled and policy.validation_mode is ValidationMode.STRICT:
        return name if is_valid_scope(name, max_length=policy.max_scope_length) else None
    if policy.enabled and policy.validation_mode is ValidationMode.NORMALIZE:
        return _normal(name, policy.max_scope_length)
    kept = "".join(letter for letter in clean(name) if unicodedata.category(letter) != "Cc")
    return clip(kept.strip(), MAX_STORED_SCOPE).strip() or None


def _normal(name: str, max_length: int) -> str | None:
    plain, before = _BLANKS.sub("-", clean(name).strip()), ""
    # What NFKC gives may have a lower case of its own, and the other way round.
    while plain != before:
        before, plain = plain, _BLANKS.sub("-", unicodedata.normalize("NFKC", plain).lower().strip())
    kept = "".join(one for one in plain if one in _SIGNS or unicodedata.category(one)[0] in "LNM")
    cut = kept[:max_length]
    while cut and not is_valid_scope(cut, max_length=max_length):
        cut = cut[1:] if not is_valid_scope(cut[0]) else cut[:-1]
    return cut or None


UNCHECKED: Final = ScopePolicy(enabled=False)
"""What takes names as they are."""

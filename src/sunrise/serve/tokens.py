"""Who asks, and what they may: one token for everything, and others that are bound to scopes and rights."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sunrise.adapters.private_files import read_private, write_private
from sunrise.adapters.service_client import TOKEN_FILE
from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.scope_policy import ResolvedScope, ScopePolicy, ScopeSource, resolved, written_scope
from sunrise.domain.trust import Origin
from sunrise.errors import ConfigurationError
from sunrise.serve.problems import RefusalError

TOKENS_FILE: Final = "serve.tokens.toml"
MIN_CHARS: Final = 20
"""A shorter token may be guessed."""

FindScope = Callable[[str | None, str, ScopePolicy], ResolvedScope]
"""How the scope of a text is found: by what is said explicitly, and by the text."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VERSION: Final = 2
"""Of a table of tokens: since the second, that it lacks the right ``owner`` is meant."""

_TABLE = re.compile(r"""(?ms)^\[(?P<name>[\w.-]+|"[\w.-]+"|'[\w.-]+')\](?P<rest>.*?)(?=^\[|\Z)""")
_RIGHTS = re.compile(r"(?ms)^rights\s*=\s*\[[^\]]*\]")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")


class Right(StrEnum):
    """What a token lets its bearer do."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"
    OWNER = "owner"
    """Hand on what the owner said, and change what is trusted: an agent's token has it not."""


EVERY_RIGHT: Final = frozenset(Right)


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who asks. ``scopes`` are those that they are bound to, None: every one."""

    name: str
    rights: frozenset[Right] = EVERY_RIGHT
    scopes: tuple[str, ...] | None = None

    def check_right(self, right: Right) -> None:
        """
        Let a right pass.

        Raises:
            RefusalError: It is not theirs; reason ``right_not_allowed``.
        """
        if right not in self.rights:
            grant = (
                f": give it with `sunrise token {self.name} --grant {right}`" if right is Right.OWNER else ""
            )
            raise RefusalError("right_not_allowed", f"this needs the right {right}{grant}")

    @property
    def is_owners(self) -> bool:
        """Whether they may do what only the owner may."""
        return Right.OWNER in self.rights

    @property
    def highest_origin(self) -> str:
        """The most that what they hand on may claim to come from."""
        return str(Origin.OWNER if self.is_owners else Origin.AGENT)

    @property
    def is_bound(self) -> bool:
        """Whether they see some scopes only."""
        return self.scopes is not None

    def check_unbound(self) -> None:
        """
        Let pass what reaches into every scope.

        Raises:
            RefusalError: The caller is bound to some; reason ``scope_not_allowed``.
        """
        if self.is_bound:
            raise RefusalError("scope_not_allowed", "this reaches into every scope")

    def narrowed(self, scopes: tuple[str, ...]) -> Caller:
        """
        Return the caller bound to these scopes and no others.

        Raises:
            RefusalError: One of them is not theirs; reason ``scope_not_allowed``.
        """
        if self.scopes is not None and not {*scopes} <= {*self.scopes}:
            raise RefusalError("scope_not_allowed")
        return replace(self, scopes=scopes)

    def scope_for(self, asked: str | None) -> str:
        """
        Return the scope that a request is about: what it names, else the caller's first, else the default.

        Raises:
            RefusalError: The caller is bound to others; reason ``scope_not_allowed``.
        """
        named = (asked or "").strip()
        if self.scopes is None:
            return named or DEFAULT_SCOPE
        scope = named or next(iter(self.scopes), DEFAULT_SCOPE)
        if scope not in self.scopes:
            raise RefusalError("scope_not_allowed")
        return scope

    def scope_to_write(self, asked: str | None, policy: ScopePolicy) -> str:
        """
        Return the scope that a memory is stored in, under the name that the policy gives it.

        A name that the policy refuses is handed on as it is: the store refuses it.

        Raises:
            RefusalError: The caller is bound to others; reason ``scope_not_allowed``.
        """
        written = written_scope(self.scope_for(asked) if asked or self.is_bound else None, policy)
        # What is put in order becomes another name on the way: that has to be theirs as well.
        return self.scope_for(written.scope if written.is_valid else asked)

    def scope_of_text(
        self, asked: str | None, text: str, policy: ScopePolicy, *, find: FindScope = resolved
    ) -> str | None:
        """
        Return the scope of a turn or a question, which a tag in the text may name.

        That of a bound caller is settled here, whatever the text says; of any other one it is left to the
        text. ``find`` is how whoever answers finds it.

        Raises:
            RefusalError: The caller is bound to others; reason ``scope_not_allowed``.
        """
        if self.scopes is None:
            return asked
        named = find(asked, text, policy)
        scope = self.scope_for(None if named.source is ScopeSource.DEFAULT else named.scope)
        # What is no valid name becomes another one on the way: that has to be theirs as well.
        return self.scope_for(find(scope, "", policy).scope)

    def key_for(self, key: str | None) -> str | None:
        """
        Return an idempotency key that is the caller's own: of a bound one it says nothing of others' stores.

        >>> Caller("gateway", scopes=("agent:1",)).key_for("k")
        'gateway:k'
        """
        return key if key is None or not self.is_bound else f"{self.name}:{key}"


OPERATOR: Final = Caller("operator")
"""Whoever holds the token of the home, or asks on this machine where there is none."""


@dataclass(frozen=True, slots=True)
class BoundToken:
    """
    A token by its hash, and who its bearer is.

    That one ``is_older`` than the right ``owner`` says nothing of whether its bearer should have it.
    """

    sha256: str
    caller: Caller
    is_older: bool = False


@dataclass(frozen=True, slots=True)
class TokenBook:
    """The tokens that the service knows."""

    tokens: tuple[BoundToken, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether there is no token, and none is wanted."""
        return not self.tokens

    def bearer(self, token: str) -> Caller | None:
        """Return whose token this is; it takes as long for a wrong one as for a right one."""
        given, found = hash_of(token), None
        for one in self.tokens:
            if hmac.compare_digest(one.sha256, given):
                found = one.caller
        return found


def hash_of(token: str) -> str:
    """
    Return the hash by which a token is known.

    >>> hash_of("a")[:20]
    'sha256:ca978112ca1bb'
    """
    return f"sha256:{hashlib.sha256(token.encode('utf-8', 'surrogatepass')).hexdigest()}"


def load_tokens(home: Path) -> TokenBook:
    """
    Read the tokens of a home; none where there is no file of them.

    Raises:
        ConfigurationError: A file is a link, or others may read it, or it holds what is no token.
    """
    found = []
    own = read_private(home / TOKEN_FILE)
    if own is not None:
        if len(own.strip()) < MIN_CHARS:
            raise ConfigurationError(f"{home / TOKEN_FILE} holds less than {MIN_CHARS} characters")
        found.append(BoundToken(hash_of(own.strip()), OPERATOR))
    text = read_private(home / TOKENS_FILE)
    if text is not None:
        found += _bound(text, home / TOKENS_FILE)
    return TokenBook(tuple(found))


def is_no_name(name: str) -> bool:
    """
    Return whether a text cannot name a token.

    >>> is_no_name("laptop-2"), is_no_name("my laptop")
    (False, True)
    """
    return _NAME.fullmatch(name) is None


def init_token(home: Path) -> tuple[Path, bool]:
    """
    Make the token of a home if it has none; return its file, and whether it was made.

    Raises:
        ConfigurationError: There is one that is a link, or that others may read.
    """
    path = home / TOKEN_FILE
    if read_private(path) is not None:
        return path, False
    write_private(path, secrets.token_urlsafe(32) + "\n")
    return path, True


def bind_token(home: Path, name: str, *, scopes: Iterable[str], rights: Iterable[Right]) -> str:
    """
    Make a token that is bound to scopes and rights, keep its hash, and return it: it is not to be had again.

    Raises:
        ConfigurationError: The name is taken, or is no name, or the file cannot be used.
    """
    path = home / TOKENS_FILE
    before = read_private(path) or ""
    taken = {one.caller.name for one in _bound(before, path)}
    if name in taken or _NAME.fullmatch(name) is None:
        raise ConfigurationError(f"the name {name!r} is {'taken' if name in taken else 'none'}")
    token = secrets.token_urlsafe(32)
    added = f"[{_toml(name)}]\nhash = {_toml(hash_of(token))}\n"
    added += f"scopes = [{', '.join(map(_toml, scopes))}]\n{_rights(rights)}\nversion = {_VERSION}\n"
    _bound(before + "\n" + added, path)
    write_private(path, f"{before}\n{added}" if before else added)
    return token


def grant_rights(home: Path, name: str, rights: Iterable[Right]) -> frozenset[Right]:
    """
    Give a token rights beside those that it has, and return all of them; its hash and scopes stay.

    What else stands in the file stays too. A right that it has already says that it needs no more of them.

    Raises:
        ConfigurationError: There is no token of that name, or the file cannot be used.
    """
    path = home / TOKENS_FILE
    before = read_private(path) or ""
    known = {one.caller.name: one.caller for one in _bound(before, path)}
    if name not in known:
        raise ConfigurationError(
            f"there is no token {name!r}; there are: {', '.join(sorted(known)) or 'none'}"
        )
    wanted = known[name].rights | {*rights}
    after = _TABLE.sub(lambda table: _granted(table, name, wanted), before)
    values = tomllib.loads(before)
    values[name] |= {"rights": [one for one in Right if one in wanted], "version": _VERSION}
    if tomllib.loads(after) != values:
        raise ConfigurationError(
            f"{path} is written in a way that only a person can change: add the right there"
        )
    write_private(path, after)
    return wanted


def _granted(table: re.Match[str], name: str, rights: frozenset[Right]) -> str:
    if table["name"].strip("\"'") != name:
        return table[0]
    ordered = [one for one in Right if one in rights]
    rest = re.sub(r"(?m)^version\s*=.*\n?", "", table["rest"])
    told = f"{_rights(ordered)}\nversion = {_VERSION}"
    return f"[{table['name']}]{_RIGHTS.sub(told, rest, count=1)}"


def _bound(text: str, path: Path) -> list[BoundToken]:
    try:
        named = tomllib.loads(text)
        return [_token(name, values) for name, values in named.items()]
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise ConfigurationError(f"{path} is not valid: {error}") from error


def _token(name: str, values: Any) -> BoundToken:
    known = {"hash", "scopes", "rights"}
    version = values.pop("version", 1) if isinstance(values, dict) else None
    if version not in (1, _VERSION) or set(values) != known or _NAME.fullmatch(name) is None:
        raise ValueError(f"[{name}] must have {', '.join(sorted(known))}")
    if not isinstance(values["hash"], str) or _HASH.fullmatch(values["hash"]) is None:
        raise ValueError(f"[{name}] hash must be sha256: and 64 hexadecimal digits")
    scopes, rights = values["scopes"], values["rights"]
    if not (_is_texts(scopes) and _is_texts(rights) and scopes):
        raise ValueError(f'[{name}] scopes and rights must be lists of texts; every scope is ["*"]')
    if unknown := set(rights) - set(Right):
        raise ValueError(f"[{name}] knows no right {', '.join(sorted(unknown))}")
    bound = None if scopes == ["*"] else tuple(one.strip() for one in scopes)
    return BoundToken(
        values["hash"], Caller(name, frozenset(map(Right, rights)), bound), is_older=version < _VERSION
    )


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _rights(rights: Iterable[Right]) -> str:
    return f"rights = [{', '.join(map(_toml, rights))}]"


def _toml(text: str) -> str:
    # A JSON text is a TOML text too, where no letter is written as a pair of surrogates.
    return json.dumps(text, ensure_ascii=False)

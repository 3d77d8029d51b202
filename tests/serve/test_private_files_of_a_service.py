"""What a service keeps on disk for itself: tokens, audit and home, each readable by us alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from sunrise.adapters.private_files import check_folder
from sunrise.errors import ConfigurationError
from sunrise.serve.audit import AUDIT_FILE
from sunrise.serve.tokens import (
    BoundToken,
    Caller,
    Right,
    TokenBook,
    bind_token,
    grant_rights,
    hash_of,
    init_token,
    load_tokens,
)
from tests.serving import make_home, served

TOKEN = "a token of at least twenty characters"
OPEN = TokenBook((BoundToken(hash_of(TOKEN), Caller("operator")),))


def test_a_token_is_made_for_us_alone_and_once(tmp_path: Path) -> None:
    path, made = init_token(tmp_path)
    token = path.read_text().strip()
    assert (made, path.stat().st_mode & 0o777, len(token) >= 40) == (True, 0o600, True)
    assert init_token(tmp_path) == (path, False)
    assert path.read_text().strip() == token
    assert load_tokens(tmp_path).bearer(token) == Caller("operator")
    assert load_tokens(tmp_path).bearer(token + "a") is None


@pytest.mark.parametrize("name", ["serve.token", "serve.tokens.toml"])
def test_a_token_file_that_others_can_read_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("a" * 40)
    for mode in (0o644, 0o640, 0o604, 0o602, 0o620):
        (tmp_path / name).chmod(mode)
        with pytest.raises(ConfigurationError, match="chmod 600"):
            load_tokens(tmp_path)


@pytest.mark.parametrize("name", ["serve.token", "serve.tokens.toml"])
def test_a_token_file_that_is_a_link_is_refused(tmp_path: Path, name: str) -> None:
    real = tmp_path / "elsewhere"
    real.write_text("a" * 40)
    real.chmod(0o600)
    (tmp_path / name).symlink_to(real)
    with pytest.raises(ConfigurationError, match="is a link"):
        load_tokens(tmp_path)


def test_a_short_token_is_refused(tmp_path: Path) -> None:
    (tmp_path / "serve.token").write_text("hello\n")
    (tmp_path / "serve.token").chmod(0o600)
    with pytest.raises(ConfigurationError, match="20 characters"):
        load_tokens(tmp_path)


def test_a_bound_token_is_kept_as_its_hash(tmp_path: Path) -> None:
    scopes, rights = ("agent:1", '專案-"甲"'), frozenset({Right.READ, Right.WRITE})
    first = bind_token(tmp_path, "gateway", scopes=scopes, rights=rights)
    second = bind_token(tmp_path, "monitor", scopes=["*"], rights=[Right.ADMIN])
    book = load_tokens(tmp_path)
    assert book.bearer(first) == Caller("gateway", rights, scopes)
    assert book.bearer(second) == Caller("monitor", frozenset({Right.ADMIN}))
    text = (tmp_path / "serve.tokens.toml").read_text()
    assert first not in text
    assert (tmp_path / "serve.tokens.toml").stat().st_mode & 0o777 == 0o600
    with pytest.raises(ConfigurationError, match="taken"):
        bind_token(tmp_path, "gateway", scopes=["*"], rights=[Right.READ])


OLDER = f"""\
# Of the year before.
[gateway]
hash = "{hash_of("gateway")}"
scopes = ["agent:1"]  # its own first
rights = [
    "read",
    "write",
]

# Reads only.
['monitor']
rights = ["read"]
hash = "{hash_of("monitor")}"
scopes = ["*"]
"""


def test_a_right_is_given_to_a_token_that_keeps_its_hash_and_scopes(tmp_path: Path) -> None:
    path = tmp_path / "serve.tokens.toml"
    path.write_text(OLDER)
    path.chmod(0o600)
    assert [one.is_older for one in load_tokens(tmp_path).tokens] == [True, True]
    assert grant_rights(tmp_path, "gateway", [Right.OWNER]) == {Right.READ, Right.WRITE, Right.OWNER}
    book = load_tokens(tmp_path)
    caller = book.bearer("gateway")
    assert caller == Caller("gateway", frozenset({Right.READ, Right.WRITE, Right.OWNER}), ("agent:1",))
    assert [one.is_older for one in book.tokens] == [False, True]
    # What it has already is no news, but from then on it is known to need no more.
    assert grant_rights(tmp_path, "monitor", [Right.READ]) == {Right.READ}
    assert [one.is_older for one in load_tokens(tmp_path).tokens] == [False, False]
    text = path.read_text()
    assert grant_rights(tmp_path, "monitor", [Right.READ]) == {Right.READ}
    assert (path.read_text(), path.stat().st_mode & 0o777) == (text, 0o600)
    assert [text.count(said) for said in ("# Of the year before.", "# its own first", "# Reads only.")] == [
        1
    ] * 3
    with pytest.raises(ConfigurationError, match="there are: gateway, monitor"):
        grant_rights(tmp_path, "nobody", [Right.OWNER])


def test_a_file_that_only_a_person_can_change_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "serve.tokens.toml"
    one = f"gateway = {{hash = '{hash_of('gateway')}', scopes = ['*'], rights = ['read']}}\n"
    path.write_text(one)
    path.chmod(0o600)
    with pytest.raises(ConfigurationError, match="only a person can change"):
        grant_rights(tmp_path, "gateway", [Right.OWNER])
    assert path.read_text() == one


def test_a_new_token_without_the_right_owner_is_meant_to_be_without(tmp_path: Path) -> None:
    bind_token(tmp_path, "agent", scopes=["agent:1"], rights=[Right.READ, Right.WRITE])
    (one,) = load_tokens(tmp_path).tokens
    assert (one.is_older, one.caller.is_owners, one.caller.highest_origin) == (False, False, "agent")


@pytest.mark.parametrize(
    "text",
    ["[a]\n", "[a]\nhash = 'x'\nscopes = ['*']\nrights = []\n", "not toml", "a = 1\n",
     f"[a]\nhash = '{hash_of('x')}'\nscopes = []\nrights = ['read']\n",
     f"[a]\nhash = '{hash_of('x')}'\nscopes = 'agent:1'\nrights = ['read']\n",
     f"[a]\nhash = '{hash_of('x')}'\nscopes = ['*']\nrights = ['root']\n",
     f"[a]\nhash = '{hash_of('x')}'\nscopes = ['*']\nrights = ['read']\nversion = 3\n",
     f"['a b']\nhash = '{hash_of('x')}'\nscopes = ['*']\nrights = ['read']\n"],
)  # fmt: skip
def test_a_file_of_tokens_that_is_not_valid_lets_nobody_in(tmp_path: Path, text: str) -> None:
    path = tmp_path / "serve.tokens.toml"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(ConfigurationError):
        load_tokens(tmp_path)


def test_a_home_that_is_a_link_is_known_by_its_real_path(tmp_path: Path) -> None:
    real = make_home(tmp_path / "real")
    (tmp_path / "link").symlink_to(real)
    assert check_folder(tmp_path / "link") == real.resolve()


def test_a_home_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    for mode in (0o777, 0o775):
        tmp_path.chmod(mode)
        with pytest.raises(ConfigurationError, match="chmod go-w"):
            check_folder(tmp_path)
    tmp_path.chmod(0o755)
    assert check_folder(tmp_path) == tmp_path.resolve()


def test_the_audit_is_ours_alone_and_does_not_follow_a_link(own_home: Path, tmp_path: Path) -> None:
    with served(own_home, tokens=OPEN) as running:
        running.recall()
        assert (own_home / AUDIT_FILE).stat().st_mode & 0o777 == 0o600
        (own_home / AUDIT_FILE).unlink()
        (own_home / AUDIT_FILE).symlink_to(tmp_path / "elsewhere")
        # What cannot be noted stays refused.
        assert running.recall().status == 401
    assert not (tmp_path / "elsewhere").exists()

"""The commands that start the service and make its tokens."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from sunrise.cli.output import say
from sunrise.domain.filters import check_scope
from sunrise.errors import ConfigurationError, DataError
from sunrise.settings import load_settings


def serve(home: str | None, *, host: str | None, port: int | None) -> None:
    """Serve until stopped."""
    settings = load_settings(home)
    try:
        from sunrise.serve.running import serve_home
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    serve_home(settings.replaced(serve=settings.serve.model_copy(update=given)))


def init_token(home: str | None, *, as_json: bool) -> None:
    """Make the token of the home, if there is none, and say where it is; it is not shown."""
    from sunrise.serve.tokens import init_token as make

    path, made = make(load_settings(home).home)
    text = f"token   {path}{'' if made else ' (kept)'}\nsend    Authorization: Bearer <what stands in it>"
    say({"file": str(path), "made": made}, text, as_json=as_json)


def bind_token(
    home: str | None, name: str, *, scopes: Sequence[str], rights: Sequence[str], as_json: bool
) -> None:
    """Make a token that is bound to scopes and rights, and show it once."""
    import json

    from sunrise.serve.tokens import Right, is_no_name
    from sunrise.serve.tokens import bind_token as make

    _check_rights(rights)
    check_scopes(scopes)
    if is_no_name(name):
        raise typer.BadParameter(
            f"no name of a token: {name!r}; it takes letters, digits, dot, dash and underscore, 64 at most"
        )
    wanted = [Right(one) for one in rights or (Right.READ,)]
    token = make(load_settings(home).home, name, scopes=scopes or ["*"], rights=wanted)
    # Not by `say`, which shows no secret: this one is shown here and nowhere else.
    print(json.dumps({"name": name, "token": token}) if as_json else token)


def grant_rights(
    home: str | None, name: str, rights: Sequence[str], *, named_more: bool, as_json: bool
) -> None:
    """Give a token that there is more rights; whoever has it need not be told."""
    from sunrise.serve.tokens import Right
    from sunrise.serve.tokens import grant_rights as give

    if named_more:
        raise typer.BadParameter(
            "--grant changes the rights of a token alone: name no --scope and no --right"
        )
    _check_rights(rights)
    given = give(load_settings(home).home, name, map(Right, rights))
    names = [one.value for one in Right if one in given]
    text = (
        f"rights  {', '.join(names)}\nnext    a service that runs knows of it once it reads its tokens anew"
    )
    say({"name": name, "rights": names}, text, as_json=as_json)


def answer_mcp(home: str | None, *, scopes: Sequence[str]) -> None:
    """Answer MCP on standard input and output until it ends, through the running service if there is one."""
    check_scopes(scopes)
    from sunrise.cli.quick_recall import home_of
    from sunrise.cli.recall_lines import print_path
    from sunrise.serve.mcp_relay import relay_stdio

    if relay_stdio(home_of(home), scopes=scopes):
        return
    try:
        from sunrise.serve.mcp_stdio import answer_stdio
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    # The standard output is the client's; its log is told which way was taken.
    print_path("this process")
    answer_stdio(home, scopes=scopes)


def _check_rights(rights: Sequence[str]) -> None:
    from sunrise.serve.tokens import Right

    if unknown := set(rights) - set(Right):
        raise typer.BadParameter(f"no such right: {', '.join(sorted(unknown))}; there are {', '.join(Right)}")


def check_scopes(scopes: Sequence[str]) -> None:
    """
    Check that each scope that a client is bound to is a name.

    Raises:
        typer.BadParameter: One is empty, or holds control characters.
    """
    for scope in scopes:
        try:
            check_scope(scope)
        except DataError as error:
            raise typer.BadParameter(str(error)) from error
        if not scope.strip():
            raise typer.BadParameter("the name of a scope is not empty")


def _missing(error: ModuleNotFoundError) -> ConfigurationError:
    msg = (
        f"this command needs the serve extra (missing: {error.name}): pip install '.[serve]' in the folder of"
        " the project"
    )
    return ConfigurationError(msg)

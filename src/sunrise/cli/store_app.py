"""The commands that store and forget. What they do is imported inside them."""

from __future__ import annotations

from typing import Annotated

import typer

from sunrise.cli.options import HomeOption, JsonOption, VerboseOption

ScopeOption = Annotated[str, typer.Option(help="The scope: memories of others are not seen.")]


def store(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; - reads standard input.")],
    home: HomeOption = None,
    scope: ScopeOption = "global",
    category: Annotated[
        str | None, typer.Option(help="Such as preference, decision, fact, entity, todo or other.")
    ] = None,
    importance: Annotated[
        str | None,
        typer.Option(help="0 to 1, or must_remember, nice_to_have, ignore, unknown; else the scorer's."),
    ] = None,
    origin: Annotated[str, typer.Option(help="Whose words: operator, agent, tool, web.")] = "agent",
    source_ref: Annotated[str | None, typer.Option(metavar="REF", help="Where it comes from.")] = None,
    memory_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Make the memory of this id, or write it anew.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="The same key twice is one store.")] = None,
    ttl_days: Annotated[float | None, typer.Option(help="Not recalled after so many days.")] = None,
    replaces: Annotated[
        list[str] | None, typer.Option(metavar="REF", help="A memory that this puts out of date; repeatable.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also what was forgotten.")] = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Store one text as a memory, or say which memory says it already."""
    from sunrise.cli import store_commands

    asked = {
        "scope": scope,
        "category": category,
        "importance": importance,
        "source_kind": origin,
        "source_ref": source_ref,
        "id": memory_id,
        "idempotency_key": key,
        "ttl_days": ttl_days,
        "replaces": tuple(replaces or ()),
        "again": again,
    }
    store_commands.store_text(home, text, asked=asked, as_json=as_json, verbose=verbose)


def forget(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="An id, a ref, or at least 8 characters of an id.")
    ] = None,
    home: HomeOption = None,
    query: Annotated[
        str | None, typer.Option(help="Forget what says just this; else show what it may mean.")
    ] = None,
    scope: Annotated[str | None, typer.Option(help="Only a memory of this scope.")] = None,
    reason: Annotated[str, typer.Option(help="Why, for the audit trail.")] = "by hand",
    with_derived: Annotated[
        bool, typer.Option("--with-derived", help="Also the memories that were made of it.")
    ] = False,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Keep the text out of every scope.")
    ] = False,
    erase: Annotated[
        bool, typer.Option("--erase", help="Also take its text out of every store, which nothing undoes.")
    ] = False,
    backups: Annotated[
        bool, typer.Option("--backups", help="With --erase: remove the snapshots that hold it.")
    ] = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Forget a memory, so that it does not come back."""
    from sunrise.cli import store_commands

    asked = {
        "id": memory_id,
        "query": query,
        "scope": scope,
        "reason": reason,
        "with_derived": with_derived,
        "everywhere": everywhere,
    }
    if backups and not erase:
        raise typer.BadParameter("--backups goes with --erase")
    if erase:
        from sunrise.cli import erase_commands

        erase_commands.erase_memory(home, asked=asked, backups=backups, as_json=as_json, verbose=verbose)
    store_commands.forget_memory(home, asked=asked, as_json=as_json, verbose=verbose)

"""The group of commands on embedders. What they do is imported inside them."""

from __future__ import annotations

from typing import Annotated

import typer

from sunrise.cli.options import HomeOption, JsonOption

embedder_app = typer.Typer(help="What turns texts into vectors.", no_args_is_help=True, rich_markup_mode=None)

NameArgument = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="As the list gives it; else that of the settings.")
]


@embedder_app.command("list")
def list_embedders(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the embedders, the model of each, and what one lacks."""
    from sunrise.cli import embedder_commands

    embedder_commands.list_all(home, as_json=as_json)


@embedder_app.command("test")
def try_embedder(name: NameArgument = None, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Try an embedder on texts that break others, after a fork, and in eight threads."""
    from sunrise.cli import embedder_commands

    embedder_commands.try_one(home, name, as_json=as_json)


@embedder_app.command("bench")
def bench_embedder(
    name: NameArgument = None,
    home: HomeOption = None,
    texts: Annotated[int, typer.Option(min=1, max=100_000, help="How many texts, in 20 s at most.")] = 512,
    queries: Annotated[int, typer.Option(min=2, max=10_000, help="How many questions, the same.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """Measure an embedder: texts a second, how long a question waits, and memory."""
    from sunrise.cli import embedder_commands

    embedder_commands.bench(home, name, texts=texts, queries=queries, as_json=as_json)

"""The command `recall`: the running service answers, or else this process."""

from __future__ import annotations

from dataclasses import replace

from sunrise.cli.quick_recall import body_of, home_of
from sunrise.cli.recall_lines import print_answer, print_path


def recall_memories(
    home: str | None,
    query: str,
    *,
    scope: str | None,
    limit: int,
    archived: bool,
    as_json: bool,
    verbose: bool,
) -> None:
    """Print the memories most useful for a query; the answer is the same whoever gives it."""
    from sunrise.adapters.service_client import ask_service

    asked = {"query": query, "scope": scope, "limit": limit, "archived": archived}
    answer = ask_service(home_of(home), "/v1/recall", body_of(asked))
    path = "the service"
    if answer is None:
        answer, path = _own_answer(home, query, scope=scope, limit=limit, archived=archived), "this process"
    if verbose:
        print_path(path)
    print_answer(answer, as_json=as_json)


def _own_answer(
    home: str | None, query: str, *, scope: str | None, limit: int, archived: bool
) -> dict[str, object]:
    from sunrise.bootstrap import open_home
    from sunrise.cli.memory_commands import usage_errors
    from sunrise.domain.answers import answer_of
    from sunrise.domain.recall import RecallRequest
    from sunrise.settings import load_settings

    with usage_errors():
        request = RecallRequest(
            query,
            scope=scope or "",
            limit=limit,
            include_archived=archived,
            look_elsewhere=True,
            may_see=None,
        )
    with open_home(load_settings(home)) as opened:
        found = opened.recall(request)
        # No later recall of this process tries again.
        is_lost = not opened.ledger.write_use()
        return answer_of(replace(found, receipt=replace(found.receipt, is_use_lost=is_lost)))

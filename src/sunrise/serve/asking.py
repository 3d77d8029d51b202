"""What every address does first: who asks, whether they may, and in which scope."""

from __future__ import annotations

from typing import Any, Final

from fastapi import Request

from sunrise.domain.scope_policy import resolved
from sunrise.serve.problems import PROBLEM_TYPE, REASONS
from sunrise.serve.service import Service
from sunrise.serve.tokens import Caller, FindScope, Right

ANSWERED: Final = (400, 401, 403, 408, 413, 415, 422, 429, 500, 503, 504)
"""The statuses of problems that any address may answer with."""


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what the OpenAPI document says of these statuses."""
    schema = {"schema": {"$ref": "#/components/schemas/ProblemGiven"}}
    return {
        status: {
            "description": "; ".join(sorted(name for name, one in REASONS.items() if one.status == status)),
            "content": {PROBLEM_TYPE: schema},
        }
        for status in statuses
    }


def who(request: Request, right: Right) -> tuple[Service, Caller]:
    """
    Return what is asked, and who asks.

    Raises:
        RefusalError: The right is not theirs; reason ``right_not_allowed``.
    """
    caller: Caller = request.scope["sunrise.caller"]
    caller.check_right(right)
    service: Service = request.app.state.service
    return service, caller


def scope_for(request: Request, caller: Caller, asked: str | None) -> str:
    """
    Return the scope that a request is about.

    Raises:
        RefusalError: The caller is bound to others; reason ``scope_not_allowed``.
    """
    # The audit is told what was asked for, whether it is let through or not.
    request.scope["sunrise.asked_scope"] = asked
    return caller.scope_for(asked)


def scope_to_write(request: Request, caller: Caller, asked: str | None) -> str:
    """
    Return the scope that a memory is stored in, under the name that the policy gives it.

    Raises:
        RefusalError: The caller is bound to others; reason ``scope_not_allowed``.
    """
    request.scope["sunrise.asked_scope"] = asked
    return caller.scope_to_write(asked, request.app.state.service.scope_policy())


def scope_or_all(request: Request, caller: Caller, asked: str | None) -> str | None:
    """
    Return the scope that is looked through; None are all, for a caller who is not bound and names none.

    Raises:
        RefusalError: The caller is bound to others; reason ``scope_not_allowed``.
    """
    return scope_for(request, caller, asked) if asked or caller.is_bound else None


def scopes_for(request: Request, caller: Caller, asked: str | None) -> tuple[str, ...] | None:
    """
    Return the scopes in which one record is looked for; None are all.

    Raises:
        RefusalError: The caller is bound to others; reason ``scope_not_allowed``.
    """
    return (scope_for(request, caller, asked),) if asked else caller.scopes


def turn_scope_for(
    request: Request, caller: Caller, asked: str | None, text: str, *, find: FindScope = resolved
) -> str | None:
    """
    Return the scope of a turn or a question; that of a bound caller is settled here, whatever the text says.

    Raises:
        RefusalError: The caller is bound to others; reason ``scope_not_allowed``.
    """
    policy = request.app.state.service.scope_policy()
    request.scope["sunrise.asked_scope"] = find(asked, text, policy).scope if caller.is_bound else asked
    return caller.scope_of_text(asked, text, policy, find=find)

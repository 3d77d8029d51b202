"""What is asked for a turn of the agent, and what is put before it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from sunrise.domain.auto_recall import AutoRecallPolicy
from sunrise.domain.auto_recall_receipt import AutoRecallReceipt
from sunrise.domain.context_budget import BudgetPolicy
from sunrise.domain.filters import check_scope
from sunrise.domain.priors import RankingPolicy
from sunrise.domain.recall import RecallItem
from sunrise.domain.scope_policy import ScopePolicy
from sunrise.domain.turns import OwnerText, owner_text
from sunrise.domain.working_set_synthesis import WorkingSetPolicy
from sunrise.errors import DataError

NO_SESSION: Final = "default"
"""Where a caller names no session all its turns are one."""

MAX_KEY: Final = 200


def check_keys(**keys: str | None) -> None:
    """
    Check the names that a caller gives to sessions and turns; None is none.

    Raises:
        DataError: One is empty, too long, or holds control characters; reason ``bad_session``.
    """
    for name, key in keys.items():
        if key is not None and not (key.strip() and len(key) <= MAX_KEY and key.isprintable()):
            msg = f"the name of a {name} has 1 to {MAX_KEY} printed characters"
            raise DataError(msg, reason="bad_session")


@dataclass(frozen=True, slots=True)
class AutoRecallRequest:
    """
    A turn that begins: what the agent was told, and where.

    ``scope`` is what the caller knows for certain; a tag in the prompt counts only without it. ``turn_key``
    names the turn, so that asking twice is one turn. With ``read_only`` the turn leaves nothing behind.

    Raises:
        DataError: A key is empty or too long, reason ``bad_session``, or the scope holds control characters,
            reason ``bad_scope``.
    """

    prompt: str
    session_key: str = NO_SESSION
    scope: str | None = None
    turn_key: str | None = None
    read_only: bool = False

    def __post_init__(self) -> None:
        check_scope(self.scope)
        check_keys(session=self.session_key, turn=self.turn_key)

    @property
    def spoken(self) -> OwnerText:
        """What a person or a job asked, and who: the prompt without what a gateway put around it."""
        found = owner_text(self.prompt)
        return found if found.text else replace(found, text=self.prompt)


@dataclass(frozen=True, slots=True)
class AutoRecallResult:
    """
    What is put before the agent: one block of text, empty where there is nothing to say.

    ``items`` are the memories of the turn, best first, without the working set.
    """

    text: str
    items: tuple[RecallItem, ...]
    receipt: AutoRecallReceipt


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPolicy:
    """The knobs of all that is done at a turn."""

    recall: AutoRecallPolicy = field(default_factory=AutoRecallPolicy)
    ranking: RankingPolicy = field(default_factory=RankingPolicy)
    scope: ScopePolicy = field(default_factory=ScopePolicy)
    working_set: WorkingSetPolicy = field(default_factory=WorkingSetPolicy)
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)

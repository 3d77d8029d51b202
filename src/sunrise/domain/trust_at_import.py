"""How far a memory out of a file is trusted: what the file says can lower it, never raise it by itself."""

from __future__ import annotations

from sunrise.domain.trust import QUARANTINED, TRUSTED, UNTRUSTED


def imported_tier(claimed: str | None, *, vouched: bool, looks_like_order: bool) -> str | None:
    """
    Return the tier with which a row of a file enters.

    ``vouched`` says that the operator stands for what the file claims. Without that a claim of trust is
    turned round, and a row that claims nothing stays unknown. What looks like an order to the model goes to
    quarantine either way.

    >>> imported_tier("trusted", vouched=False, looks_like_order=False)
    'untrusted'
    >>> imported_tier("trusted", vouched=True, looks_like_order=False)
    'trusted'
    """
    if looks_like_order:
        return QUARANTINED
    return UNTRUSTED if claimed == TRUSTED and not vouched else claimed

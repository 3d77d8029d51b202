"""How far a memory out of a file is trusted: what the file says can lower it, never raise it by itself."""

from __future__ import annotations

from sunrise.domain.trust import QUARANTINED, TRUSTED, UNTRUSTED


def imported_tier(
    claimed: str | None, *, vouched: bool, looks_like_order: bool, by_speaker: str | None = TRUSTED
) -> str | None:
    """
    Return the tier with which a row of a file enters.

    ``vouched`` says that the operator stands for what the file claims. Without that a claim of trust is
    turned round, and a row that claims nothing stays unknown. What looks like an order to the model goes to
    quarantine either way. ``by_speaker`` is the most that the marks of other speakers in the text leave it:
    the operator vouches for the file, not for whom its texts quote.

    >>> imported_tier("trusted", vouched=False, looks_like_order=False)
    'untrusted'
    >>> imported_tier("trusted", vouched=True, looks_like_order=False)
    'trusted'
    """
    if looks_like_order:
        return QUARANTINED
    if claimed != TRUSTED:
        return claimed
    return by_speaker if vouched else UNTRUSTED

"""What the commands of trust do: list how far records are trusted, set it, release from quarantine."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NoReturn

import typer

from sunrise import rooms
from sunrise.cli.exit_codes import code_for
from sunrise.cli.moments import when
from sunrise.cli.output import say
from sunrise.cli.tables import table, terminal_width
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.secrets import redact
from sunrise.domain.text.cleaning import clip
from sunrise.domain.trust import QUARANTINED, TIERS, TRUSTED, UNKNOWN_NAME, UNTRUSTED, TrustStanding
from sunrise.settings import load_settings

TIER_NAMES = (TRUSTED, UNTRUSTED, QUARANTINED, UNKNOWN_NAME)
ALL = "all"
SHOWN_CHARS = 72

_LOOKED_AT_CHARS = 2000
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def list_trust(home: str | None, *, tier: str, limit: int, as_json: bool) -> None:
    """Print the records of one tier, or of all, newest first, with the beginning of their texts."""
    from sunrise.bootstrap import open_home

    wanted = TIERS if tier == ALL else (_tier(tier),)
    settings = load_settings(home)
    with open_home(settings) as place:
        found: list[TrustStanding] = rooms.load("tasks.trust:standings")(place, tiers=wanted, limit=limit)
    rows = [_cells(one, zone=settings.timezone) for one in found]
    header = ["ref", "tier", "reason", "origin", "when", "text"]
    text = (
        table(rows, header=header, within=terminal_width())
        if rows
        else f"nothing is {tier}"
        if tier != ALL
        else "there are no records"
    )
    records = [{**asdict(one), "text": beginning(one.text)} for one in found]
    say({"records": records}, text, as_json=as_json)


def set_trust(home: str | None, refs: Sequence[str], tier: str, *, reason: str, as_json: bool) -> NoReturn:
    """Set the tier of records, and of the memories and observations that belong to them."""
    wanted = _tier(tier)
    if not reason.strip():
        raise typer.BadParameter("say why with --reason: it stands in the audit trail")
    _decide(home, refs, as_json=as_json, tier=wanted, reason=reason)


def release_trust(home: str | None, refs: Sequence[str], *, as_json: bool) -> NoReturn:
    """Take records out of quarantine; each gets what its origin gives, never more."""
    _decide(home, refs, as_json=as_json, release=True)


def recheck_trust(home: str | None, *, dry_run: bool, as_json: bool) -> NoReturn:
    """Trust less the records in the owner's name in whose texts another speaks, or show which they are."""
    settings = load_settings(home)
    receipt: RunReceipt = rooms.load("tasks.trust_recheck:recheck_trust")(str(settings.home), dry_run=dry_run)
    say({"receipt": receipt.to_dict()}, _told(receipt), as_json=as_json)
    raise SystemExit(code_for(receipt.status))


def beginning(text: str) -> str:
    r"""
    Return the beginning of a text as a terminal may show it: no secret, nothing hidden, no control.

    >>> beginning("run\nthis\x1b[2J \u202enow")
    'run\\nthis\\x1b[2J \\u202enow'
    """
    shown = terminal_text(redact(clip(text, _LOOKED_AT_CHARS)).text)
    return shown if len(shown) <= SHOWN_CHARS else clip(shown, SHOWN_CHARS - 1) + "…"


def terminal_text(text: str) -> str:
    r"""
    Return a text with everything that moves, hides or reorders others written out as an escape.

    >>> terminal_text("a\u200bb\U000e0041")
    'a\\u200bb\\U000e0041'
    """
    return "".join(_escaped(character) if _is_unseen(character) else character for character in text)


def _decide(home: str | None, refs: Sequence[str], *, as_json: bool, **decided: Any) -> NoReturn:
    from sunrise.bootstrap import open_home

    settings = load_settings(home)
    wanted = tuple(dict.fromkeys(refs))
    with open_home(settings) as place:
        absent = rooms.load("tasks.trust:unknown_refs")(place, wanted)
    if absent:
        named = ", ".join(terminal_text(ref) for ref in absent[:5])
        raise typer.BadParameter(f"no single record has this ref: {named}")
    decision = rooms.load("tasks.trust:TrustDecision")(wanted, **decided)
    receipt: RunReceipt = rooms.load("tasks.trust:change_trust")(str(settings.home), decision)
    say({"receipt": receipt.to_dict()}, _told(receipt), as_json=as_json)
    raise SystemExit(code_for(receipt.status))


def _told(receipt: RunReceipt) -> str:
    if receipt.status not in (RunStatus.OK, RunStatus.ANOMALY):
        return f"{receipt.status}: {receipt.reason or 'nothing was changed'}"
    changed, unchanged = receipt.counts.get("changed", 0), receipt.counts.get("unchanged", 0)
    if not changed:
        return "nothing to change: it is so already"
    word = "would change" if receipt.dry_run else "changed"
    lines = [f"{word}  {terminal_text(ref)}" for ref in receipt.refs.get("changed", ())]
    tiers = ", ".join(f"{rows} to {tier}" for tier, rows in sorted(receipt.groups["changed_to"].items()))
    kept = f"; {unchanged} were so already" if unchanged else ""
    return "\n".join([*lines, f"{tiers}{kept}", f"run      {receipt.run_id}"])


def _tier(name: str) -> str | None:
    if name not in TIER_NAMES:
        raise typer.BadParameter(f"no such tier: {name!r}; there are {', '.join(TIER_NAMES)}")
    return None if name == UNKNOWN_NAME else name


def _cells(one: TrustStanding, *, zone: str) -> list[str]:
    plain = (one.ref, one.tier or UNKNOWN_NAME, one.reason or "-", one.origin or "-")
    return [*map(terminal_text, plain), when(one.at_ms, zone), beginning(one.text)]


def _is_unseen(character: str) -> bool:
    # Variation selectors are marks by their category, and as good a place to hide in as any.
    return unicodedata.category(character) in _INVISIBLE or (
        "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")

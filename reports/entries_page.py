"""The page of what entered: what came to the ledger's door day by day, what became of it, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

from reports.engine import render
from reports.formats import number, plural, stamp
from reports.quarantine_page import why as why_refused
from reports.verdicts import Tone
from sunrise.domain.forget import Forgotten
from sunrise.domain.records import EntryCount

__all__ = ["first_day", "held_back", "render_entries_page", "why"]

_DAYS = 30
"""The page looks back on so many days, its last one among them."""

_ORIGINS = 6
_FILES = 3
"""A line names every origin of rows; of files, which may be many more, the first and the sum of the rest."""

# The rules themselves would take longer to load than a run that finds nothing new.
_COLLAPSED: Mapping[str, str] = {
    "near_duplicate": "it says again, or nearly, what a kept row says",
    "recall_loop": "it was recalled from memory and came back as news",
    "boot_file": "it restates what the agent reads at every start",
    "heartbeat": "it is the prompt of a heartbeat, or tells that it found nothing",
    "cron_chatter": "it is the prompt of a scheduled job, or tells that nothing came of it",
    "acknowledgement": "it only acknowledges",
    "only_redacted": "it held nothing but a secret, and that was taken out",
    "unsupported_profile": "it asserts who the user is, and no row of the owner says so",
    "system_dump": "it lists the agent's own set-up, or the gateway's data about a message",
    "transient_state": "it tells the step of a moment and no result",
    "held_back": "the agent alone says it, and it brings too little to stand by itself",
}
_HIDDEN: Mapping[str, str] = {
    "instruction_override": "it orders the model to drop its instructions or its limits",
    "prompt_extraction": "it orders the model to give away its instructions or secrets",
    "role_marker": "it holds the marks that tell a model who speaks",
    "tool_call_syntax": "it is written as a call of a tool",
    "hidden_text": "it holds text that a person does not see",
    "homoglyphs": "an order stands in letters that only look like others",
    "memory_directive": "it plants an order for later into the memory",
    "claims_authority": "it claims to speak for the owner or the system",
    "encoded_payload": "an order stands in it encoded",
    "oversized": "it is longer than any memory, or has a very long run without a break",
}
_SECRETS: Mapping[str, str] = {
    "password": "change it wherever it is used",
    "authorization": "end the session or revoke the token that it carried",
    "jwt": "end the session that it belongs to",
    "webhook": "whoever knows it can post: make a new one",
    "number": "a number of a card: nothing to change where it was only quoted",
    "ssn": "a number of a person: nothing to change",
}
"""By the last part of a kind. Any other one is a key or a token."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    name: str
    title: str
    said: str
    note: str
    commands: tuple[tuple[str, str], ...]
    silence: str
    why: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Day:
    name: str
    rows: Mapping[str, int]
    total: int
    height: float


@dataclass(frozen=True, slots=True)
class _Line:
    reason: str
    words: str
    sources: tuple[tuple[str, int], ...]
    last: str
    rows: int


@dataclass(frozen=True, slots=True)
class _Part:
    outcome: _Outcome
    lines: tuple[_Line, ...]


def render_entries_page(
    entries: Sequence[EntryCount],
    *,
    today: str,
    generated_ms: int,
    zone: str,
    forgotten: Sequence[Forgotten] = (),
) -> str:
    """
    Return the HTML of the site's ``entries.html``: the thirty days up to *today* (``2026-11-28``).

    Counts of other days are left out, and a day without counts is a day on which nothing came. What was
    *forgotten* last is listed below: an agent may forget too, and its owner should see it.

    Raises:
        ConfigurationError: The zone is not in the time zone database.
    """
    last = date.fromisoformat(today)
    first = first_day(today)
    shown = [one for one in entries if first <= one.day <= today]
    on_last_day = [one for one in shown if one.day == today]
    days = _days(shown, last)
    return render(
        "entries.html.j2",
        tone=_tone(on_last_day, shown),
        sentences=(
            _told(f"On {_name(last)}", on_last_day),
            _told(f"From {days[0].name} to {days[-1].name}", shown),
        ),
        days=days,
        most=max(day.total for day in days),
        legend=[(one, _sum(shown, one.name)) for one in _APART],
        outcomes=[_Part(one, _lines(shown, one)) for one in _OUTCOMES],
        forgotten=forgotten,
        when=partial(stamp, zone=zone),
        generated_ms=generated_ms,
        zone=zone,
    )


def first_day(today: str) -> str:
    """
    Return the first day that the page of a day shows.

    >>> first_day("2026-11-28")
    '2026-10-30'
    """
    return (date.fromisoformat(today) - timedelta(days=_DAYS - 1)).isoformat()


def held_back(entries: Sequence[EntryCount], *, day: str) -> int:
    """
    Return how many rows of a day were collapsed or entered hidden.

    >>> held_back([EntryCount("2026-11-28", "collapsed", "heartbeat", "agent", 7)], day="2026-11-28")
    7
    """
    of_day = [one for one in entries if one.day == day]
    return _sum(of_day, "collapsed", "quarantined")


def why(outcome: str, reason: str) -> str:
    """
    Return in words why a row had an outcome or, of a secret that was taken out of it, what to do.

    >>> why("collapsed", "acknowledgement"), why("redacted", "github-token")
    ('it only acknowledges', 'revoke it where it was issued and make a new one')
    """
    return next(one.why(reason) for one in _OUTCOMES if one.name == outcome)


def _days(entries: Sequence[EntryCount], last: date) -> list[_Day]:
    counted: Counter[tuple[str, str]] = Counter()
    for one in entries:
        counted[one.day, one.outcome] += one.rows
    dates = [last - timedelta(days=back) for back in reversed(range(_DAYS))]
    rows = [{one.name: counted[day.isoformat(), one.name] for one in _APART} for day in dates]
    most = max(sum(of_day.values()) for of_day in rows) or 1
    return [
        _Day(_name(day), of_day, sum(of_day.values()), 100 * sum(of_day.values()) / most)
        for day, of_day in zip(dates, rows, strict=True)
    ]


def _lines(entries: Sequence[EntryCount], outcome: _Outcome) -> tuple[_Line, ...]:
    sources: dict[str, Counter[str]] = {}
    last: dict[str, str] = {}
    for one in entries:
        if one.outcome == outcome.name:
            sources.setdefault(one.reason, Counter())[one.source] += one.rows
            last[one.reason] = max(one.day, last.get(one.reason, ""))
    lines = (
        _Line(
            reason=reason,
            words=outcome.why(reason),
            sources=_most(counted),
            last=_name(date.fromisoformat(last[reason])),
            rows=counted.total(),
        )
        for reason, counted in sources.items()
    )
    return tuple(sorted(lines, key=lambda line: (-line.rows, line.reason)))


def _most(sources: Counter[str]) -> tuple[tuple[str, int], ...]:
    ordered = sorted(sources.items(), key=lambda item: (-item[1], item[0]))
    if len(ordered) <= _ORIGINS:
        return tuple(ordered)
    rest = ordered[_FILES:]
    return (*ordered[:_FILES], (f"{len(rest)} others", sum(rows for _, rows in rest)))


def _told(time: str, entries: Sequence[EntryCount]) -> str:
    parts = [f"{number(rows)} {one.said}" for one in _APART if (rows := _sum(entries, one.name))]
    if not parts:
        return f"{time} nothing came."
    came = plural(_sum(entries, *(one.name for one in _APART)), "row")
    secrets = _sum(entries, "redacted")
    taken = f" Secrets were taken out {plural(secrets, 'time')}." if secrets else ""
    return f"{time} {came} came: {', '.join(parts)}.{taken}"


def _tone(on_last_day: Sequence[EntryCount], entries: Sequence[EntryCount]) -> Tone:
    if _sum(on_last_day, "quarantined", "refused"):
        return Tone.LOOK
    return Tone.GOOD if entries else Tone.QUIET


def _sum(entries: Sequence[EntryCount], *outcomes: str) -> int:
    return sum(one.rows for one in entries if one.outcome in outcomes)


def _name(day: date) -> str:
    return f"{day.day} {day:%b}"


def _why_admitted(reason: str) -> str:
    return "it says what no kept row says" if reason == "new" else _UNNAMED


def _why_collapsed(reason: str) -> str:
    return _COLLAPSED.get(reason, _UNNAMED)


def _why_hidden(reason: str) -> str:
    return _HIDDEN.get(reason, _UNNAMED)


def _what_to_change(kind: str) -> str:
    return _SECRETS.get(kind.rpartition("-")[2], "revoke it where it was issued and make a new one")


_UNNAMED = "for a reason that this page has no words for"

_APART = (
    _Outcome(
        name="admitted",
        title="Admitted",
        said="admitted",
        note="They are kept, and can be recalled.",
        commands=(),
        silence="Nothing was admitted.",
        why=_why_admitted,
    ),
    _Outcome(
        name="collapsed",
        title="Collapsed",
        said="collapsed",
        note="They are counted on a row that is kept, or lie in the archive; nothing of them is lost.",
        commands=(("sunrise admission rules", "lists the rules; the setting admission.off ends one"),),
        silence="Nothing was collapsed.",
        why=_why_collapsed,
    ),
    _Outcome(
        name="quarantined",
        title="Entered hidden",
        said="entered hidden",
        note="They look like orders to the model: no recall finds them until a person has read them.",
        commands=(
            ("sunrise trust list", "shows those that are hidden still"),
            ("sunrise trust release REF", "lets one be found"),
        ),
        silence="Nothing entered hidden.",
        why=_why_hidden,
    ),
    _Outcome(
        name="refused",
        title="Refused",
        said="refused",
        note="They could not be read, or do not keep their contract, and are still where they came from.",
        commands=(("sunrise quarantine list", "shows those that wait to be mended or dropped"),),
        silence="Nothing was refused.",
        why=why_refused,
    ),
)
"""Every row that came has one of these outcomes, and only one."""

_OUTCOMES = (
    *_APART,
    _Outcome(
        name="redacted",
        title="Secrets taken out",
        said="redacted",
        note="Their rows were admitted or collapsed without them; one with two kinds of secrets stands under"
        " both. What stood in a text was read by whoever wrote it: change what is real.",
        commands=(("sunrise sweep", "takes out what entered before it could be told"),),
        silence="No secret was found.",
        why=_what_to_change,
    ),
)

"""What the commands of admission do."""

from __future__ import annotations

from sunrise import rooms
from sunrise.bootstrap import open_home
from sunrise.cli.output import say
from sunrise.cli.tables import table, terminal_width
from sunrise.domain.admission.rules import RULES
from sunrise.settings import load_settings


def list_rules(home: str | None, *, as_json: bool) -> None:
    """Print the rules, whose rows they apply to, and which are switched off."""
    off = load_settings(home).admission.off
    rows = [
        [str(rule.name), "off" if rule.name in off else "on", ", ".join(sorted(rule.origins)), rule.meaning]
        for rule in RULES
    ]
    data = [dict(zip(("rule", "state", "origins", "meaning"), row, strict=True)) for row in rows]
    shown = [[rule, state, meaning] for rule, state, _, meaning in rows]
    text = table(shown, header=["rule", "state", "a row that"], within=terminal_width())
    say({"rules": data}, text, as_json=as_json)


def report(home: str | None, *, days: float | None, as_json: bool) -> None:
    """Print what the rules would make of the rows that the ledger holds; nothing is changed."""
    with open_home(load_settings(home)) as place:
        found = rooms.load("tasks.admission_report:report_admission")(place, days=days)
    names = sorted({name for name, _ in (*found.collapsed, *found.hidden)})
    rows = [
        [name, str(_of(found.collapsed, name)), str(_of(found.hidden, name)), " ".join(found.refs[name][:3])]
        for name in names
    ]
    data = {
        "rows": found.rows,
        "admitted": found.admitted,
        "rules": [
            {
                "rule": name,
                "collapsed": _of(found.collapsed, name),
                "archived": _of(found.hidden, name),
                "by_origin": {
                    origin: found.collapsed[name, origin] + found.hidden[name, origin]
                    for rule, origin in sorted({*found.collapsed, *found.hidden})
                    if rule == name
                },
                "refs": found.refs[name],
            }
            for name in names
        ],
    }
    summary = f"{found.rows} rows: {found.admitted} would be admitted; nothing was changed"
    text = f"{table(rows, header=['rule', 'collapsed', 'archived', 'such as'])}\n\n{summary}"
    say(data, text if rows else summary, as_json=as_json)


def _of(counts: dict[tuple[str, str], int], name: str) -> int:
    return sum(rows for (rule, _), rows in counts.items() if rule == name)

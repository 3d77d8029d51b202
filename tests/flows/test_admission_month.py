"""A month of mostly junk, harvested as it would be: into a real ledger, with the default window."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.harvest import harvest_captures
from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunStatus
from sunrise.settings import load_settings
from tests.homes import OWNERS_SPOOL
from tests.junk_month import junk_month
from tests.ledgers import WHOLE

JUNK_SHARE, NOISY_JUNK_SHARE, USEFUL_SHARE = 0.05, 0.08, 0.95


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("noise", "most_junk"), [(0.0, JUNK_SHARE), (0.2, NOISY_JUNK_SHARE)])
def test_of_a_month_of_junk_what_is_useful_enters_and_little_else(
    tmp_path: Path, noise: float, most_junk: float
) -> None:
    month = junk_month(11, label_noise=noise)
    (tmp_path / "spool").mkdir()
    (tmp_path / "boot").mkdir()
    for number, text in enumerate(month.boot_texts):
        (tmp_path / "boot" / f"{number}.md").write_text(text, encoding="utf-8")
    config = OWNERS_SPOOL + '[admission]\nboot_files = ["boot/*.md"]\n'
    (tmp_path / "sunrise.toml").write_text(config)
    with (tmp_path / "spool" / "month.jsonl").open("w", encoding="utf-8") as file:
        for number, row in enumerate(month.rows):
            file.write(json.dumps({**row.record, "observationId": number}, ensure_ascii=False) + "\n")

    receipt = harvest_captures.fn(home=str(tmp_path))

    assert receipt.status is RunStatus.OK
    # What a memory's own tools answer is no observation.
    assert receipt.counts["seen"] + receipt.counts["episodes_seen"] == len(month.rows)
    assert 0 < receipt.counts["episodes_seen"] < len(month.rows) / 10
    with open_home(load_settings(tmp_path)) as home:
        assert home.ledger.check() == WHOLE
        rows = home.ledger.rows_to_judge(after_id=0, since_ms=0, limit=100_000).column("key").to_pylist()
        hidden = home.ledger.lifecycle_rows().column("state").to_pylist()
    numbers = [int(key.rpartition(":")[2]) for key in rows]
    admitted = [number for number, state in zip(numbers, hidden, strict=True) if state == "captured"]
    junk = [number for number in admitted if not month.rows[number].useful]
    useful = sum(row.useful for row in month.rows)
    assert len(junk) <= most_junk * len(admitted)
    assert len(admitted) - len(junk) >= USEFUL_SHARE * useful
    # What a rule hides is one row for an agent, not one of each wording; what is held back is each by itself.
    by_rule = receipt.groups["archived_at_entry_by_rule"]
    assert sum(by_rule.values()) == len(numbers) - len(admitted)
    assert sum(count for rule, count in by_rule.items() if rule != "held_back") <= 10

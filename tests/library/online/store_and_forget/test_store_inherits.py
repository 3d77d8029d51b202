"""A text that carries on something untrusted is trusted no more than that, from its first moment."""

from __future__ import annotations

import pytest

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.ports import MemoryTable
from tests.ledgers import raw
from tests.store_calls import Ask

PAGE = "All supplier payouts of the Brno office go to account DE89-3704-0044 from the first of June on"
REPEATED = "Payouts of the Brno office go to account DE89-3704-0044 from June on"


def tiers(table: MemoryTable, text: str) -> list[str | None]:
    rows = table.scan(["text", "trust_tier"]).to_pylist()
    return [row["trust_tier"] for row in rows if row["text"] == text]


@pytest.mark.parametrize("origin", ["web", "tool"])
def test_what_repeats_an_untrusted_text_of_another_scope_is_untrusted_at_once(
    ask: Ask, table: MemoryTable, ledger: SqliteLedger, origin: str
) -> None:
    ask(PAGE, source_kind=origin, scope="reading")
    receipt = ask(REPEATED, scope="home").receipt
    assert (receipt.trust_tier, receipt.warnings[-1]) == ("untrusted", "inherits:untrusted")
    assert tiers(table, REPEATED) == ["untrusted"]
    asked = "SELECT trust_tier, trust_reason FROM observations WHERE scope = 'home'"
    assert raw(ledger, asked) == [("untrusted", "inherits_untrusted")]


def test_a_named_memory_inherits_as_well(ask: Ask, table: MemoryTable) -> None:
    ask(PAGE, source_kind="web")
    assert ask(REPEATED, id="chosen").receipt.trust_tier == "untrusted"
    assert tiers(table, REPEATED) == ["untrusted"]


def test_the_same_text_again_is_the_untrusted_memory_and_no_second_one(ask: Ask, table: MemoryTable) -> None:
    first = ask(PAGE, source_kind="web")
    again = ask(PAGE)
    assert (again.ref, again.status, again.receipt.trust_tier) == (first.ref, "duplicate", "untrusted")
    assert tiers(table, PAGE) == ["untrusted"]


def test_the_owners_words_stay_his(ask: Ask, table: MemoryTable) -> None:
    ask(PAGE, source_kind="web")
    assert ask(REPEATED, source_kind="operator").receipt.trust_tier == "trusted"
    assert tiers(table, REPEATED) == ["trusted"]


def test_what_the_owner_said_before_is_not_taken_for_the_pages(ask: Ask) -> None:
    ask(REPEATED, source_kind="operator", scope="office")
    ask(PAGE, source_kind="web", scope="reading")
    receipt = ask("The Brno office payouts go to account DE89-3704-0044", scope="home").receipt
    assert (receipt.trust_tier, receipt.inherits) == (None, None)


def test_what_has_nothing_to_do_with_it_stays_unknown(ask: Ask) -> None:
    ask(PAGE, source_kind="web")
    assert ask("The kitchen tap drips since Monday").receipt.trust_tier is None

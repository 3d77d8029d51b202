from __future__ import annotations

from sunrise.domain.admission.marked import MarkedStatements
from sunrise.domain.admission.meaning import Seen
from sunrise.domain.admission.rule_names import RuleName


def test_a_kept_statement_is_found_by_all_its_rare_marks() -> None:
    marked = MarkedStatements()
    one = Seen("order 10467 is late", "k1", row="order 10467 is late, see AF-300")
    marked.add(one)
    marked.add(Seen("order 10468 is late", None, RuleName.TRANSIENT_STATE))
    assert marked.holding(frozenset({"10467", "af-300", "tea"})) == (one,)
    assert marked.holding(frozenset({"10467", "af-301"})) == ()
    assert marked.holding(frozenset({"10468"})) == marked.holding(frozenset({"12"})) == ()

"""Which of the memories that were found are out of date: a newer one tells of a change in the same matter."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from typing import Final

from sunrise.domain.ranking import Memory, Ranked, in_order
from sunrise.domain.text.common_words import common_terms
from sunrise.domain.trust import least

_OUTDATED_SHARE: Final = 0.1
"""So much of its score a memory loses that a newer one replaces."""

_SAME_MATTER: Final = 0.5
"""So much of what an older memory is worth in telling words must stand in the newer one."""

_SAME_WORDS: Final = 0.25
"""So many of its words too, whatever they are worth: one rare word makes no matter."""

_COMMON_SHARE: Final = 0.3
_APART_MS: Final = 3_600_000
"""What is said within the hour is one telling, not news of it."""

_OLDER: Final = 10
_NEWER: Final = 30
"""So many of the first are looked at: what stands further down is not what was asked for."""

_ENGLISH: Final = r"""\b(?:
    now|nowadays|these\ days|no\ longer|any\ ?more|instead|from\ now\ on|as\ of|since(?!\ then\b)|formerly
    |previously|used\ to|moved|moves\ to|switch(?:ed|es)|chang(?:ed|es)|replac(?:ed|es)|t(?:ook|akes)\ over
    |gave\ up|stopped|abolished|retired|migrated|renamed|upgraded|downgraded|lowered|raised|increased|reduced
    |extended|shortened|(?:shut|switched|turned)\ (?:down|off)|cancel+ed|postponed|rescheduled|expired|became
    |has\ become|correct(?:ion|ed)|updated|turns\ out|not\ .{1,30}\ but
    |new\ (?:number|address|name|phone|price|limit|date|place|owner|lead|port|version|password|key)
    )\b"""

_CHINESE: Final = r"""
    改(?:[到在為为成用由從从叫讀读喝吃開开走坐住期名]|了)|[變变][成為为更]|不再|現在|现在|如今|目前|移[到至轉转]|搬[到家去]
    |[換换][成了到]|[遷迁]|取消|停[用止產产]|[廢废]除|取代|替[換换]|更[新正名]|[調调][整高降低升漲涨]|升[級级]|降[到為为至]|[漲涨][到價价]
    |[賣卖]掉|戒[了掉]|原本|以前|[從从自].{1,8}起|接[手任管]"""

_JAPANESE: Final = """
    移転|移行|変更|変わ|になった|になりました|もう|やめ|辞め|廃止|切り替|乗り換|今は|今では|現在は|代わり|引っ越|訂正|以前は
    |値上げ|値下げ|延期|中止|交代|引き継"""

_KOREAN: Final = r"""
    변경|바뀌|바꿨|바꾸었|이제|더\ 이상|대신|이전했|옮겼|교체|폐지|중단|취소|정정|예전|인상|인하|연기|그만
    |갈아탔|이사"""


def after_succession(order: Sequence[Ranked], *, worth: Callable[[str], float]) -> list[Ranked]:
    """
    Return memories best first, each one that a newer one replaces behind that one.

    A memory is replaced if a newer one of the same scope, told at least an hour later and trusted no less,
    says that something changed and holds at least half of what the older one's telling words are worth. One
    that tells of a change itself is not replaced by one that has all of its words: that only says more of it.
    The newer one answers what the older one did, so it gets its score. Nothing falls out: the older one may
    be what was asked for. *worth* is the idf of a term.
    """
    # One word stands in many memories of a matter.
    worth = lru_cache(maxsize=None)(worth)
    newer = [one for one in order[:_NEWER] if _tells_of_a_change(one.memory.text)]
    if not newer:
        return list(order)
    words = {one.memory.ref: frozenset((one.memory.words or "").split()) for one in (*newer, *order[:_OLDER])}
    lifted, outdated = dict[str, float](), dict[str, str]()
    for older in order[:_OLDER]:
        told = words[older.memory.ref]
        # What a term is worth costs most to tell, and few memories are of one matter.
        near = [
            one
            for one in newer
            if len(told & words[one.memory.ref]) >= _SAME_WORDS * len(told) > 0
            and _may_replace(one.memory, older.memory)
            and not (told <= words[one.memory.ref] and _tells_of_a_change(older.memory.text))
        ]
        weights = _weights(told, worth) if near else {}
        found = [one.memory for one in near if _is_of_the_matter(words[one.memory.ref], weights)]
        if found:
            last = max(found, key=lambda one: (one.created_at_ms or 0, one.ref)).ref
            outdated[older.memory.ref] = last
            lifted[last] = max(older.score, lifted.get(last, older.score))
    return in_order(_placed(one, lifted, outdated) for one in order) if outdated else list(order)


def _placed(one: Ranked, lifted: Mapping[str, float], outdated: Mapping[str, str]) -> Ranked:
    ref = one.memory.ref
    score = max(one.score, lifted.get(ref, one.score))
    if ref in outdated:
        score -= _OUTDATED_SHARE * abs(score)
    return replace(one, score=score, replaced_by=outdated.get(ref))


def _may_replace(new: Memory, old: Memory) -> bool:
    if new.created_at_ms is None or old.created_at_ms is None or new.scope != old.scope:
        return False
    if new.created_at_ms - old.created_at_ms < _APART_MS or new.label == "ignore":
        return False
    # Nobody who is trusted less puts what is trusted out of date.
    return least(new.trust_tier, old.trust_tier) == old.trust_tier


def _weights(told: Set[str], worth: Callable[[str], float]) -> dict[str, float]:
    common = common_terms()
    return {term: worth(term) * (_COMMON_SHARE if term in common else 1.0) for term in told}


def _is_of_the_matter(new: Set[str], told: Mapping[str, float]) -> bool:
    return (
        math.fsum(told[term] for term in told.keys() & new) >= _SAME_MATTER * math.fsum(told.values()) > 0.0
    )


def _tells_of_a_change(text: str) -> bool:
    english, every = _changes()
    # One language is looked for ten times as fast as four without regard to case.
    return (english if text.isascii() else every).search(text.lower()) is not None


@lru_cache(maxsize=1)
def _changes() -> tuple[re.Pattern[str], re.Pattern[str]]:
    # Not at import: who asks for nothing needs no patterns.
    every = f"{_ENGLISH}|{_CHINESE}|{_JAPANESE}|{_KOREAN}"
    return re.compile(_ENGLISH, re.VERBOSE), re.compile(every, re.VERBOSE)

"""
English words that stand in any text, and so tell little even where few memories hold them.

How rare a word is in eighty memories says little about how rare it is.
"""

from __future__ import annotations

from functools import lru_cache

from sunrise.domain.text.analysis import analyze

_WORDS = """
    able account add ago allow almost already always amount answer appear around ask away back bad
    become begin beginning believe best better big bit bring build buy call came care carry case
    cause certain chance change check choice choose clear close come common complete consider
    continue cost could count cover create current cut date day deal decide decision describe detail
    difference different difficult do done draw drive drop during early easy effect either else end
    enough enter even evening event ever every everything example except exist expect explain face
    fact fall far fast favorite favourite feel few fill final find fine finish first fit five fix
    follow force form found four free friday friend front full gave general get give go going gone
    good got great group grow guess half hand happen happened happening hard head hear heard help
    high hold hope hour house huge idea important include inside instead interest issue item join
    just keep kept key kind knew know known large last late later latest lead learn least leave left
    less let level life like likely line list little live lived lives local long look lose lost lot
    love low made main major make making man many mark matter maybe mean means meant meet mention
    middle might mind minute miss modern moment monday month more morning move much must name named
    near need never new news next nice night note nothing now number off offer often old once one
    only open opinion option order original outside own part past pay people perhaps person pick
    piece place plan play point possible prefer present probably problem provide public purpose put
    question quick quickly quite rather reach read ready real really reason recent recently
    recommend remember remind replace report require rest result return right run said same saturday
    saw say saying second see seem send sense sent serve set several she short show side similar
    simple since single sit situation six size slow small something soon sort sound speak special
    spend stand start state stay step still stop story strong suggest sunday sure system take taken
    talk team tell ten term thank thing think third though thought three through thursday time title
    today together told tomorrow tonight too took top total toward tried try trying tuesday turn two
    type under understand until upon use used useful user usual usually value various view visit
    wait walk want watch way wednesday week weekend well went whether while whole wide wish within
    without word work world worry worth write wrong year yes yesterday yet young
    """


@lru_cache(maxsize=1)
def common_terms() -> frozenset[str]:
    """
    Return the index terms of these words.

    >>> "year" in common_terms(), "glacier" in common_terms()
    (True, False)
    """
    # Not at import: the first word loads the stemmer.
    return frozenset(analyze(_WORDS))

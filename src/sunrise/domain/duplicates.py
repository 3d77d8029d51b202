"""When two memories say the same, so that an answer needs only one of them."""

from __future__ import annotations

from sunrise.domain.text.analysis import written_terms


def sameness(text: str, analysed: str | None = None) -> str:
    """
    Return what texts share that say the same: their terms in order, numbers and names of code as they are.

    *analysed* are its terms where they are known. Case, punctuation, spaces, endings of words and the script
    of Chinese make no difference; another number, another word, another accent or another order does: "port
    8080" is not superseded by "port 9090", both are told.

    >>> sameness("The cache lives in RAM.") == sameness("the CACHE  lives in RAM!")
    True
    >>> sameness("port 8080") == sameness("port 9090")
    False
    """
    # Signs alone have no terms, and are the same only as themselves.
    return written_terms(text, analysed or None) or text.strip()

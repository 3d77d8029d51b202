"""
Fold accents, so that a query typed without them finds a text written with them, and the other way round.

Letters that decompose lose their marks by Unicode's own tables. Those that do not (ß, ø, ł, ı) are replaced
by the pairs of the transform ``Latin-ASCII`` of the Unicode CLDR (https://cldr.unicode.org, Unicode License,
see ``NOTICE``), as far as they are letters of living alphabets.

Only the marks of Latin, Greek and Cyrillic letters go. Kana keep their voicing marks, hangul its parts, and
the scripts of India and the Arabic one their vowels: there a mark makes another word.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Each letter with what stands for it.
_PAIRS = """
    ÆAE ÐD ØO ÞTH ßss æae ðd øo þth ĐD đd ĦH ħh ıi ĸq ŁL łl ŊN ŋn ŒOE œoe ŦT ŧt ƀb ƁB ƂB ƃb ƇC ƈc ƉD
    ƊD ƋD ƌd ƐE ƑF ƒf ƗI ƘK ƙk ƚl ƝN ƞn ƤP ƥp ƫt ƬT ƭt ƮT ƲV ƳY ƴy ƵZ ƶz ǤG ǥg ȡd ȤZ ȥz ȷj ȺA ȻC ȼc
    ȽL ȾT ɃB ɄU ɆE ɇe ɈJ ɉj ɌR ɍr ɎY ɏy ɓb ɖd ɗd ɛe ɠg ɡg ɨi ɫl ʉu ʋv ẞSS ⱠL ⱡl
    """
_REPLACED = {ord(pair[0]): pair[1:] for pair in _PAIRS.split()}

# What is in none of these ranges has nothing to fold: most writing of the world is passed over at once.
_FOLDABLE = re.compile(r"[\u00c0-\u052f\u1ab0-\u1aff\u1d00-\u1fff\u2c60-\u2c7f\ufe20-\ufe2f]")
# й, ў, ї, ѓ and ќ are letters of their own and nobody leaves their marks out; ё and stressed vowels are
# folded.
_MARK = re.compile(
    r"(?<![ИиУу])\u0306|(?<![Іі])\u0308|(?<![ГгКк])\u0301"
    r"|[\u0300\u0302-\u0305\u0307\u0309-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\ufe20-\ufe2f]"
)


def unaccented(text: str) -> str:
    """
    Return *text* (in NFC or NFKC) with its Latin, Greek and Cyrillic letters without accents, case kept.

    >>> unaccented("Škoda Łódź IŞIK ışık Αθήνα"), unaccented("が 각 هٰذا й")
    ('Skoda Lodz ISIK isik Αθηνα', 'が 각 هٰذا й')
    """
    if text.isascii() or not _FOLDABLE.search(text):
        return text
    plain = _MARK.sub("", unicodedata.normalize("NFD", text.translate(_REPLACED)))
    return unicodedata.normalize("NFC", plain)


@lru_cache(maxsize=64)
def has_accents(text: str) -> bool:
    """
    Return whether folding makes another text of this one.

    >>> has_accents("naïve"), has_accents("naive"), has_accents("記憶")
    (True, False, False)
    """
    if text.isascii():
        return False
    known = unicodedata.normalize("NFKC", text)
    return unaccented(known) != known

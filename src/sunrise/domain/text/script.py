"""Tell which writing a text is in, by counting its letters."""

from __future__ import annotations

import re

MOSTLY_CJK = 0.70
PARTLY_CJK = 0.30

_HAN = (
    r"\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3100-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff"
)
_KANA = r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = r"\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7fb"
CJK_CLASS = _HAN + _KANA + _HANGUL
"""The inside of a regex character class: Han, kana, bopomofo and hangul."""

_CJK = re.compile(f"[{CJK_CLASS}]")
_KANA_LETTER = re.compile(f"[{_KANA}]")
_HANGUL_LETTER = re.compile(f"[{_HANGUL}]")
_LETTER = re.compile(r"[^\W\d_]")


def cjk_share(text: str) -> float:
    """
    Return the share of Chinese, Japanese and Korean characters among the letters, 0 where there are none.

    >>> cjk_share("回滾 api")
    0.4
    """
    if text.isascii():
        return 0.0
    letters = len(_LETTER.findall(text))
    return len(_CJK.findall(text)) / letters if letters else 0.0


def detect_lang(text: str) -> str:
    """
    Return ``zh``, ``ja``, ``ko``, ``mixed``, ``en``, or ``und`` for a text without letters.

    ``zh`` needs more than 70 % CJK letters and ``mixed`` more than 30 %. Kana among them makes it ``ja``, and
    more hangul than half makes it ``ko``. Every other script counts as ``en``, as openclaw-mem has it.

    >>> [detect_lang(text) for text in ("回滾收據", "回滾 api", "rollback", "42")]
    ['zh', 'mixed', 'en', 'und']
    """
    if not _LETTER.search(text):
        return "und"
    if text.isascii():
        return "en"
    cjk = len(_CJK.findall(text))
    share = cjk / len(_LETTER.findall(text))
    if share <= PARTLY_CJK:
        return "en"
    if len(_HANGUL_LETTER.findall(text)) * 2 > cjk:
        return "ko"
    if _KANA_LETTER.search(text):
        return "ja"
    return "zh" if share > MOSTLY_CJK else "mixed"

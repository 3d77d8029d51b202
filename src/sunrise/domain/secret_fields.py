"""Secrets in JSON values: in any text of them, and under a name that says what its value is."""

from __future__ import annotations

import re
from typing import Any

from sunrise.domain.secrets import redact

REDACTED_FIELD = "[redacted:field]"

_HIDING_NAME = (
    r"(?:password|passwd|passphrase|secret|(?:api|private|access|auth|signing|encryption|client)[_-]?key"
    r"|(?:access|refresh|auth|bot|api)[_-]?token)"
)
_SECRET_FIELD = re.compile(rf'{_HIDING_NAME}"\s*:\s*"[^"]')
_ENDS_AS_SECRET = re.compile(rf"{_HIDING_NAME}$")
_END_OF_NAME = re.compile(r'(?<!\\)":')
_ESCAPED_QUOTE = re.compile(r'\\+"')
_MARKS = re.compile(r"\[\*{2,}\]|\[redacted:[a-z0-9-]+\]")


def without_secrets(value: object) -> Any:
    """
    Return a JSON value with every text in it redacted, and whole the texts under a name such as ``password``.

    Tuples come back as lists, as JSON has them.

    >>> without_secrets({"password": "swordfish", "port": 22})
    {'password': '[redacted:field]', 'port': 22}
    """
    if isinstance(value, dict):
        return {
            redact(name).text: _without_named_secret(name, item)
            if isinstance(item, str)
            else without_secrets(item)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_secrets(item) for item in value]
    return redact(value).text if isinstance(value, str) else value


def may_hold_secrets(*texts: str, detail_text: str) -> bool:
    """Return whether texts, or the JSON beside them, hold a secret: one look at everything together."""
    # Rows with a secret are rare, and only they are taken apart. Without the colons of JSON it goes quicker;
    # values under a secret's name are looked for by themselves.
    if "\\" in detail_text:
        # A text in it may be JSON of its own, and looks in here as it never does by itself.
        names_end = _END_OF_NAME.sub('" ', detail_text)
        leaves = _ESCAPED_QUOTE.sub('"', names_end).replace("\\n", "\n")
    else:
        leaves = detail_text.replace('":', '" ')
    return bool(redact("\n".join((*texts, leaves))).kinds) or _names_a_secret(detail_text)


def with_like_marks(text: str) -> str:
    """
    Return a text in which every mark of a secret looks alike, however it was taken out.

    >>> with_like_marks("token [redacted:github-token]") == with_like_marks("token [*****]")
    True
    """
    return _MARKS.sub("[*]", text) if "[*" in text or "[redacted:" in text else text


def _names_a_secret(detail_text: str) -> bool:
    lowered = detail_text.lower()
    hinted = "passw" in lowered or "secret" in lowered or 'key"' in lowered or 'token"' in lowered
    return hinted and bool(_SECRET_FIELD.search(lowered) or redact(detail_text).kinds)


def _without_named_secret(name: str, text: str) -> str:
    redaction = redact(text)
    if redaction.kinds or not text or with_like_marks(text) == "[*]":
        return redaction.text
    hides = _ENDS_AS_SECRET.search(name.lower()) or redact(f'"{name}":"{text}"').kinds
    return REDACTED_FIELD if hides else text

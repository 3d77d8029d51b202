"""The one Jinja environment: strict, escaping, with the house's filters."""

from __future__ import annotations

import re
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reports.formats import duration, number, page_name, plural

__all__ = ["render"]


def render(template: str, /, **view: object) -> str:
    """Return the page of *template* filled with *view*; a name the view lacks is an error, not a gap."""
    return _environment().get_template(template).render(**view)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(duration=duration, number=number, page_name=page_name, plural=plural)
    return environment


# Controls and lone surrogates cannot be written as UTF-8 HTML; bidirectional overrides would let a ref
# reorder the words around it.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def _printable(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return _UNPRINTABLE.sub("\ufffd", value)
    return value

"""The project speaks of itself: no host of a package registry, no path of one machine."""

from __future__ import annotations

from tests.house.tree import name_of, text_files

# Put together from halves, so that this file does not hold them.
FORBIDDEN = [
    first + rest
    for first, rest in (
        ("pypi", ".org"),
        ("pypi.", "python.org"),
        ("pythonhosted", ".org"),
        ("registry.npm", "js.org"),
        ("proxy.golang", ".org"),
        ("--index", "-url"),
        ("--extra-index", "-url"),
        ("/wo", "rk/"),
        ("/ro", "ot/"),
        ("/tmp/bash", "_jobs"),
    )
]


def test_no_file_holds_a_forbidden_word():
    found = []
    for path in text_files():
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [(name_of(path), word) for word in FORBIDDEN if word in text]
    assert found == []

"""Restating boot files: what an agent reads at every start is no news, however it is worded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sunrise.domain.admission.boot_shapes import BOOT_HINTS, BOOT_SHAPES
from sunrise.domain.admission.content import Content, content_of
from sunrise.domain.admission.figures import figures_of
from sunrise.domain.admission.wording import claim_of, tells_event
from sunrise.domain.text.analysis import terms

CONTAINED_FROM = 0.65
"""The share of a row's words that stand together in a boot file for it to restate the file."""

MANY_WORDS = 4
"""A row of fewer words of content restates a boot file only when all of them stand together there."""

FEWEST_WORDS = 3
"""A row of fewer words says too little for a place in a boot file to be its source."""


class BootFiles:
    """
    The boot files of an agent, cut into windows of some sentences that overlap.

    Lives as long as one run. Without texts there is nothing to contain a row, and the agent has no name.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        names = sorted(
            {(match["name"] or match["other"]).lower() for text in texts for match in _NAMED.finditer(text)}
        )
        self._names = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b") if names else None
        self._duty = _DUTY.union(names)
        agent, user = _names_of(texts)
        self._people = (*((name, False) for name in agent), *((name, True) for name in user))
        self.sentences = tuple(
            dict.fromkeys(self.impersonal(one) for text in texts for one in _sentences(text))
        )
        """What the files say, sentence by sentence, without marks of Markdown."""
        self.figures = frozenset().union(*map(figures_of, texts))
        """Every number that stands in them."""
        self.hints = BOOT_HINTS.union(*(terms(name).split() for name in names))
        """One of these terms is in every row that :meth:`has_shape`."""
        self.lines = frozenset(line for text in texts for raw in text.splitlines() if (line := raw.strip()))
        """Their lines as they stand, without the space around them."""
        self._windows: list[frozenset[str]] = []
        self._holding: dict[str, list[int]] = {}
        for text in texts:
            for window in _windows(text):
                for word in window:
                    self._holding.setdefault(word, []).append(len(self._windows))
                self._windows.append(window)

    def restates(self, analysed: str) -> bool:
        """
        Return whether analysed text says what stands in one place of a boot file.

        Words that only name the agent, the file or a duty do not count; a number or an identifier that the
        place does not hold makes the text another one.

        >>> files = BootFiles(["Prefer trash over rm. Private things stay private."])
        >>> files.restates("the agent must prefer trash over rm"), files.restates("ask befor you pay bill")
        (True, False)
        """
        if not self._windows:
            return False
        content = content_of(analysed)
        words = {word for word in _telling(content) if word not in self._duty}
        known = [places for word in words if (places := self._holding.get(word))]
        need = len(words) if len(words) < MANY_WORDS else CONTAINED_FROM * len(words)
        if len(words) < FEWEST_WORDS or len(known) < need:
            return False
        votes = Counter(place for places in known for place in places)
        marks = {mark for mark in content.fixed if _counts(mark)}
        return any(count >= need and marks <= self._windows[index] for index, count in votes.most_common(4))

    def quotes(self, text: str) -> bool:
        r"""
        Return whether every line of a text stands in a boot file as it is.

        >>> BootFiles(["# Soul\n\nBe calm.\n"]).quotes("# Soul\n\nBe calm.")
        True
        """
        told = [line for raw in text.splitlines() if (line := raw.strip())]
        return bool(told) and all(line in self.lines for line in told)

    def impersonal(self, statement: str) -> str:
        r"""
        Return a statement with the agent and the user in place of their names.

        >>> files = BootFiles(["- Name: Pim\n- Creature: cat", "- Name: Ann Lee\n- Call her: Ann"])
        >>> files.impersonal("Pim asks Ann before it writes SOUL.md")
        'the agent asks the user before it writes SOUL.md'
        """
        han = _HAN.search(statement) is not None
        for name, is_user in self._people:
            if name in statement:
                whole = rf"\b{re.escape(name)}\b(?!\.md)" if name.isascii() else re.escape(name)
                word = ("使用者" if is_user else "助理") if han else ("the user" if is_user else "the agent")
                statement = re.sub(whole, word, statement)
        return statement

    def has_shape(self, text: str) -> bool:
        """
        Return whether a text reads as taken from a boot file: persona, duties, what to read first.

        >>> files = BootFiles(["You are Pim, a cat."])
        >>> [files.has_shape(text) for text in ("Pim must read SOUL.md first", "Pim updated SOUL.md")]
        [True, False]
        """
        claim = claim_of(text)
        if self._names:
            claim = self._names.sub("the agent", claim)
        return not tells_event(claim) and any(shape.search(claim) for shape in BOOT_SHAPES)


_NAMED = re.compile(
    r"(?m)^\W*You are (?P<name>[A-Z]\w+)[,.]"
    r"|^\W*Name\W{1,6}(?P<other>[A-Z]\w+)(?=[\s\S]{0,80}\b(?:Creature|Vibe|Emoji)\b)"
)
_IS_AGENT = re.compile(r"(?im)^\W*(?:creature|vibe|emoji|avatar)\W{1,6}\S")
_NAME_LINE = re.compile(
    r"(?im)^\W*(?:(?:full |first )?name|call (?:him|her|them|me)|what to call (?:him|her|them)|姓名|名字|名稱"
    r"|名称|稱呼|称呼)"
    r"\W{1,6}(?P<name>\w.*)$"
)
_HAN_NAME = re.compile(r"[\u3400-\u9fff]{2,4}")
_FULL_HAN = 3
_LATIN_NAME = re.compile(r"(?:^|\()([A-Z][\w-]+(?: [A-Z][\w-]+){0,3})")
_HAN = re.compile(r"[\u3400-\u9fff]")
_DUTY_WORDS = """
    agent user file rule must read follow new workspac name call md is
    """
_DUTY = frozenset(_DUTY_WORDS.split())

_SENTENCE = re.compile(r"(?<=[.!?。！？;])\s+|\n+")
_WINDOW_WORDS = 24
_MARKS = re.compile(r"[*`]|\[[ x]\]")
_SHORTEST = 6


def _names_of(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of the agent and of the user, the longest first, as the files give them."""
    agent: set[str] = set()
    user: set[str] = set()
    for text in texts:
        names = agent if _IS_AGENT.search(text) else user
        for line in _NAME_LINE.finditer(text):
            told = line["name"]
            for han in _HAN_NAME.findall(told):
                # In Chinese a family name of one character comes first, and is left out among friends.
                names.update((han, han[1:]) if len(han) == _FULL_HAN else (han,))
            for whole in _LATIN_NAME.finditer(told):
                parts = whole[1].split()
                given = [part for part in parts if "-" in part] or parts[:1]
                names.update((whole[1], given[0]))
    return sorted(agent, key=len, reverse=True), sorted(user - agent, key=len, reverse=True)


def _sentences(text: str) -> Iterator[str]:
    """Yield each line without marks, its sentences, and the line with the heading that it stands under."""
    heading = ""
    for raw in text.splitlines():
        line = _MARKS.sub("", raw).strip(" -#|>")
        if len(line) < _SHORTEST:
            continue
        yield line
        for sentence in _SENTENCE.split(line):
            if len(sentence) >= _SHORTEST:
                yield sentence
        if raw.startswith("#"):
            heading = line
        elif heading:
            yield f"{heading}: {line}"


def _telling(content: Content) -> tuple[str, ...]:
    return (*content.words, *(mark for mark in content.fixed if mark.endswith(".md") or _counts(mark)))


def _counts(mark: str) -> bool:
    return any(map(str.isdigit, mark))


def _windows(text: str) -> Iterator[frozenset[str]]:
    """Yield the words of each sentence and of so many after it that the whole is about a paragraph."""
    looked = [content_of(terms(sentence)) for sentence in _SENTENCE.split(text)]
    for start in range(len(looked)):
        window: set[str] = set()
        for content in looked[start:]:
            window.update(content.words, content.fixed)
            if len(window) >= _WINDOW_WORDS:
                break
        yield frozenset(window)

"""
Grade a whole frame by a scorer's table: what stands in the texts is looked up in columns.

Each row gets what :meth:`Scorer.grade` gives it. One search finds all words of the table at once. What they
leave open (a pattern, a negation, a task) is looked at only where one of its words stands, and in Python
where two engines of regular expressions could disagree. The adding up is the scorer's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import chain

import polars as pl

from sunrise.domain.scoring.evidence import SEAM, Evidence
from sunrise.domain.scoring.signals import TASK, Scorer, Signal
from sunrise.domain.scoring.task_markers import is_task, is_task_kind

GRADE_SCHEMA: dict[str, pl.DataType] = {
    "score": pl.Float64(),
    "label": pl.String(),
    "method": pl.String(),
    "version": pl.Int64(),
    "rationale": pl.String(),
    "reasons": pl.List(pl.String()),
}

LIKE_LETTERS = (
    r"[\u00aa\u00ba\u0130-\u0133\u0149\u017f\u01c4-\u01f3\u02b0-\u02e3\u1d2c-\u1dbf\u1e9a\u2071-\u218b"
    r"\u2460-\u24ff\u2c7c\u2e80-\u2fdf\u3099\u309a\u3130-\u33ff\ua69c-\ua770\ua7f1-\uab69"
    r"\uf900-\ufb06\uff21-\uffdc\U00010780-\U000107ba\U0001ccd6-\U0001ccf9\U0001d400-\U0001d7ff"
    r"\U0001f100-\U0001f2ff\U0002f800-\U0002fa1f]"
)
"""Characters that stand for others in a task's marker, because compatibility forms and case are ignored."""

_MARKER_WORDS = ("todo", "task", "reminder")
_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))
_SEPARATOR = "\x1f"
_MANY_WORDS = 8
"""Above as many, each word of a text is named once: repeats and orders would make every long text another."""

_NOT_PLAIN = r"[^\t-\r -~]"
"""What is not in ASCII, or a space to one engine only."""

_IN_RUST = {
    r"\b": r"(?-u:\b)",
    r"\d": "[0-9]",
    r"\w": "[0-9A-Za-z_]",
    r"\s": r"[\t-\r ]",
    r"\S": r"[^\t-\r ]",
    r"\Z": r"\z",
}


def score_frame(rows: pl.DataFrame, scorer: Scorer) -> pl.DataFrame:
    """
    Return id, score, label, method, version, rationale and reasons of rows, in their order.

    >>> from sunrise.domain.scoring.heuristic_v1 import HEURISTIC_V1
    >>> rows = pl.DataFrame({"id": [1], "kind": ["note"], "tool_name": [None], "summary": ["prefer tabs"]})
    >>> score_frame(rows, HEURISTIC_V1).select("score", "label").row(0)
    (0.7, 'nice_to_have')
    """
    table = _table(scorer)
    texts = _texts(rows)
    lowered = texts.str.to_lowercase()
    task = _tasks(rows["kind"], texts, lowered, scorer.spoken)
    looks = pl.DataFrame([_words_in(lowered, table.vocabulary).alias("words"), task.alias("task")])
    states = table.states(looks.unique())
    looks = looks.join(states, on=["words", "task"], how="left", maintain_order="left", nulls_equal=True)
    looks = looks.select("state", _shown(table, texts, lowered, looks))
    given = table.answers(looks.unique(), states)
    answers = looks.join(given, on=["state", "shown"], how="left", maintain_order="left")
    return rows.select("id").hstack(answers.select(*GRADE_SCHEMA))


def rust_pattern(pattern: re.Pattern[str]) -> str:
    r"""
    Return a pattern as the engine of the frames reads it, to the same effect on plain ASCII.

    Compiled with ``re.ASCII`` it has the same effect on any text.

    >>> rust_pattern(re.compile(r"\bby\s\d"))
    '(?-u:\\b)by[\\t-\\r ][0-9]'
    """
    return re.sub(r"\\.", lambda escape: _IN_RUST.get(escape[0], escape[0]), pattern.pattern)


class _Look(StrEnum):
    """What it takes to decide on an evidence: its pattern, what is negated, or a mark of a certain case."""

    PATTERN = "pattern"
    BLIND = "blind"
    MARK = "mark"


@dataclass(frozen=True)
class _Table:
    """A scorer's table, prepared for frames; a bit of ``shown`` stands for one of ``evidences``."""

    scorer: Scorer

    @cached_property
    def evidences(self) -> tuple[Evidence, ...]:
        every = (one for signal in self.scorer.signals for one in chain.from_iterable(signal.cases))
        return tuple({id(one): one for one in every}.values())

    @cached_property
    def bits(self) -> dict[int, int]:
        return {id(one): 1 << number for number, one in enumerate(self.evidences)}

    @cached_property
    def vocabulary(self) -> list[str]:
        return sorted({word for one in self.evidences for word in _words_of(one)})

    def states(self, distinct: pl.DataFrame) -> pl.DataFrame:
        """Number distinct findings, and say what evidence they leave open, and to which look."""
        open_bits = [self._open(_split(words), task=task) for words, task in distinct.iter_rows()]
        columns = dict.fromkeys(map(str, _Look), pl.UInt64())
        return distinct.with_row_index("state").hstack(pl.DataFrame(open_bits, schema=columns, orient="row"))

    def answers(self, distinct: pl.DataFrame, states: pl.DataFrame) -> pl.DataFrame:
        """Return the grades of distinct pairs of a state and the open evidence that was shown."""
        found = states.select("words", "task").rows()
        grades = [
            self._grade(_split(found[state][0]), task=found[state][1], shown=shown)
            for state, shown in distinct.iter_rows()
        ]
        return distinct.hstack(pl.DataFrame(grades, schema=GRADE_SCHEMA, orient="row"))

    def _open(self, words: frozenset[str], *, task: bool) -> list[int]:
        bits = dict.fromkeys(_Look, 0)
        for evidence in _undecided(self.scorer.signals, words, task=task):
            bits[_look_for(evidence, words)] |= self.bits[id(evidence)]
        return list(bits.values())

    def _grade(self, words: frozenset[str], *, task: bool, shown: int) -> tuple[object, ...]:
        def is_seen(signal: Signal) -> bool:
            return not signal.cases or any(
                all(shown & self.bits[id(one)] or _verdict(one, words) for one in case)
                for case in signal.cases
            )

        grade = self.scorer.add_up(is_seen, task=task)
        label, reasons = str(grade.label), list(grade.reasons)
        return grade.score, label, grade.method, grade.version, grade.rationale, reasons


@lru_cache(maxsize=8)
def _table(scorer: Scorer) -> _Table:
    return _Table(scorer)


def _texts(rows: pl.DataFrame) -> pl.Series:
    tool = pl.col("tool_name").cast(pl.String).fill_null("").str.strip_chars(_SPACES)
    summary = pl.col("summary").str.strip_chars(_SPACES)
    joined = pl.concat_str(tool, summary, separator=": ")
    return rows.select(
        pl.when(tool == "").then(summary).when(summary == "").then(tool).otherwise(joined)
    ).to_series()


def _tasks(kinds: pl.Series, texts: pl.Series, lowered: pl.Series, spoken: Evidence) -> pl.Series:
    of_kind = [kind for kind in kinds.unique() if is_task_kind(kind)]
    by_kind = kinds.is_in(of_kind)
    gate = lowered.str.contains_any([*_MARKER_WORDS, *_words_of(spoken)]) & ~by_kind
    foreign = ((texts.str.len_bytes() != texts.str.len_chars()) & ~gate & ~by_kind).arg_true()
    by_form = foreign.filter(texts.gather(foreign).str.contains(LIKE_LETTERS))
    rows = gate.arg_true().append(by_form)
    found = [is_task(text, spoken=spoken) for text in texts.gather(rows)]
    return by_kind.scatter(rows, pl.Series(found, dtype=pl.Boolean)) if found else by_kind


def _words_in(lowered: pl.Series, vocabulary: list[str]) -> pl.Series:
    """Return the words of the vocabulary that stand in each text, joined."""
    # An empty list of words has no type, and the separator is no word.
    found = lowered.str.extract_many(vocabulary or [_SEPARATOR], overlapping=True)
    joined = found.list.join(_SEPARATOR)
    many = (found.list.len() > _MANY_WORDS).arg_true()
    if many.is_empty():
        return joined
    return joined.scatter(many, found.gather(many).list.unique().list.sort().list.join(_SEPARATOR))


def _shown(table: _Table, texts: pl.Series, lowered: pl.Series, looks: pl.DataFrame) -> pl.Series:
    shown = pl.zeros(looks.height, pl.UInt64, eager=True).alias("shown")
    for evidence in table.evidences:
        bit = table.bits[id(evidence)]
        left_open = {look: ((looks[str(look)] & bit) != 0).arg_true() for look in _Look}
        by_pattern = _by_pattern(evidence, texts, lowered, left_open[_Look.PATTERN])
        by_blind = _by_blind(evidence, texts, lowered, left_open[_Look.BLIND])
        by_mark = _by_python(evidence, texts, left_open[_Look.MARK])
        for rows in (by_pattern, by_blind, by_mark):
            if rows.len():
                shown = shown.scatter(rows, shown.gather(rows) | bit)
    return shown


def _by_pattern(evidence: Evidence, texts: pl.Series, lowered: pl.Series, rows: pl.Series) -> pl.Series:
    if rows.is_empty() or evidence.pattern is None:
        return rows.clear()
    looked_at = lowered.gather(rows)
    seen = looked_at.str.contains(rust_pattern(evidence.pattern))
    if evidence.pattern.flags & re.ASCII:
        return rows.filter(seen)
    doubtful = looked_at.str.contains(_NOT_PLAIN)
    return rows.filter(seen & ~doubtful).append(_by_python(evidence, texts, rows.filter(doubtful)))


def _by_blind(evidence: Evidence, texts: pl.Series, lowered: pl.Series, rows: pl.Series) -> pl.Series:
    if rows.is_empty() or evidence.blind is None:
        return rows.clear()
    patterns = [one for one in (evidence.pattern, evidence.blind) if one is not None]
    if not all(one.flags & re.ASCII for one in patterns):
        return _by_python(evidence, texts, rows)
    rows = rows.filter(_stands(evidence, lowered.gather(rows)))
    looked_at = lowered.gather(rows)
    hinted = _hold_any(looked_at, evidence.blind_hints)
    doubtful = rows.filter(hinted)
    left = looked_at.filter(hinted).str.replace_all(rust_pattern(evidence.blind), SEAM)
    return rows.filter(~hinted).append(doubtful.filter(_stands(evidence, left)))


def _stands(evidence: Evidence, lowered: pl.Series) -> pl.Series:
    worded = _hold_any(lowered, evidence.words)
    if evidence.pattern is None:
        return worded
    matched = lowered.str.contains(rust_pattern(evidence.pattern))
    return worded | (matched & _hold_any(lowered, evidence.hints) if evidence.hints else matched)


def _hold_any(texts: pl.Series, words: Sequence[str]) -> pl.Series:
    if not words:
        return pl.repeat(value=False, n=texts.len(), dtype=pl.Boolean, eager=True)
    return texts.str.contains_any(list(words))


def _by_python(evidence: Evidence, texts: pl.Series, rows: pl.Series) -> pl.Series:
    if rows.is_empty():
        return rows
    return rows.filter(
        pl.Series([evidence.seen_in(text, text.lower()) for text in texts.gather(rows)], dtype=pl.Boolean)
    )


def _split(joined: str) -> frozenset[str]:
    return frozenset(joined.split(_SEPARATOR))


def _words_of(evidence: Evidence) -> tuple[str, ...]:
    return (*evidence.words, *(mark.lower() for mark in evidence.marks), *evidence.hints)


def _undecided(signals: tuple[Signal, ...], words: frozenset[str], *, task: bool) -> Iterator[Evidence]:
    """Yield the evidence on which it depends whether a signal is seen, given the *words* of a text."""
    for signal in signals:
        if (task and TASK in signal.unless) or (not task and signal.only_after == TASK):
            continue
        cases = [[(one, _verdict(one, words)) for one in case] for case in signal.cases]
        if any(all(verdict for _, verdict in case) for case in cases):
            continue
        for case in cases:
            if all(verdict is not False for _, verdict in case):
                yield from (one for one, verdict in case if verdict is None)


def _verdict(evidence: Evidence, words: frozenset[str]) -> bool | None:
    """Return whether *words* of the lowered text show the evidence, or None where they cannot say."""
    marks = _marks_in(evidence, words)
    if any(mark.lower() == mark.upper() for mark in marks):
        return True
    if not words.isdisjoint(evidence.words):
        return True if evidence.blind is None else None
    may_match = evidence.pattern is not None and (not evidence.hints or not words.isdisjoint(evidence.hints))
    return None if marks or may_match else False


def _look_for(evidence: Evidence, words: frozenset[str]) -> _Look:
    if _marks_in(evidence, words):
        return _Look.MARK
    return _Look.PATTERN if evidence.blind is None else _Look.BLIND


def _marks_in(evidence: Evidence, words: frozenset[str]) -> list[str]:
    return [mark for mark in evidence.marks if mark.lower() in words]

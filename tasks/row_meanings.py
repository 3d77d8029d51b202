"""The meanings of rows at the door, as vectors: of boot files, of examples, and of the rows before."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from sunrise.bootstrap import Home
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.echoes import said
from sunrise.domain.admission.examples import EXAMPLES, NEWS
from sunrise.domain.admission.judging import Verdict
from sunrise.domain.admission.marked import MarkedStatements
from sunrise.domain.admission.meaning import Likeness, Seen
from sunrise.domain.admission.rule_names import REPEATS, RuleName
from sunrise.domain.admission.rules import MADE
from sunrise.domain.admission.statements import MAX_STATEMENTS, clauses_of, statements_of, unframed
from sunrise.ports import Embedder

MAX_SEEN = 20_000
"""With so many statements of earlier rows a new one is compared, the newest: 40 MB of vectors."""

MAX_WAITING = 1_000
"""So many rows of others, the newest, wait to be compared with: they get a vector only when one asks."""

MAX_CHARS = 600
"""A longer row of the owner, of a tool or of the web is not compared with."""


_NEAREST = 8


def row_meanings(home: Home, boot_files: BootFiles) -> RowMeanings | None:
    """Return the meanings for a home, or None: no boot files, no embedder, or switched off."""
    if not home.settings.admission.by_meaning or not boot_files.sentences:
        return None
    embedder = home.embedder()
    return RowMeanings(embedder, boot_files) if embedder.dimension else None


class RowMeanings:
    """
    Implements ``Meanings`` of :mod:`sunrise.domain.admission.meaning`.

    Nothing is embedded, and no model loaded, before the first row asks. Lives as long as one run.
    """

    def __init__(self, embedder: Embedder, boot_files: BootFiles) -> None:
        self._embedder = embedder
        self._boot_files = boot_files
        self._fixed: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self._vectors: dict[str, np.ndarray] = {}
        self._waiting: deque[tuple[str, str]] = deque(maxlen=MAX_WAITING)
        self._asked: Candidate | None = None
        self._seen: list[Seen] = []
        self._matrix = np.zeros((256, embedder.dimension), dtype=np.float32)
        self._kept = np.zeros(256, dtype=bool)
        self._marked = MarkedStatements()

    def overhear(self, key: str, text: str) -> None:
        """Note a row that is kept, of whatever origin, as something to be compared with."""
        if len(text) <= MAX_CHARS:
            self._waiting.append((key, text))

    def remember(self, candidate: Candidate, verdict: Verdict) -> None:
        """Note what became of a row, so that the next ones are compared with it."""
        if candidate.source_kind not in MADE:
            if verdict.admitted:
                self.overhear(candidate.key, candidate.text)
        elif self._asked is candidate and verdict.rule not in REPEATS:
            # What a rule hid without asking is left out: it costs a vector, and the rule knows the next one.
            held = verdict.rule is RuleName.HELD_BACK
            key = candidate.key if verdict.admitted or (held and verdict.archived) else None
            told = [Seen(one, key, verdict.rule, candidate.text) for one in self._statements(candidate.text)]
            self._add(told)

    def likeness(self, candidate: Candidate) -> Sequence[Likeness]:
        """Return how like each statement of a row is to what is known."""
        self._asked = candidate
        statements = self._statements(candidate.text)
        if statements:
            self._take_waiting()
        return self._likeness_of(statements)

    def parts(self, statement: str) -> Sequence[Likeness]:
        """Return how like each clause of a statement is to what is known."""
        clauses = clauses_of(statement)
        return self._likeness_of(clauses) if 1 < len(clauses) <= MAX_STATEMENTS else ()

    def _likeness_of(self, statements: Sequence[str]) -> Sequence[Likeness]:
        if not statements:
            return ()
        vectors = self._embed(statements)
        boot, junk, news = (vectors @ known.T for known in self._known())
        seen = vectors @ self._matrix[: len(self._seen)].T
        return [
            self._likeness(one, boot[row], junk[row], news[row], self._nearest(seen[row], vectors[row], one))
            for row, one in enumerate(statements)
        ]

    def _likeness(
        self,
        statement: str,
        boot: np.ndarray,
        junk: np.ndarray,
        news: np.ndarray,
        nearest: Sequence[tuple[float, Seen]],
    ) -> Likeness:
        sentence, kind = int(boot.argmax()), int(junk.argmax())
        return Likeness(
            statement,
            boot=float(boot[sentence]),
            junk=float(junk[kind]),
            kind=EXAMPLES[kind][0],
            news=float(news.max()),
            repeat=nearest[0][0] if nearest else -1.0,
            seen=nearest[0][1] if nearest else None,
            boot_text=self._boot_files.sentences[sentence],
            others=tuple(one for one in nearest[1:] if one[1].key is not None),
        )

    def _statements(self, text: str) -> tuple[str, ...]:
        return tuple([unframed(self._boot_files.impersonal(one)) for one in statements_of(text)])

    def _known(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self._fixed is None:
            told = (self._boot_files.sentences, [text for _, text in EXAMPLES], NEWS)
            boot, junk, news = (self._embedder.embed(texts) for texts in told)
            self._fixed = (boot, junk, news)
        return self._fixed

    def _nearest(self, row: np.ndarray, vector: np.ndarray, statement: str) -> Sequence[tuple[float, Seen]]:
        """Return the nearest statement, the nearest that are kept, and kept ones that hold all marks."""
        if not len(row):
            return ()
        best = int(row.argmax())
        kept = np.where(self._kept[: len(row)], row, -1.0)
        places = np.argpartition(kept, -_NEAREST)[-_NEAREST:] if len(row) > _NEAREST else np.arange(len(row))
        places = places[np.argsort(-kept[places])]
        near = [(float(kept[place]), self._seen[place]) for place in places if self._kept[place]]
        marked = [
            (float(vector @ self._vectors[one.text]), one)
            for one in self._marked.holding(said(statement).marks)
            if one.text in self._vectors
        ]
        return [(float(row[best]), self._seen[best]), *near, *sorted(marked, key=itemgetter(0), reverse=True)]

    def _embed(self, statements: Sequence[str]) -> np.ndarray:
        if missing := [one for one in dict.fromkeys(statements) if one not in self._vectors]:
            if len(self._vectors) > MAX_SEEN:
                self._vectors.clear()
                missing = list(dict.fromkeys(statements))
            self._vectors.update(zip(missing, self._embedder.embed(missing), strict=True))
        return np.stack([self._vectors[one] for one in statements])

    def _take_waiting(self) -> None:
        told = [Seen(one, key, row=text) for key, text in self._waiting for one in self._statements(text)]
        self._waiting.clear()
        self._add(told)

    def _add(self, told: Sequence[Seen]) -> None:
        if not told:
            return
        vectors = self._embed([one.text for one in told])
        kept = np.array([one.key is not None for one in told])
        for one in told:
            self._marked.add(one)
        known = len(self._seen)
        if self._full(told):
            size = MAX_SEEN // 2 if known + len(told) > MAX_SEEN else known + len(told)
            matrix = np.concatenate([self._matrix[:known], vectors])[-size:]
            flags = np.concatenate([self._kept[:known], kept])[-size:]
            self._seen = [*self._seen, *told][-size:]
            self._matrix = np.concatenate([matrix, np.zeros_like(matrix)])
            self._kept = np.concatenate([flags, np.zeros_like(flags)])
            return
        self._matrix[known : known + len(told)] = vectors
        self._kept[known : known + len(told)] = kept
        self._seen.extend(told)

    def _full(self, told: Sequence[Seen]) -> bool:
        return len(self._seen) + len(told) > len(self._matrix)

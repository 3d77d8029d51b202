"""
What makes a cosine and a BM25 score comparable: the calibration of one column of vectors.

A cosine says little by itself: two texts of one language are near for their language alone, and what is far
for one model is near for another. So the mean of the language is taken off both vectors, and the cosine is
told in deviations of what two random memories have. A BM25 score is told as a share of what its query could
reach.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import struct
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from sunrise.domain.elsewhere import Elsewhere
from sunrise.errors import DataError

CALIBRATION_SCHEMA: Final = "sunrise.calibration.v1"

DENSE_WEIGHT: Final = 0.5
"""How much of a fused score is meaning. Names and numbers want less of it, another language more."""

_SETTLED_SHARE: Final = 0.5
_SETTLED_POWER: Final = 4
"""Three words of four take a sixth of the weight of meaning, all of them half."""

_DEVIATIONS: Final = 4.0
"""A cosine this many deviations above that of random pairs counts as much as a text with all the words."""

_LEAST_DEVIATION: Final = 0.01


@dataclass(frozen=True, slots=True)
class LanguageMeans:
    """The mean vector of texts in Chinese, Japanese and Korean, and that of all others."""

    cjk: tuple[float, ...]
    other: tuple[float, ...]

    def at(self, cjk_share: float) -> tuple[float, ...]:
        """Return the mean for a text of this share of CJK letters."""
        rest = 1.0 - cjk_share
        return tuple(cjk_share * one + rest * two for one, two in zip(self.cjk, self.other, strict=True))

    def joined(self, more: LanguageMeans) -> LanguageMeans:
        """
        Return the other means, and of these what the others leave: 1 less the square of their length.

        >>> LanguageMeans((1.0,), (2.0,)).joined(LanguageMeans((0.5,), (1.0,)))
        LanguageMeans(cjk=(1.25,), other=(1.0,))
        """
        return LanguageMeans(_joined(self.cjk, more.cjk), _joined(self.other, more.other))


@dataclass(frozen=True, slots=True)
class TermFrequencies:
    """
    In how many memories the frequent terms stand: short hashes of them in order, and a count for each.

    No term is kept as text. ``rest`` is the mean count of the terms that are left out.
    """

    documents: int
    rest: float
    keys: tuple[int, ...]
    counts: tuple[int, ...]

    def of(self, term: str) -> float:
        """
        Return in how many memories a term stands.

        >>> TermFrequencies(9, 1.5, (term_key("tea"),), (4,)).of("tea")
        4
        """
        key = term_key(term)
        at = bisect_left(self.keys, key)
        return self.counts[at] if at < len(self.keys) and self.keys[at] == key else self.rest

    def worth(self, term: str) -> float:
        """Return how much a term tells: its :func:`idf` in these memories."""
        return idf(self.of(term), self.documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """
    The figures of one column of vectors. ``rows`` is the table's size then, ``sampled`` how many were read.

    ``documents`` are the means of the memories, ``questions`` what the model adds to a text for being a
    question; None where there was no model to ask. So are ``elsewhere``, its vectors of other matters.
    ``analysed_as`` is the version of the analysis whose terms were counted.
    """

    model_id: str
    column: str
    created_ms: int
    rows: int
    sampled: int
    documents: LanguageMeans
    questions: LanguageMeans | None
    cosine_mean: float
    cosine_deviation: float
    terms: TermFrequencies
    elsewhere: Elsewhere | None = None
    analysed_as: str | None = None

    @property
    def id(self) -> str:
        """A short hash of the figures: the same for the same memories, whenever they were read."""
        said = {name: value for name, value in self._content().items() if name != "created_ms"}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def queries(self) -> LanguageMeans:
        """
        The means of queries: about what the memories are about, and asked as questions.

        What all texts of a model have in common stands in both means, and must not be taken off twice: where
        the questions are near to each other for that alone, the memories' mean adds little.
        """
        return self.documents if self.questions is None else self.documents.joined(self.questions)

    def centre(self, vector: Sequence[float], cjk_share: float) -> tuple[float, ...]:
        """Return a memory's vector without the mean of its language, of length 1."""
        return _unit(_difference(vector, self.documents.at(cjk_share)))

    def centre_query(self, vector: Sequence[float], cjk_share: float) -> tuple[float, ...]:
        """Return a query's vector without the mean of its language, of length 1."""
        return _unit(_difference(vector, self.queries.at(cjk_share)))

    def dense_score(self, cosine: float) -> float:
        """Return a cosine of centred vectors on the scale of :func:`lexical_score`: 0 is what chance has."""
        deviation = max(self.cosine_deviation, _LEAST_DEVIATION)
        return (cosine - self.cosine_mean) / (_DEVIATIONS * deviation)

    def idf_sum(self, terms: Iterable[str]) -> float:
        """Return what all terms of a query are worth together, those that stand nowhere too."""
        return math.fsum(idf(self.terms.of(term), self.terms.documents) for term in terms)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON knows them; vectors are base64 of little-endian float32."""
        return {"schema": CALIBRATION_SCHEMA, "id": self.id, **self._content()}

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Self:
        """
        Read what :meth:`to_dict` gave.

        Raises:
            DataError: It is of another form, or damaged; reason ``calibration_damaged``.
        """
        try:
            found = cls._read(said)
            is_whole = said["schema"] == CALIBRATION_SCHEMA and said["id"] == found.id
        except (KeyError, TypeError, ValueError, AttributeError, struct.error, binascii.Error) as error:
            raise DataError("the calibration cannot be read", reason="calibration_damaged") from error
        if not is_whole:
            raise DataError("the calibration is not as it was written", reason="calibration_damaged")
        return found

    @classmethod
    def _read(cls, said: Mapping[str, Any]) -> Self:
        terms, questions, elsewhere = said["terms"], said["questions"], said.get("elsewhere")
        return cls(
            model_id=str(said["model_id"]),
            column=str(said["column"]),
            created_ms=int(said["created_ms"]),
            rows=int(said["rows"]),
            sampled=int(said["sampled"]),
            documents=_means(said["documents"]),
            questions=None if questions is None else _means(questions),
            cosine_mean=float(said["cosine_mean"]),
            cosine_deviation=float(said["cosine_deviation"]),
            terms=TermFrequencies(
                int(terms["documents"]),
                float(terms["rest"]),
                _unpacked("I", terms["keys"]),
                _unpacked("I", terms["counts"]),
            ),
            elsewhere=None if elsewhere is None else Elsewhere.from_dict(elsewhere),
            analysed_as=said.get("analysed_as"),
        )

    def _content(self) -> dict[str, Any]:
        terms = self.terms
        return {
            "model_id": self.model_id,
            "column": self.column,
            "created_ms": self.created_ms,
            "rows": self.rows,
            "sampled": self.sampled,
            "documents": _said(self.documents),
            "questions": None if self.questions is None else _said(self.questions),
            "cosine_mean": self.cosine_mean,
            "cosine_deviation": self.cosine_deviation,
            "terms": {
                "documents": terms.documents,
                "rest": terms.rest,
                "keys": _packed("I", terms.keys),
                "counts": _packed("I", terms.counts),
            },
            # Notes that were written before it was measured stay readable.
            **({} if self.elsewhere is None else {"elsewhere": self.elsewhere.to_dict()}),
            **({} if self.analysed_as is None else {"analysed_as": self.analysed_as}),
        }


def note_of(column: str) -> str:
    """Return the name of the ledger's note that holds the calibration of a column."""
    return f"calibration.{column}"


def read_calibration(text: str | None, *, model_id: str, column: str) -> Calibration | None:
    """Return the calibration in a note; None where there is none, or it is damaged or of another model."""
    try:
        found = Calibration.from_dict(json.loads(text or "null"))
    except (DataError, ValueError):
        return None
    return found if (found.model_id, found.column) == (model_id, column) else None


def is_outgrown(known: Calibration, *, rows: int, growth: float) -> bool:
    """Return whether the table grew or shrank by the share *growth* since it was calibrated."""
    return abs(rows - known.rows) >= max(1.0, growth * known.rows)


def idf(df: float, documents: int) -> float:
    """
    Return how much a term tells that stands in *df* of so many documents: the idf of BM25 as Lance has it.

    >>> round(idf(1, 200), 4), round(idf(200, 200), 4)
    (4.8978, 0.0025)
    """
    df = min(df, documents)
    return math.log1p((documents - df + 0.5) / (df + 0.5))


def lexical_score(bm25: float, idf_sum: float) -> float:
    """
    Return a BM25 score as a share of what its query's terms are worth, at most 1.

    >>> lexical_score(3.0, 6.0), lexical_score(9.0, 6.0), lexical_score(0.0, 0.0)
    (0.5, 1.0, 0.0)
    """
    return min(1.0, bm25 / idf_sum) if idf_sum > 0.0 else 0.0


def fuse(dense: float, lexical: float, weight: float = DENSE_WEIGHT) -> float:
    """
    Return the one score of a memory that two legs scored; 0 stands for a leg that says nothing.

    >>> fuse(0.5, 1.0), fuse(0.5, 1.0, weight=0.0)
    (0.75, 1.0)
    """
    return weight * dense + (1.0 - weight) * lexical


def weight_beside(lexical: float, weight: float) -> float:
    """
    Return the weight of meaning beside a score by words: half of it where all words of the query stand.

    Of memories that all say what is asked word for word, how near each is tells little of which one is meant.

    >>> weight_beside(1.0, 0.5), weight_beside(0.0, 0.5)
    (0.25, 0.5)
    """
    return weight * (1.0 - _SETTLED_SHARE * lexical**_SETTLED_POWER)


def term_key(term: str) -> int:
    """Return 32 bits of a term's hash: of a million unknown terms eight are taken for a known one."""
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "little")


def _joined(one: Sequence[float], two: Sequence[float]) -> tuple[float, ...]:
    left = max(0.0, 1.0 - math.fsum(number * number for number in two))
    return tuple(left * a + b for a, b in zip(one, two, strict=True))


def _difference(one: Sequence[float], two: Sequence[float]) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(one, two, strict=True))


def _unit(vector: tuple[float, ...]) -> tuple[float, ...]:
    length = math.hypot(*vector)
    return tuple(number / length for number in vector) if length else vector


def _said(means: LanguageMeans) -> dict[str, str]:
    return {"cjk": _packed("f", means.cjk), "other": _packed("f", means.other)}


def _means(said: Mapping[str, str]) -> LanguageMeans:
    return LanguageMeans(_unpacked("f", said["cjk"]), _unpacked("f", said["other"]))


def _packed(kind: str, numbers: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(numbers)}{kind}", *numbers)).decode("ascii")


def _unpacked(kind: str, text: str) -> tuple[Any, ...]:
    raw = base64.b64decode(text, validate=True)
    return struct.unpack(f"<{len(raw) // 4}{kind}", raw)

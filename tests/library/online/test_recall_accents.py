"""A question without accents finds a text with them, and the other way round, by words alone."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pyarrow as pa
import pytest

from sunrise.adapters.embedders import NoEmbedder
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.recall import RecallRequest
from sunrise.domain.text.analysis import analyze, terms, written_terms
from sunrise.online.recall import recall
from sunrise.ports import MemoryTable
from tests.fakes import FrozenClock

SHARED = Path(__file__).parents[4] / "shared" / "data" / "field" / "05-queries" / "accents.jsonl"

TEXTS = {
    "fr": "La clé de la cave est derrière le piano",
    "de": "Frau Größl gießt die Geranien",
    "pl": "Łukasz trzyma wiertło w szopie w Łodzi",
    "da": "Søren henter øl på Ærø",
    "el": "Η Ελένη μένει στην Αθήνα",
    "ru": "Ёлка стоит у Фёдора в гараже",
    "vi": "Đặng Thị Hồng giữ chìa khóa cổng",
    "tr": "Ilgın'daki çilingirin dükkânı öğlen açılıyor",
    "es": "El niño guarda la piñata en el desván",
    "router": "The router is in the hall",
    "bus": "Bus 28 goes to the castle",
    "seeds": "Seeds are in the blue tin",
    "ja": "鍵はガレージの棚にある",
    "ja2": "蚊は川の近くにいる",
    "resume": "Résumés of the applicants are with Chloë",
}


def table_of(texts: dict[str, str], folder: Path) -> MemoryTable:
    made = LanceMemories.create(folder, dimension=0)
    made.add(
        pa.table({"id": list(texts), "text": list(texts.values()), "terms": list(map(terms, texts.values()))})
    )
    made.build_missing_indices()
    return made


def first(table: MemoryTable, query: str, *, scope: str = "global") -> str | None:
    request = RecallRequest(query, scope=scope)
    found = recall(request, memories=table, embedder=NoEmbedder(), clock=FrozenClock(77)).items
    return found[0].ref.removeprefix("mem:") if found else None


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> MemoryTable:
    return table_of(TEXTS, tmp_path_factory.mktemp("accents"))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("la cle de la cave", "fr"),
        (unicodedata.normalize("NFD", "derrière le piano"), "fr"),
        ("FRAU GRÖSSL", "de"),
        ("Grossl", "de"),
        ("lukasz lodzi", "pl"),
        ("soren ol aero", "da"),
        ("ΑΘΗΝΑ", "el"),
        ("Ελενη", "el"),
        ("елка у федора", "ru"),
        ("dang thi hong", "vi"),
        (unicodedata.normalize("NFD", "ĐẶNG THỊ HỒNG"), "vi"),
        ("ILGIN CILINGIR OGLEN", "tr"),
        ("ılgın", "tr"),
        ("nino pinata desvan", "es"),
        ("resume of chloe", "resume"),
    ],
)
def test_accents_make_no_difference(table: MemoryTable, query: str, found: str) -> None:
    assert first(table, query) == found


@pytest.mark.parametrize(
    ("memory", "queries"),
    [
        ("p1", ["Café Aurora abre às nove", "cafe aurora abre as nove", "CAFÉ AURORA"]),
        ("p2", ["Müller Brötchen", "muller brotchen", "MÜLLER BRÖTCHEN"]),
        ("p3", ["Škoda v garáži u Dvořáků", "skoda v garazi u dvoraku", "ŠKODA GARÁŽI"]),
        ("p4", ["Nguyễn Văn An chìa khóa", "nguyen van an chia khoa", "Nguyễn Văn An giữ"]),
        ("p5", ["İstanbul IŞIK dükkânı", "istanbul isik dukkani", "ISTANBUL IŞIK DÜKKÂNI"]),
    ],
)
def test_field_memories_are_found_with_and_without_accents(
    tmp_path: Path, memory: str, queries: list[str]
) -> None:
    if not SHARED.exists():
        pytest.skip(f"{SHARED} is not there")
    rows = [json.loads(line) for line in SHARED.read_text(encoding="utf-8").splitlines()]
    table = table_of({row["id"]: row["text"] for row in rows}, tmp_path)
    asked = [*queries, *(unicodedata.normalize("NFD", query) for query in queries)]
    assert [first(table, query) for query in asked] == [memory] * len(asked)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("が", "か"),
        ("パン", "ハン"),
        ("각", "가"),
        ("чай", "чаи"),
        ("їжак", "ижак"),
        ("कि", "क"),
        ("كِتَاب", "كتاب"),
    ],
)
def test_marks_that_make_another_word_stay(one: str, other: str) -> None:
    assert analyze(one) != analyze(other)
    assert analyze(unicodedata.normalize("NFD", one)) == analyze(one)


def test_a_word_with_an_accent_is_no_stop_word(table: MemoryTable, tmp_path: Path) -> None:
    shelves = table_of({"tea": "Le thé est sur l'étagère", "cup": "The cup of the day"}, tmp_path)
    assert first(shelves, "thé étagère") == "tea"


def test_the_written_terms_are_those_of_before() -> None:
    # Hashes in ledgers are made of them: they must be what the analysis gave before accents were folded.
    assert written_terms("Škoda stojí v garáži, parseRoute naïve-flag") == (
        "škoda stojí v garáži parserout pars rout naïve-flag naïve flag"
    )
    assert written_terms("ΣΟΦΌΣ 記憶 straße") == "σοφόσ 记 忆 记忆 strass"
    assert written_terms("plain words") == terms("plain words")

"""A table that another program made is searched by words before any flow has analysed it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.plugin_table import PluginMemory, write_plugin_table
from sunrise.adapters.unanalysed_rows import MOST_ROWS
from sunrise.domain.text.analysis import terms
from sunrise.errors import DataError

COLUMNS = ["id", "text", "scope"]


def plugin_table(folder: Path, texts: list[str]) -> LanceMemories:
    rows = [
        PluginMemory(f"m{at}", text, 0.5, "fact", at, "ops" if at % 2 else "home")
        for at, text in enumerate(texts)
    ]
    write_plugin_table(folder, rows, dimension=8)
    found = LanceMemories.find(folder)
    assert found is not None
    return found


def test_texts_are_ranked_by_words_and_filtered(tmp_path: Path) -> None:
    table = plugin_table(
        tmp_path, ["The NAS has disks", "Backups go to the NAS at night", "備份保留七天", "Tea"]
    )
    found = table.search_terms(terms("backups go"), columns=COLUMNS, where=None, limit=3)
    assert found.column("id").to_pylist() == ["m1"]
    assert found.column("terms").to_pylist() == [terms("Backups go to the NAS at night")]
    both = table.search_terms(terms("NAS"), columns=COLUMNS, where=None, limit=3)
    # Both say it once; the shorter text is the better one.
    assert both.column("id").to_pylist() == ["m0", "m1"]
    home = table.search_terms(terms("NAS"), columns=COLUMNS, where="scope = 'home'", limit=3)
    assert home.column("id").to_pylist() == ["m0"]
    chinese = table.search_terms(terms("备份保留几天"), columns=COLUMNS, where=None, limit=3)
    assert chinese.column("id").to_pylist() == ["m2"]
    assert len(table.search_terms(terms("giraffe"), columns=COLUMNS, where=None, limit=3)) == 0


def test_rows_of_another_process_are_found_at_once(tmp_path: Path) -> None:
    table = plugin_table(tmp_path, ["The NAS has disks"])
    asked = terms("backups night")
    assert len(table.search_terms(asked, columns=COLUMNS, where=None, limit=3)) == 0
    row = {"id": "m9", "text": "Backups run at night", "scope": "ops", "vector": [0.1] * 8}
    script = (
        "import json, sys, lancedb\n"
        "lancedb.connect(sys.argv[1]).open_table('memories').add([json.loads(sys.argv[2])])"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path), json.dumps(row)], check=True)
    found = table.search_terms(asked, columns=COLUMNS, where=None, limit=3)
    assert found.column("id").to_pylist() == ["m9"]


def test_a_large_table_waits_for_the_index_flow(tmp_path: Path) -> None:
    table = plugin_table(tmp_path, [f"text {at}" for at in range(MOST_ROWS + 1)])
    with pytest.raises(DataError) as caught:
        table.search_terms("text", columns=COLUMNS, where=None, limit=3)
    assert caught.value.reason == "no_terms_index"

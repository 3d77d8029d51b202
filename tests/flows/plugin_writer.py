"""
Another writer of the memories, in a process of its own: it does what OpenClaw's plugin does, and notes it.

An agent writes by fits and starts, and so does it: some turns without a pause, then none for a while. Each
turn adds a memory; some also give another one a new category, or delete one that was added before. What
is noted was done: the note is written when the store has said so. It ends when the file ``stop`` is there.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any

DIMENSION = 8
FIRST_ROWS = 400
"""Memories that are there before: m0, m1 and so on. One after the other it gives them a new category."""

DELETED_OF = 5
"""Of so many memories that it adds, it deletes the first later."""

TURNS_AT_ONCE = 3
"""The plugin stores no more of one answer of the agent."""

PAUSE_S = 0.5

JAVASCRIPT = """
import { createRequire } from "node:module";
import { appendFileSync, existsSync } from "node:fs";
const [directory, uri, log, stop] = process.argv.slice(1);
const require = createRequire(directory + "/package.json");
const lancedb = require("@lancedb/lancedb");
const table = await (await lancedb.connect(uri)).openTable("memories");
const note = (entry) => appendFileSync(log, JSON.stringify(entry) + "\\n");
const setCategory = async (id, category) => {
  await table.update({ where: `id = '${id}'`, values: { category } });
  note({ did: "update", id, category });
};
for (let turn = 0; !existsSync(stop); turn += 1) {
  const vector = Array.from({ length: 8 }, (_, i) => (i === turn % 8 ? 1 : 0));
  await table.add([{ id: `j${turn}`, text: `note ${turn}`, vector, importance: 0.7, category: "fact",
                     createdAt: Date.now() }]);
  note({ did: "add", id: `j${turn}`, category: "fact" });
  await setCategory(`m${turn % 400}`, `theirs ${turn}`);
  if (turn % 4 === 3) await setCategory(`j${turn - 1}`, `theirs ${turn}`);
  if (turn % 5 === 4) {
    await table.delete(`id = 'j${turn - 4}'`);
    note({ did: "delete", id: `j${turn - 4}` });
  }
  if (turn % 3 === 2) await new Promise((resolve) => setTimeout(resolve, 500));
}
"""


def write(uri: str, log: Path, stop: Path) -> None:
    """Do the same as the JavaScript."""
    import lancedb

    table = lancedb.connect(uri).open_table("memories")
    with log.open("w", encoding="utf-8") as notes:

        def note(**entry: Any) -> None:
            notes.write(json.dumps(entry) + "\n")
            notes.flush()

        def set_category(name: str, category: str) -> None:
            table.update(where=f"id = '{name}'", values={"category": category})
            note(did="update", id=name, category=category)

        for turn in itertools.count():
            if stop.exists():
                return
            vector = [float(place == turn % DIMENSION) for place in range(DIMENSION)]
            now = float(time.time_ns() // 1_000_000)
            row = {"id": f"j{turn}", "text": f"note {turn}", "vector": vector, "importance": 0.7}
            table.add([{**row, "category": "fact", "createdAt": now}])
            note(did="add", id=f"j{turn}", category="fact")
            set_category(f"m{turn % FIRST_ROWS}", f"theirs {turn}")
            if turn % 4 == 3:
                set_category(f"j{turn - 1}", f"theirs {turn}")
            if turn % DELETED_OF == DELETED_OF - 1:
                table.delete(f"id = 'j{turn - DELETED_OF + 1}'")
                note(did="delete", id=f"j{turn - DELETED_OF + 1}")
            if turn % TURNS_AT_ONCE == TURNS_AT_ONCE - 1:
                time.sleep(PAUSE_S)


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))

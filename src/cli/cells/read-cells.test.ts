// A file as its cells.
import assert from "node:assert/strict";
import { test } from "node:test";
import { splitCells } from "./read-cells.ts";

test("splitCells() parts a file at lines that begin with # %%, and leaves empty cells out", () => {
  assert.deepEqual(splitCells("import os\n\n# %% first\nx = 1\r\nx\n#%%\n\n# %%\n  # %% no separator\n"), [
    "import os\n",
    "x = 1\nx",
    "  # %% no separator\n",
  ]);
  assert.deepEqual(splitCells("print(1)"), ["print(1)"]);
  assert.deepEqual(splitCells("\n# %%\n"), []);
});

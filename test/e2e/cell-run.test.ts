// `glovebox cell run` as a person types it: a table in, text and files out, and the codes of cells that do not end well.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-cell-run-")));
const project = path.join(base, "project");
await mkdir(project);
after(() => removeScratch(base));

async function run(source: string, ...words: readonly string[]): Promise<Captured> {
  await writeFile(path.join(project, "cells.py"), source);
  return capture(process.execPath, [commandLine, "cell", "run", "cells.py", ...words], {
    environment: { XDG_STATE_HOME: path.join(base, "state"), PATH: "/usr/bin:/bin", HOME: base, LANG: "C.UTF-8" },
    cwd: project,
    timeoutMs: 120_000,
  });
}

const analysis = `import csv, os
rows = list(csv.reader(open(os.environ["INPUT_DIR"] + "/data.csv")))
# %%
print(len(rows), "rows")
sum(int(row[1]) for row in rows)
# %%
open(os.environ["OUTPUT_DIR"] + "/sum.txt", "w").write("7")
1 / 0
# %%
print("never")
`;
test("cell run hands a file in, prints what its cells say until one fails, and hands files back", async () => {
  await writeFile(path.join(project, "data.csv"), "a,3\nb,4\n");
  const told = await run(analysis, "--input", "data.csv", "--own-programs");
  assert.deepEqual([told.code, told.stdout], [1, "2 rows\n7\n"]);
  assert.match(told.stderr, /ZeroDivisionError: division by zero\nHanded back: sum\.txt\./u);
});

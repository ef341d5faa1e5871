// The template `data` as a person builds it, and the story of the README: a table in, numbers and a figure with Chinese labels out.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import * as z from "zod";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { removeScratch } from "../fixtures/scratch.ts";

let base = "";

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-data-")));
  await mkdir(path.join(base, "project"));
});
after(() => removeScratch(base));

function glovebox(...words: readonly string[]): Promise<Captured> {
  return capture(process.execPath, [commandLine, ...words], {
    environment: { XDG_STATE_HOME: path.join(base, "state"), PATH: "/usr/bin:/bin", HOME: base, LANG: "C.UTF-8" },
    cwd: path.join(base, "project"),
    timeoutMs: 1_800_000,
  });
}

const analysis = `import os
import pandas as pd
import matplotlib.pyplot as plt
plt.rcParams["font.family"] = ["DejaVu Sans", "WenQuanYi Micro Hei"]
table = pd.read_csv(os.environ["INPUT_DIR"] + "/data.csv")
# %%
table.groupby("city").sum()
# %%
table.plot.bar(x="city", y="sales", title="\u9500\u552e\u989d")
# %%
table.to_excel(os.environ["OUTPUT_DIR"] + "/table.xlsx")
pd.read_excel(os.environ["OUTPUT_DIR"] + "/table.xlsx")["sales"].sum()
`;

const resultSchema = z.looseObject({
  exitCode: z.int(),
  cells: z.array(z.looseObject({ status: z.string(), outputs: z.array(z.looseObject({ channel: z.string(), text: z.string() })) })),
  artifacts: z.array(z.looseObject({ name: z.string(), mediaType: z.string(), bytes: z.int() })),
});

test("template build data, and cell run from it: pandas reads what was given, a figure with Chinese words and tables come back", async () => {
  const project = path.join(base, "project");
  await writeFile(path.join(project, "data.csv"), "city,sales\n\u5317\u4eac,3\n\u4e0a\u6d77,4\n\u5317\u4eac,5\n");
  await writeFile(path.join(project, "analysis.py"), analysis);
  const early = await glovebox("cell", "run", "analysis.py", "--input", "data.csv");
  assert.equal(early.code, 2);
  assert.match(early.stderr, /TEMPLATE_UNKNOWN\n.*glovebox template build data/u);
  const build = await glovebox("template", "build", "data", "--json");
  assert.equal(build.code, 0, build.stdout + build.stderr);
  const run = await glovebox("cell", "run", "analysis.py", "--input", "data.csv", "--json");
  assert.equal(run.code, 0, run.stdout + run.stderr);
  const { cells, artifacts } = resultSchema.parse(JSON.parse(run.stdout));
  assert.deepEqual(
    cells.map(({ status }) => status),
    ["ok", "ok", "ok", "ok"],
  );
  const text = JSON.stringify(cells);
  assert.match(text, /\u5317\u4eac +8/u);
  assert.doesNotMatch(text, /missing from/u, "every character of the figure is in a font");
  const names = artifacts.map(({ name, mediaType }) => `${name} ${mediaType}`).toSorted();
  assert.deepEqual(names.slice(0, 2), ["figure-3-2.png image/png", "table-2-1.html text/html"]);
  assert.match(names[2] ?? "", /^table\.xlsx /u);
  assert.ok(artifacts.every(({ bytes }) => bytes > 100));
});

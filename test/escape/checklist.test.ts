// `glovebox checklist` over the real machine: ten points with evidence made now, and the points that a missing wall takes away.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import * as z from "zod";
import { capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

const installation = path.join(import.meta.dirname, "..", "..");

const reportSchema = z.looseObject({
  points: z.array(
    z.looseObject({ number: z.int(), verdict: z.string(), evidence: z.array(z.looseObject({ key: z.string(), text: z.string() })) }),
  ),
});

async function checklist(t: TestContext, ...words: readonly string[]) {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-checklist-")));
  t.after(() => removeScratch(base));
  const project = path.join(base, "project");
  const state = path.join(base, "state");
  for (const directory of [project, state]) await mkdir(directory, { mode: 0o700 });
  const environment = { PATH: "/usr/bin:/bin", XDG_STATE_HOME: state, XDG_RUNTIME_DIR: state, LANG: "C.UTF-8" };
  const argv = [...words, "checklist", "--json", "--project", project];
  const { code, stdout } = await capture(process.execPath, argv, { environment, timeoutMs: 120_000 });
  const { points } = reportSchema.parse(JSON.parse(stdout));
  return { code, points, verdictOf: (number: number) => points.find((point) => point.number === number)?.verdict };
}

test("checklist gives ten points with evidence, and says of several tenants that it is not built", async (t) => {
  const { code, points, verdictOf } = await checklist(t, commandLine);
  assert.equal(code, 0, JSON.stringify(points.filter(({ verdict }) => verdict === "not-held")));
  assert.deepEqual(
    points.map(({ number }) => number),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  assert.equal(verdictOf(9), "not-built");
  for (const { number, verdict, evidence } of points) {
    if (number !== 9) assert.equal(verdict, "held", `${number}`);
    assert.ok(evidence.length > 0, `${number} has no evidence`);
  }
  const observed = points.at(-1)?.evidence.find(({ key }) => key === "checklist.observed");
  assert.match(observed?.text ?? "", /exit code 7, limits wall and output, refusal POLICY_DENIED/u);
});

test("checklist without the inner wall exits with 122 and holds neither the layers nor the planting", async (t) => {
  const { code, verdictOf } = await checklist(t, path.join(installation, "test/fixtures/main-without-wall.ts"), "outer");
  assert.equal(code, 122);
  for (const number of [2, 5, 6]) assert.equal(verdictOf(number), "not-held", `${number}`);
});

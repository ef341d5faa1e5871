// kill -9 of the broker at every numbered step of one run: afterwards no process is left, the next start removes and records what the journal
// names, and the ledger proves. INVARIANT I-09, I-11
import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { findCgroups } from "../../src/boundaries/process/cgroups.ts";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { compileCache } from "../fixtures/compile-cache.ts";
import {
  assertAftermath,
  installation,
  journalledGroups,
  makeScene,
  nextStart,
  observeScene,
  recordTypes,
  type Scene,
} from "../fixtures/kill-aftermath.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const program = path.join(installation, "test/fixtures/run-and-die.ts");
/** The number of steps when this was last looked at: fewer means that a kill point was lost. */
const recordedSteps = 13;

let base = "";

before(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), "glovebox-kill-"));
});

after(() => removeScratch(base));

/** The shell reports the kill as 128 + 9, so that `capture` sees an exit. */
async function runAndDie(step: number, { project, environment }: Scene): Promise<Captured> {
  return capture("/bin/sh", ["-c", '"$@"; exit $?', "sh", process.execPath, program, String(step), project], {
    environment: { ...environment, ...compileCache },
    timeoutMs: 30_000,
  });
}

async function killAt(step: number): Promise<{ readonly isEnd: boolean; readonly name: string }> {
  const scene = await makeScene(base);
  const before = observeScene(scene);
  const died = await runAndDie(step, scene);
  const names = died.stdout.trim().split("\n");
  const name = names.at(-1) ?? "";
  if (died.code !== 137) {
    assert.equal(died.code, 0, died.stderr);
    return { isEnd: true, name };
  }
  assert.equal(names.length, step, died.stderr);
  await assertAftermath(scene, before, name);
  return { isEnd: false, name };
}

test("a kill -9 of the broker at any numbered step leaves nothing, loses no record and is cleaned up by the next start", async (t) => {
  const visited: string[] = [];
  for (let step = 1; ; step += 1) {
    const { isEnd, name } = await killAt(step);
    if (isEnd) break;
    visited.push(name);
  }
  t.diagnostic(`visited ${visited.length} kill points: ${visited.join(", ")}`);
  assert.ok(visited.length >= recordedSteps, `visited ${visited.length} kill points, ${recordedSteps} are recorded`);
});

test("a task abandoned with its sandbox open is recorded as reaped", async () => {
  const scene = await makeScene(base);
  const all = await runAndDie(0, await makeScene(base));
  const opened = all.stdout.split("\n").findIndex((line) => line.endsWith(" opening recorded")) + 1;
  assert.ok(opened > 0);
  await runAndDie(opened, scene);
  // Where control groups can be made, the journal names one that is there: what the other tests find gone had been made.
  const { cgroups } = observeScene(scene);
  assert.deepEqual(
    (await journalledGroups(scene)).map((group) => cgroups.includes(group)),
    findCgroups("s-none").map(() => true),
  );
  await nextStart(scene);
  assert.ok((await recordTypes(scene)).includes("execution.reaped"));
});

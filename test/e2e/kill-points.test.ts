// kill -9 of the broker at every numbered step of one run: afterwards no process is left, the next start removes and records what the journal
// names, and the ledger proves. INVARIANT I-09, I-11
import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { findCgroups } from "../../src/linux/cgroups.ts";
import { journalledGroups, makeScene, nextStart, observeScene, recordTypes } from "../fixtures/kill-aftermath.ts";
import { killRunAt, runAndDie } from "../fixtures/kill-run.ts";
import { removeScratch } from "../fixtures/scratch.ts";

/** The number of steps when this was last looked at: fewer means that a kill point was lost. */
const recordedSteps = 13;

let base = "";

before(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), "glovebox-kill-"));
});

after(() => removeScratch(base));

test("a kill -9 of the broker at any numbered step leaves nothing, loses no record and is cleaned up by the next start", async (t) => {
  const visited: string[] = [];
  for (let step = 1; ; step += 1) {
    const { isEnd, name } = await killRunAt(base, step);
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

// kill -9 of the broker at every numbered step of a sandbox's life. INVARIANT I-09
import assert from "node:assert/strict";
import { mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { killBrokerAt } from "../fixtures/kill-broker.ts";
import { removeScratch } from "../fixtures/scratch.ts";

/** The number of steps when this was last looked at: fewer means that a kill point was lost. */
const recordedSteps = 16;

test("a kill -9 of the broker at any step of a sandbox's life leaves nothing, loses no record and is cleaned up by the next start", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-killed-")));
  t.after(() => removeScratch(base));
  let visited = 0;
  for (let step = 1; !(await killBrokerAt(base, step)).isEnd; step += 1) visited = step;
  t.diagnostic(`visited ${visited} kill points`);
  assert.ok(visited >= recordedSteps, `visited ${visited} kill points, ${recordedSteps} are recorded`);
});

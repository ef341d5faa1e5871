// kill -9 of the broker at every numbered step of a run in a container, with a network and without. INVARIANT I-09
import assert from "node:assert/strict";
import { mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { killRunAt } from "../fixtures/kill-run.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { linuxRuntimes } from "../fixtures/container-options.ts";

/** The number of steps when this was last looked at: fewer means that a kill point was lost. */
const recordedSteps = 13;
const networks = [[], [{ id: "e1", hosts: ["api.example.com"], verdict: "allow" }]] as const;

for (const runtime of linuxRuntimes) {
  for (const egress of networks) {
    test(`${runtime}: a kill -9 of the broker at any step leaves nothing (${egress.length} rules that open a connection)`, async (t) => {
      const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-killed-")));
      t.after(() => removeScratch(base));
      const overrides = { boundary: "container", container: { runtime }, egress };
      let visited = 0;
      for (let step = 1; !(await killRunAt(base, step, overrides)).isEnd; step += 1) visited = step;
      t.diagnostic(`visited ${visited} kill points`);
      assert.ok(visited >= recordedSteps, `visited ${visited} kill points, ${recordedSteps} are recorded`);
    });
  }
}

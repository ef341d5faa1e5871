// kill -9 of the broker while it holds a sandbox: nothing runs on, the next start cleans up and records what it found. INVARIANT I-09
// Every step: test/long/kill-broker-steps.test.ts.
import assert from "node:assert/strict";
import { mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { killBrokerAt } from "../fixtures/kill-broker.ts";
import { removeScratch } from "../fixtures/scratch.ts";

let base = "";

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-killed-")));
});

after(() => removeScratch(base));

test("a kill -9 of the broker with its sandbox open, and with a daemon left in it, leaves nothing", async () => {
  const { steps, isEnd } = await killBrokerAt(base, 0);
  assert.equal(isEnd, true);
  for (const name of ["opening recorded", "result recorded"]) {
    const step = steps.findIndex((line) => line.endsWith(` ${name}`)) + 1;
    assert.ok(step > 0, `no step "${name}" among ${steps.join(", ")}`);
    assert.equal((await killBrokerAt(base, step)).isEnd, false);
  }
});

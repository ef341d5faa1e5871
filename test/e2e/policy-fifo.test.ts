// A fifo in the place of a policy must not hold the broker: it would wait for ever for somebody to write.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { readNamedPolicy } from "../../src/broker/broker.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { removeScratch } from "../fixtures/scratch.ts";

test("readNamedPolicy() refuses a fifo at once", { timeout: 5000 }, async (t) => {
  const directory = await mkdtemp(path.join(tmpdir(), "glovebox-fifo-"));
  t.after(() => removeScratch(directory));
  const fifo = path.join(directory, "policy.yaml");
  execFileSync("mkfifo", [fifo]);
  await assert.rejects(readNamedPolicy(fifo), (error) => error instanceof GloveboxError && error.code === "POLICY_UNREADABLE");
});

// What a sandbox keeps, on files of our own: nameless ones, and what a file system says of its free space.
import assert from "node:assert/strict";
import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { fillOf, namelessBytes, RootGrowth } from "./disk-sample.ts";

async function makeRoot(t: TestContext): Promise<string> {
  const root = await mkdtemp(path.join(os.tmpdir(), "glovebox-disk-"));
  t.after(() => rm(root, { recursive: true }));
  return root;
}

test("namelessBytes() finds what a process keeps open without a name", async (t) => {
  const root = await makeRoot(t);
  const file = openSync(path.join(root, "nameless"), "w");
  t.after(() => closeSync(file));
  const count = (): number => namelessBytes("/proc", [String(process.pid)], [root]);
  writeSync(file, Buffer.alloc(1_000_000, 1));
  fdatasyncSync(file);
  const before = count();
  unlinkSync(path.join(root, "nameless"));
  assert.ok(count() - before >= 1_000_000);
});

test("RootGrowth allows no more than nine tenths of what is free, and fillOf() says nothing of a place that is gone", async (t) => {
  const root = await makeRoot(t);
  const fill = fillOf(root);
  assert.ok(fill !== undefined && fill.usedBytes < fill.sizeBytes && !fill.isFull);
  assert.ok(new RootGrowth([root], Number.MAX_SAFE_INTEGER).allowedBytes < fill.sizeBytes);
  assert.equal(new RootGrowth([root], 5000).allowedBytes, 5000);
  assert.equal(new RootGrowth([path.join(root, "gone")], 5000).allowedBytes, 5000);
  assert.equal(fillOf(path.join(root, "gone")), undefined);
});

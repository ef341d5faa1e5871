// What a sandbox keeps, on files of our own: changed ones, nameless ones, and what a file system says of its free space.
import assert from "node:assert/strict";
import { closeSync, fdatasyncSync, openSync, symlinkSync, unlinkSync, utimesSync, writeFileSync, writeSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { changedBytes, fillOf, namelessBytes, RootGrowth } from "./disk-sample.ts";

async function makeRoot(t: TestContext): Promise<string> {
  const root = await mkdtemp(path.join(os.tmpdir(), "glovebox-disk-"));
  t.after(() => rm(root, { recursive: true }));
  return root;
}

const enough = 2 ** 30;

test("changedBytes() counts what changed since a moment, an empty file as 4 KiB, at any depth", async (t) => {
  const root = await makeRoot(t);
  await mkdir(path.join(root, "a/b"), { recursive: true });
  const since = Date.now() - 1000;
  const before = await changedBytes([root], since, enough);
  writeFileSync(path.join(root, "a/b/empty"), "");
  assert.equal((await changedBytes([root], since, enough)) - before, 4096);
  writeFileSync(path.join(root, "a/more"), Buffer.alloc(100_000, 1));
  const file = openSync(path.join(root, "a/more"), "r");
  fdatasyncSync(file); // blocks are given when the data goes out
  closeSync(file);
  assert.ok((await changedBytes([root], since, enough)) - before >= 4096 + 100_000);
  assert.equal(await changedBytes([root], Date.now() + 60_000, enough), 0);
});

test("changedBytes() believes no time that a program can set, and follows no link", async (t) => {
  const root = await makeRoot(t);
  const since = Date.now() - 1000;
  writeFileSync(path.join(root, "old"), "x");
  utimesSync(path.join(root, "old"), 1, 1);
  symlinkSync("/", path.join(root, "everything"));
  assert.equal(await changedBytes([root], since, enough), 2 * 4096);
});

test("changedBytes() stops when it has seen enough, and takes a root that is gone for an empty one", async (t) => {
  const root = await makeRoot(t);
  for (let number = 0; number < 50; number += 1) writeFileSync(path.join(root, String(number)), "");
  const found = await changedBytes([root, path.join(root, "gone")], 0, 8192);
  assert.ok(found > 8192 && found < 50 * 4096, String(found));
});

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

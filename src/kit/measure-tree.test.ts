// Of a tree that a hostile program made: nothing in it hides from being counted.
import assert from "node:assert/strict";
import { chmodSync, closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { leastFileBytes, measureTrees } from "./measure-tree.ts";
import { removeTree } from "./remove-tree.ts";

const plenty = 2 ** 40;

function scratch(t: TestContext): string {
  const base = mkdtempSync(path.join(tmpdir(), "glovebox-measure-"));
  t.after(() => removeTree(base, { parent: tmpdir() }));
  return base;
}

test("measureTrees() counts what lies below names that are no UTF-8, and every empty file", async (t) => {
  const base = scratch(t);
  const odd = Buffer.concat([Buffer.from(`${base}/`), Buffer.from([0xff, 0x61])]);
  mkdirSync(odd);
  writeFileSync(Buffer.concat([odd, Buffer.from("/large")]), Buffer.alloc(1 << 20, 1));
  writeFileSync(path.join(base, "empty"), "");
  const { bytes, isWhole } = await measureTrees([base], { enough: plenty });
  assert.ok(bytes >= (1 << 20) + 2 * leastFileBytes, String(bytes));
  assert.equal(isWhole, true);
});

test("measureTrees() follows no link and stops when there is enough", async (t) => {
  const base = scratch(t);
  symlinkSync("/usr", path.join(base, "link"));
  assert.ok((await measureTrees([base], { enough: plenty })).bytes <= leastFileBytes);
  for (let index = 0; index < 20; index += 1) writeFileSync(path.join(base, `file-${index}`), "");
  assert.equal((await measureTrees([base], { enough: 4 * leastFileBytes })).bytes, 5 * leastFileBytes);
});

test("measureTrees() says when a part of the tree stays unseen", async (t) => {
  const base = scratch(t);
  const names = ["a", ...Array.from({ length: 20 }, (_, index) => "d".repeat(250) + String(index))];
  const cwd = process.cwd();
  t.after(() => process.chdir(cwd));
  process.chdir(base);
  // Deeper than any path may be long.
  for (const name of names) {
    mkdirSync(name);
    process.chdir(name);
  }
  process.chdir(cwd);
  assert.equal((await measureTrees([base], { enough: plenty })).isWhole, false);
});

test("measureTrees() of a directory that nobody may list is not whole", async (t) => {
  const base = scratch(t);
  const closed = path.join(base, "closed");
  mkdirSync(path.join(closed, "inner"), { recursive: true });
  chmodSync(closed, 0);
  const isOpenToRoot = process.getuid?.() === 0;
  assert.equal((await measureTrees([base], { enough: plenty })).isWhole, isOpenToRoot);
});

const bytesSince = async (roots: readonly string[], sinceMs: number): Promise<number> =>
  (await measureTrees(roots, { enough: plenty, sinceMs })).bytes;

test("measureTrees() counts what changed since a moment, an empty file as 4 KiB, at any depth", async (t) => {
  const root = scratch(t);
  mkdirSync(path.join(root, "a/b"), { recursive: true });
  const since = Date.now() - 1000;
  const before = await bytesSince([root], since);
  writeFileSync(path.join(root, "a/b/empty"), "");
  assert.equal((await bytesSince([root], since)) - before, 4096);
  writeFileSync(path.join(root, "a/more"), Buffer.alloc(100_000, 1));
  const file = openSync(path.join(root, "a/more"), "r");
  fdatasyncSync(file); // blocks are given when the data goes out
  closeSync(file);
  assert.ok((await bytesSince([root], since)) - before >= 4096 + 100_000);
  assert.equal(await bytesSince([root], Date.now() + 60_000), 0);
});

test("measureTrees() believes no time that a program can set, and follows no link", async (t) => {
  const root = scratch(t);
  const since = Date.now() - 1000;
  writeFileSync(path.join(root, "old"), "x");
  utimesSync(path.join(root, "old"), 1, 1);
  symlinkSync("/", path.join(root, "everything"));
  assert.equal(await bytesSince([root], since), 2 * 4096);
});

test("measureTrees() stops when it has seen enough, and takes a root that is gone for an empty one", async (t) => {
  const root = scratch(t);
  for (let number = 0; number < 50; number += 1) writeFileSync(path.join(root, String(number)), "");
  const found = (await measureTrees([root, path.join(root, "gone")], { enough: 8192 })).bytes;
  assert.ok(found > 8192 && found < 50 * 4096, String(found));
});

test("measureTrees() counts a root that is a single file when it changed, and is whole", async (t) => {
  const file = path.join(scratch(t), "file");
  writeFileSync(file, "x");
  assert.deepEqual(await measureTrees([file], { enough: plenty }), { bytes: leastFileBytes, isWhole: true });
  assert.deepEqual(await measureTrees([file], { enough: plenty, sinceMs: Date.now() + 60_000 }), { bytes: 0, isWhole: true });
});

test("measureTrees() takes a closed directory that did not change for none of the changes", async (t) => {
  const root = scratch(t);
  const closed = path.join(root, "closed");
  mkdirSync(closed);
  chmodSync(closed, 0);
  assert.deepEqual(await measureTrees([root], { enough: plenty, sinceMs: Date.now() + 60_000 }), { bytes: 0, isWhole: true });
});

// Of a tree that a hostile program made: nothing in it hides from being counted.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { leastFileBytes, measureTree } from "./measure-tree.ts";
import { removeTree } from "./remove-tree.ts";

const plenty = 2 ** 40;

function scratch(t: TestContext): string {
  const base = mkdtempSync(path.join(tmpdir(), "glovebox-measure-"));
  t.after(() => removeTree(base, { parent: tmpdir() }));
  return base;
}

test("measureTree() counts what lies below names that are no UTF-8, and every empty file", async (t) => {
  const base = scratch(t);
  const odd = Buffer.concat([Buffer.from(`${base}/`), Buffer.from([0xff, 0x61])]);
  mkdirSync(odd);
  writeFileSync(Buffer.concat([odd, Buffer.from("/large")]), Buffer.alloc(1 << 20, 1));
  writeFileSync(path.join(base, "empty"), "");
  const { bytes, isWhole } = await measureTree(base, plenty);
  assert.ok(bytes >= (1 << 20) + 2 * leastFileBytes, String(bytes));
  assert.equal(isWhole, true);
});

test("measureTree() follows no link and stops when there is enough", async (t) => {
  const base = scratch(t);
  symlinkSync("/usr", path.join(base, "link"));
  assert.ok((await measureTree(base, plenty)).bytes <= leastFileBytes);
  for (let index = 0; index < 20; index += 1) writeFileSync(path.join(base, `file-${index}`), "");
  assert.equal((await measureTree(base, 4 * leastFileBytes)).bytes, 5 * leastFileBytes);
});

test("measureTree() says when a part of the tree stays unseen", async (t) => {
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
  assert.equal((await measureTree(base, plenty)).isWhole, false);
});

test("measureTree() of a directory that nobody may list is not whole", async (t) => {
  const base = scratch(t);
  const closed = path.join(base, "closed");
  mkdirSync(path.join(closed, "inner"), { recursive: true });
  chmodSync(closed, 0);
  const isOpenToRoot = process.getuid?.() === 0;
  assert.equal((await measureTree(base, plenty)).isWhole, isOpenToRoot);
});

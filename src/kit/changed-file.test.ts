// watchFiles(): another file in the same place, other bytes in the same file, one that is gone or has come.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, renameSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { watchFiles } from "./changed-file.ts";
import { removeTree } from "./remove-tree.ts";

test("watchFiles() names the first file that is not the one that it found, also when size and time are the same", (t) => {
  const base = mkdtempSync(path.join(os.tmpdir(), "glovebox-changed-"));
  t.after(() => removeTree(base, { parent: os.tmpdir() }));
  const [first, second, missing] = ["first", "second", "missing"].map((name) => path.join(base, name));
  assert.ok(first !== undefined && second !== undefined && missing !== undefined);
  for (const file of [first, second]) writeFileSync(file, "one");
  const changed = watchFiles([first, second, missing]);
  assert.equal(changed(), undefined);
  writeFileSync(missing, "");
  assert.equal(changed(), missing);
  const replacing = watchFiles([second]);
  copyFileSync(second, `${second}.fresh`);
  utimesSync(second, 1, 1);
  utimesSync(`${second}.fresh`, 1, 1);
  assert.equal(replacing(), second);
  const again = watchFiles([second]);
  renameSync(`${second}.fresh`, second);
  assert.equal(again(), second);
  unlinkSync(first);
  assert.equal(changed(), first);
});

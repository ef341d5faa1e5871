// Presence, absence, and a place where nobody can tell.
import assert from "node:assert/strict";
import { mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { isPresent } from "./is-present.ts";
import { removeTree } from "./remove-tree.ts";

test("isPresent() throws instead of calling absent what it cannot look at", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "glovebox-present-"));
  try {
    assert.equal(isPresent(directory), true);
    assert.equal(isPresent(path.join(directory, "absent")), false);
    // A ring of links: also root cannot see through it.
    symlinkSync("ring", path.join(directory, "ring"));
    assert.throws(() => isPresent(path.join(directory, "ring")), { code: "ELOOP" });
  } finally {
    await removeTree(directory, { parent: tmpdir() });
  }
});

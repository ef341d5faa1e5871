// Fields of /proc/PID/stat, with a name that tries to shift them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isBackgroundStat } from "./foreground.ts";

test("isBackgroundStat() compares our group with the terminal's, whatever the name holds", () => {
  assert.equal(isBackgroundStat("7 (a) S 1 (b) S 1 7 7 34816 7 4194304"), false);
  assert.equal(isBackgroundStat("7 (node) S 1 7 7 34816 9 4194304"), true);
  assert.equal(isBackgroundStat("7 (node) S 1 7 7 0 -1 4194304"), false, "no terminal");
});

// Which commands are too large to be recorded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseUnrecordable } from "./refuse-unrecordable.ts";

const mebibyte = 1024 * 1024;

test("refuseUnrecordable() lets pass what a command may have, and refuses what the ledger cannot keep", () => {
  refuseUnrecordable(["printf", "y".repeat(2 * mebibyte)]);
  assert.throws(() => refuseUnrecordable(["printf", "y".repeat(3 * mebibyte)]), {
    code: "USAGE_INVALID",
    situation: "run.arguments-too-large",
  });
});

test("refuseUnrecordable() counts bytes as they are written down: a control character is six", () => {
  assert.throws(() => refuseUnrecordable(["printf", "\u0001".repeat(mebibyte)]), { situation: "run.arguments-too-large" });
});

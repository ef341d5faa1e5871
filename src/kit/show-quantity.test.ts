// showBytes() and showDuration() choose a unit that reads well.
import assert from "node:assert/strict";
import { test } from "node:test";
import { showBytes, showDuration } from "./show-quantity.ts";

test("showBytes() uses binary units and one decimal where it helps", () => {
  assert.deepEqual([0, 512, 1024, 1536, 64 << 20, 5 * 2 ** 40].map(showBytes), ["0 B", "512 B", "1 KiB", "1.5 KiB", "64 MiB", "5 TiB"]);
});

test("showDuration() grows from milliseconds to days", () => {
  assert.deepEqual([0, 12.4, 1500, 59_000, 900_000, 7_500_000, 86_400_000, 2_591_999_000].map(showDuration), [
    "0 ms",
    "12 ms",
    "1.5 s",
    "59 s",
    "15 min 0 s",
    "2 h 5 min",
    "24 h 0 min",
    "29 d 23 h",
  ]);
});

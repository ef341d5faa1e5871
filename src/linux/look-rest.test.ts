// Rest after a look: what the look used of a processor counts, not how long it had to wait for one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { restAfter, restFactor } from "./look-rest.ts";

test("restAfter() rests in proportion to what the look used of a processor", () => {
  let usedMs = 100;
  assert.equal(
    restAfter(
      () => {
        usedMs += 3;
      },
      () => usedMs,
    ),
    3 * restFactor,
  );
});

test("restAfter() does not count the time in which the look had to wait for a processor", () => {
  const waitMs = 300;
  const wait = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
  assert.ok(restAfter(wait) < waitMs);
});

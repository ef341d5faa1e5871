// When a lane has overrun.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readMachineLoad, remainingMs } from "./lane-deadline.ts";

test("remainingMs() is nothing at the deadline on a machine with nothing else to do", () => {
  assert.equal(remainingMs(1000, 1000, { runnable: 1, processors: 2 }), 0);
  assert.equal(remainingMs(1000, 400, { runnable: 0, processors: 2 }), 600);
});

test("remainingMs() grows with the programs for each processor, to four times the deadline", () => {
  assert.equal(remainingMs(1000, 1000, { runnable: 5, processors: 2 }), 1500);
  assert.equal(remainingMs(1000, 1000, { runnable: 99, processors: 2 }), 3000);
  assert.equal(remainingMs(1000, 4000, { runnable: 99, processors: 2 }), 0);
});

test("readMachineLoad() knows at least one processor", () => {
  const { runnable, processors } = readMachineLoad();
  assert.ok(runnable >= 0 && processors >= 1);
});

test("remainingMs() is whole milliseconds, as a timer takes them", () => {
  assert.ok(Number.isInteger(remainingMs(90_000, 0, { runnable: 5.77, processors: 2 })));
});

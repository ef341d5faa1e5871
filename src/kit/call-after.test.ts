// callAfter() waits as long as it was told, also longer than a timer of Node can, and no longer than the wall clock says.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { callAfter } from "./call-after.ts";

const dayMs = 86_400_000;
const minuteMs = 60_000;

test("callAfter() does not fire at once for a time that Node's timers cannot hold", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  const act = mock.fn();
  callAfter(30 * dayMs, () => nowMs, act);
  for (; nowMs < 30 * dayMs - minuteMs; nowMs += minuteMs) t.mock.timers.tick(minuteMs);
  assert.equal(act.mock.callCount(), 0);
  for (let looks = 0; looks < 2; looks += 1) {
    nowMs += minuteMs;
    t.mock.timers.tick(minuteMs);
  }
  assert.equal(act.mock.callCount(), 1);
});

test("callAfter() finds out that the wall clock has gone on while the machine slept", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  const act = mock.fn();
  callAfter(30 * dayMs, () => nowMs, act);
  nowMs = 31 * dayMs;
  t.mock.timers.tick(minuteMs);
  assert.equal(act.mock.callCount(), 1);
});

test("callAfter() never calls what was called off", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  const act = mock.fn();
  const callOff = callAfter(2 * minuteMs, () => nowMs, act);
  nowMs = minuteMs;
  t.mock.timers.tick(minuteMs);
  callOff();
  nowMs = dayMs;
  t.mock.timers.tick(dayMs);
  assert.equal(act.mock.callCount(), 0);
});

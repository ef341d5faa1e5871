// What one sandbox may use of the network, at the edges of each number.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EgressBudget, longestTakenName, namesPerMinute } from "./egress-budget.ts";

function budget(limits: { sentBytes?: number; connections?: number } = {}) {
  const clock = { ms: 0 };
  return { clock, budget: new EgressBudget({ sentBytes: 10, connections: 2, ...limits }, () => clock.ms) };
}

test("takeConnection() gives as many as are allowed at once", () => {
  const { budget: some } = budget();
  assert.deepEqual([some.takeConnection(), some.takeConnection(), some.takeConnection()], [true, true, false]);
  some.giveConnectionBack();
  assert.deepEqual([some.takeConnection(), some.takeConnection()], [true, false]);
  assert.equal(budget({ connections: 0 }).budget.takeConnection(), false);
});

test("takeSent() lets the last byte pass and nothing after it", () => {
  const { budget: some } = budget();
  assert.deepEqual([some.takeSent(9), some.takeSent(1), some.takeSent(1), some.takeSent(0)], [true, true, false, false]);
});

test("takeName() takes so many new names a minute; known ones are free", () => {
  const { budget: some, clock } = budget();
  for (let index = 0; index < namesPerMinute; index += 1) assert.ok(some.takeName(`n${index}.example`));
  assert.equal(some.takeName("one-more.example"), false);
  assert.equal(some.takeName("n0.example"), true);
  clock.ms = 59_999;
  assert.equal(some.takeName("one-more.example"), false);
  clock.ms = 60_000;
  assert.equal(some.takeName("one-more.example"), true);
});

test("takeName() takes no name that carries more than it names", () => {
  const { budget: some } = budget();
  assert.equal(some.takeName("a".repeat(longestTakenName)), true);
  assert.equal(some.takeName("a".repeat(longestTakenName + 1)), false);
});

// When a task has been refused enough.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DenialCount } from "./denial-count.ts";

const times = (count: number, act: () => void): void => {
  for (let done = 0; done < count; done++) act();
};

/** What is known without waiting for anything. */
const now = (count: DenialCount): Promise<unknown> => Promise.race([count.reached, Promise.resolve("not reached")]);

test("DenialCount is reached by the refusal that fills it, once, with both numbers", async () => {
  const count = new DenialCount(3);
  times(2, count.add);
  assert.equal(await now(count), "not reached");
  times(5, count.add);
  assert.deepEqual(await now(count), { limit: "denials", allowed: 3, observed: 3 });
});

test("DenialCount of Infinity is never reached", async () => {
  const count = new DenialCount(Number.POSITIVE_INFINITY);
  times(1000, count.add);
  assert.equal(await now(count), "not reached");
});

// The way from a giver to one taker.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HandOver } from "./hand-over.ts";

test("`HandOver` keeps the order, and a giver waits until its thing is taken", async () => {
  const way = new HandOver<number>();
  const taken: number[] = [];
  const given = [1, 2].map((item) => way.push(item).then(() => taken.push(-item)));
  for await (const item of way) {
    taken.push(item);
    if (item === 2) way.end();
  }
  await Promise.all(given);
  assert.deepEqual(taken, [-1, 1, -2, 2]);
});

test("`HandOver` lets its giver go when the taker leaves the loop, and takes no more", async () => {
  const way = new HandOver<number>();
  const given = [way.push(1), way.push(2)];
  for await (const item of way) {
    assert.equal(item, 1);
    break;
  }
  await Promise.all([...given, way.push(3)]);
  const { done } = await way[Symbol.asyncIterator]().next();
  assert.equal(done, true);
});

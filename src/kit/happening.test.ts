// Work that is waited for until something else happens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Happening } from "./happening.ts";

const never = new Promise<void>(() => {});

test("Happening.orDone() ends with the work, as the work, and keeps nobody who waits no more", async () => {
  const happening = new Happening();
  for (let round = 0; round < 100; round += 1) await happening.orDone(Promise.resolve(round));
  await assert.rejects(happening.orDone(Promise.reject(new Error("broken"))), /broken/u);
  assert.equal(happening.waiting, 0);
});

test("Happening.orDone() ends when it happens, and at once from then on", async () => {
  const happening = new Happening();
  const waits = [happening.orDone(never), happening.orDone(never)];
  assert.equal(happening.waiting, 2);
  happening.happen();
  await Promise.all([...waits, happening.orDone(never)]);
  assert.equal(happening.waiting, 0);
  await happening.orDone(Promise.reject(new Error("late")));
});

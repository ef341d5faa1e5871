// Who may go on, and who waits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "./turns.ts";

test("`Turns` lets so many work at once, the others in order, also after one that failed", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const works = gates.map(({ promise }, index) =>
    turns.take(() => {
      begun.push(index);
      return promise;
    }),
  );
  await Promise.resolve();
  assert.deepEqual(begun, [0, 1]);
  gates[1]?.reject(new Error("failed"));
  await assert.rejects(works[1] ?? Promise.resolve(), /failed/u);
  await new Promise(setImmediate);
  assert.deepEqual(begun, [0, 1, 2]);
  for (const { resolve } of gates) resolve();
  await Promise.allSettled(works);
  assert.deepEqual(begun, [0, 1, 2, 3]);
});

test("`Turns` lets whoever is aborted go at once, and keeps no turn for them", async () => {
  const turns = new Turns(1);
  const gate = Promise.withResolvers<void>();
  const first = turns.take(() => gate.promise);
  const abort = new AbortController();
  const reason = new Error("no more");
  const second = turns.take(() => Promise.reject(new Error("began")), abort.signal);
  const third = turns.take(() => Promise.resolve("third"));
  abort.abort(reason);
  await assert.rejects(second, reason);
  gate.resolve();
  await first;
  assert.equal(await third, "third");
  assert.equal(await turns.take(() => Promise.resolve("fourth"), AbortSignal.abort()), "fourth");
});

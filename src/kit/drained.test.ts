// Waiting for a stream to take more.
import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { drained } from "./drained.ts";

const listeners = (stream: Writable): number => stream.eventNames().reduce((sum, name) => sum + stream.listenerCount(name), 0);

test("drained() waits for the drain, and leaves no listener however often", async () => {
  const taken: (() => void)[] = [];
  const stream = new Writable({ highWaterMark: 1, write: (_bytes, _encoding, done) => void taken.push(done) });
  const before = listeners(stream);
  for (let round = 0; round < 50; round += 1) {
    assert.equal(stream.write("xx"), false);
    let isOver = false;
    const over = drained(stream).then(() => (isOver = true));
    await Promise.resolve();
    assert.equal(isOver, false);
    taken.shift()?.();
    await over;
  }
  assert.equal(listeners(stream), before);
});

test("drained() ends when the stream is destroyed, with and without an error, before and during the wait", async () => {
  for (const error of [undefined, new Error("broken")]) {
    const stream = new Writable({ highWaterMark: 1, write: () => {} });
    stream.write("xx");
    const over = drained(stream);
    stream.destroy(error);
    await over;
    await drained(stream);
  }
});

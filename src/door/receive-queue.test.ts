// Bytes of one channel of the door that nobody reads yet.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sizes } from "./protocol.ts";
import { ReceiveQueue } from "./receive-queue.ts";

test("ReceiveQueue holds a window of single bytes, and any number of empty frames, in few pieces", async () => {
  const queue = new ReceiveQueue(() => {});
  for (let at = 0; at < sizes.credit; at += 1) {
    queue.push(Buffer.from("x"));
    queue.push(Buffer.alloc(0));
  }
  assert.throws(() => queue.push(Buffer.from("x")), { code: "BROKER_PROTOCOL" });
  queue.end();
  const lengths: number[] = [];
  for await (const bytes of queue) lengths.push(bytes.length);
  assert.ok(lengths.length < 64, `${lengths.length} pieces`);
  assert.equal(
    lengths.reduce((sum, length) => sum + length, 0),
    sizes.credit,
  );
});

// What is kept of a detached command's output: the last of it, in few pieces.
import assert from "node:assert/strict";
import { test } from "node:test";
import { KeptOutput } from "./kept-output.ts";

const text = (kept: KeptOutput): string => kept.bytes.toString("latin1");

test("KeptOutput keeps the last 64 KiB, and counts what it let go", () => {
  const kept = new KeptOutput();
  kept.add({ channel: "stdout", bytes: Buffer.alloc(60 * 1024, "a") });
  kept.add({ channel: "stderr", bytes: Buffer.alloc(6 * 1024, "b") });
  assert.equal(text(kept), "a".repeat(58 * 1024) + "b".repeat(6 * 1024));
  assert.equal(kept.droppedBytes, 2 * 1024);
  assert.deepEqual(
    kept.pieces.map(({ channel, bytes }) => [channel, bytes.length]),
    [
      ["stdout", 58 * 1024],
      ["stderr", 6 * 1024],
    ],
  );
});

test("KeptOutput joins single bytes of one channel, and bounds the pieces of two that take turns", () => {
  const [one, two] = [new KeptOutput(), new KeptOutput()];
  for (let at = 0; at < 70_000; at += 1) {
    const bytes = Buffer.from(String(at % 10));
    one.add({ channel: "stdout", bytes });
    two.add({ channel: at % 2 === 0 ? "stdout" : "stderr", bytes });
  }
  assert.ok(one.pieces.length <= 17, `${one.pieces.length} pieces`);
  assert.equal(text(one), "0123456789".repeat(7000).slice(-64 * 1024));
  assert.equal(two.pieces.length, 4096);
  assert.equal(text(two), "0123456789".repeat(410).slice(-4096));
  assert.equal(two.droppedBytes, 70_000 - 4096);
});

// createCollectingSink(): the first bytes of both channels within one bound, as text or base64, never half a character.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCollectingSink } from "./output-sink.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("createCollectingSink() counts everything and keeps the first bytes of both channels together", async () => {
  const sink = createCollectingSink(5);
  await sink.take({ channel: "stdout", bytes: bytes("abc") });
  await sink.take({ channel: "stderr", bytes: bytes("defg") });
  await sink.take({ channel: "stdout", bytes: bytes("h") });
  assert.deepEqual(sink.collected(), {
    stdout: { untrusted: true, bytes: 4, returnedBytes: 3, isTruncated: true, text: "abc" },
    stderr: { untrusted: true, bytes: 4, returnedBytes: 2, isTruncated: true, text: "de" },
  });
});

test("createCollectingSink() drops the half of a character that the bound cut", async () => {
  for (const [limit, text] of [
    [1, ""],
    [2, ""],
    [3, "任"],
    [4, "任"],
    [5, "任"],
    [6, "任务"],
    [7, "任务"],
    [9, "任务"],
    [10, "任务\u{1F600}"],
  ] as const) {
    const sink = createCollectingSink(limit);
    await sink.take({ channel: "stdout", bytes: bytes("任务\u{1F600}x") });
    assert.equal(sink.collected().stdout.text, text, String(limit));
  }
});

test("createCollectingSink() gives other bytes as base64, also half a character that the command itself wrote", async () => {
  const sink = createCollectingSink(100);
  await sink.take({ channel: "stdout", bytes: Uint8Array.from([0xe4, 0xbb]) });
  assert.deepEqual(sink.collected().stdout, { untrusted: true, bytes: 2, returnedBytes: 2, isTruncated: false, base64: "5Ls=" });
});

test("createCollectingSink() keeps a copy, and a byte order mark", async () => {
  const sink = createCollectingSink(100);
  const buffer = bytes("\uFEFFx");
  await sink.take({ channel: "stdout", bytes: buffer });
  buffer.fill(0);
  assert.equal(sink.collected().stdout.text, "\uFEFFx");
});

// OutputCollector: the first bytes of both channels within one bound, as text or base64, never half a character.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OutputCollector } from "./collect-output.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("OutputCollector counts everything and keeps the first bytes of both channels together", () => {
  const collector = new OutputCollector(5);
  collector.add("stdout", bytes("abc"));
  collector.add("stderr", bytes("defg"));
  collector.add("stdout", bytes("h"));
  assert.deepEqual(
    { stdout: collector.describe("stdout"), stderr: collector.describe("stderr") },
    {
      stdout: { untrusted: true, bytes: 4, returnedBytes: 3, isTruncated: true, text: "abc" },
      stderr: { untrusted: true, bytes: 4, returnedBytes: 2, isTruncated: true, text: "de" },
    },
  );
});

test("OutputCollector drops the half of a character that the bound cut", () => {
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
    const collector = new OutputCollector(limit);
    collector.add("stdout", bytes("任务\u{1F600}x"));
    assert.equal(collector.describe("stdout").text, text, String(limit));
  }
});

test("OutputCollector gives other bytes as base64, also half a character that the command itself wrote", () => {
  const collector = new OutputCollector(100);
  collector.add("stdout", Uint8Array.from([0xe4, 0xbb]));
  assert.deepEqual(collector.describe("stdout"), { untrusted: true, bytes: 2, returnedBytes: 2, isTruncated: false, base64: "5Ls=" });
});

test("OutputCollector keeps a copy, and a byte order mark", () => {
  const collector = new OutputCollector(100);
  const buffer = bytes("\uFEFFx");
  collector.add("stdout", buffer);
  buffer.fill(0);
  assert.equal(collector.describe("stdout").text, "\uFEFFx");
});

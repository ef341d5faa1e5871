// What is kept of a command's output. INVARIANT I-13
import assert from "node:assert/strict";
import { test } from "node:test";
import { captureOutput } from "./captured-output.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("captureOutput() keeps the first bytes of both channels together, counts all, and marks them untrusted", () => {
  const capture = captureOutput(6);
  capture.take({ channel: "stdout", bytes: bytes("abcd") });
  capture.take({ channel: "stderr", bytes: bytes("efgh") });
  capture.take({ channel: "stdout", bytes: bytes("more") });
  const { stdout, stderr } = capture.captured();
  assert.deepEqual([stdout.text, stdout.totalBytes, stdout.isTruncated, stdout.untrusted], ["abcd", 8, true, true]);
  assert.deepEqual([stderr.text, stderr.totalBytes, stderr.isTruncated, stderr.untrusted], ["ef", 4, true, true]);
});

test("captureOutput() copies what it keeps, and its text has no half character at a cut", () => {
  const capture = captureOutput(2);
  const sent = bytes("a\u00E9b");
  capture.take({ channel: "stdout", bytes: sent });
  sent.fill(0);
  const { stdout } = capture.captured();
  assert.deepEqual([...stdout.bytes], [0x61, 0xc3]);
  assert.equal(stdout.text, "a");
});

test("captureOutput() gives bytes that are no text as they are, and replaces them in the text", () => {
  const capture = captureOutput(100);
  capture.take({ channel: "stdout", bytes: Uint8Array.of(0x61, 0xff, 0xc3) });
  const { stdout } = capture.captured();
  assert.deepEqual([[...stdout.bytes], stdout.text, stdout.isTruncated], [[0x61, 0xff, 0xc3], "a\uFFFD\uFFFD", false]);
});

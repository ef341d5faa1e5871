// How much of a command a list shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutArgv } from "./cut-argv.ts";

test("cutArgv() keeps a command that is short, and bounds one long word, many words, and many empty ones", () => {
  assert.deepEqual(cutArgv(["sh", "-c", "true"]), ["sh", "-c", "true"]);
  assert.deepEqual(cutArgv(["echo", "a".repeat(1024 * 1024)]), ["echo", `${"a".repeat(251)}…`]);
  assert.equal(cutArgv(Array.from({ length: 1000 }, () => "word")).join(" ").length, 257);
  assert.equal(cutArgv(Array.from({ length: 1000 }, () => "")).length, 258);
  assert.deepEqual(cutArgv(["a".repeat(255), "\u{1f600}"]), ["a".repeat(255), "…"]);
});

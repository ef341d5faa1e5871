// printableJson() keeps the data and lets nothing steer a terminal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { printableJson, printableJsonLine } from "./printable-json.ts";

const hostile = {
  "key\u202E": "\u001B]0;title\u0007 \u009B31m \u202Egpj.exe \u2066 \u2028 \u200B \uFEFF \u{E0041} \uD800 x\ny\t\u007F 任务",
};

test("printableJson() parses back to the same data", () => {
  assert.deepEqual(JSON.parse(printableJson(hostile)), hostile);
  assert.equal(printableJson([1, "a"]), '[\n  1,\n  "a"\n]\n');
});

test("printableJson() writes no control, bidi or invisible character raw, and keeps readable text", () => {
  const text = printableJson(hostile);
  assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  assert.match(text, /任务/u);
});

test("printableJson() refuses what JSON does not have", () => {
  assert.throws(() => printableJson(undefined), TypeError);
});

test("printableJsonLine() stays on one line, parses back when it is short, and is cut when it is long", () => {
  assert.deepEqual(JSON.parse(printableJsonLine(hostile)), hostile);
  assert.doesNotMatch(printableJsonLine(hostile), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  assert.match(printableJsonLine("x".repeat(10_000)), /^"x{1999}\.\.\. \(8002 more characters\)$/u);
});

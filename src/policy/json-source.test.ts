// The strict JSON reader against JSON.parse, and what it refuses beyond it.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { readJson } from "./json-source.ts";
import { isRecord } from "./plain-value.ts";
import { SourceFault } from "./source-fault.ts";

function faults(text: string): readonly string[] {
  try {
    readJson(text);
    return [];
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    return error.faults.map(({ situation, line, key }) => `${situation} ${line} ${key}`);
  }
}

test("readJson() reads what JSON.parse reads", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      if (!text.isWellFormed() || /\\ud[89a-f]|[\p{Cc}--\n]/iv.test(text)) return;
      assert.deepEqual(readJson(text).value, JSON.parse(text));
    }),
  );
});

test("readJson() accepts no text that JSON.parse refuses", () => {
  const piece = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"',
    "1",
    "-",
    "01",
    ".5",
    "1e",
    "true",
    "null",
    "nul",
    " ",
    "\n",
    "//",
    "'a'",
    "NaN",
    "\u00a0",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      if (faults(text).length === 0) assert.doesNotThrow(() => JSON.parse(text), text);
    }),
    { numRuns: 1000 },
  );
});

test("readJson() finds every duplicate key, with its line", () => {
  assert.deepEqual(faults('{"a": 1,\n"b": {"c": 1,\n"c": 2},\n"\\u0061": 3}'), ["policy.duplicate-key 3 b.c", "policy.duplicate-key 4 a"]);
});

test("readJson() keeps a key named __proto__ as an ordinary key", () => {
  const { value } = readJson('{"__proto__": {"polluted": true}}');
  assert.ok(isRecord(value));
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.equal(Reflect.get({}, "polluted"), undefined);
});

test("readJson() refuses lone surrogates, depth and half texts", () => {
  assert.deepEqual(faults('{"a":\n"\\ud800"}'), ["policy.not-utf8 2 "]);
  assert.deepEqual(faults("[".repeat(200_000)), ["policy.too-deep 1 "]);
  assert.deepEqual(faults('{"a": 1\n'), ["policy.json-end 2 "]);
  assert.deepEqual(faults(""), ["policy.json-end 1 "]);
  assert.deepEqual(faults("{} {}"), ["policy.json-unexpected 1 "]);
});

test("readJson() knows the line of each value", () => {
  const { lines } = readJson('{\n"a": [1,\n{"b": 2}],\n"c.d": 3}');
  assert.deepEqual(
    [...lines],
    [
      ["", 1],
      ["a", 2],
      ["a[0]", 2],
      ["a[1]", 3],
      ["a[1].b", 3],
      ['["c.d"]', 4],
    ],
  );
});

// The verifier's JSON reader: the same vectors from the other side.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { type JsonRead, readStrictJson } from "./strict-json.ts";

interface Vector {
  readonly why: string;
  readonly input: string;
  readonly output: string;
}

const file = path.join(import.meta.dirname, "..", "..", "..", "test", "vectors", "canonical-json.json");
const vectors = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<"canonical" | "refused" | "notCanonical", readonly Vector[]>>;
const read = (text: string): JsonRead => readStrictJson(Buffer.from(text));
const problemOf = (text: string | Buffer): string => {
  const result = readStrictJson(Buffer.from(text));
  return "problem" in result ? result.problem : "none";
};

test("readStrictJson() accepts every published canonical form, and only that spelling", () => {
  for (const { why, input, output } of vectors.canonical) {
    assert.ok("value" in read(output), why);
    if (input !== output) assert.ok("problem" in read(input), why);
  }
});

test("readStrictJson() refuses what has no canonical form or is not in it", () => {
  for (const { why, input } of [...vectors.refused, ...vectors.notCanonical]) assert.ok("problem" in read(input), why);
});

test("readStrictJson() says what is wrong", () => {
  assert.equal(problemOf('{"a":1,"a":2}'), "duplicate-key");
  assert.equal(problemOf(String.raw`{"a":"\ud800"}`), "lone-surrogate");
  assert.equal(problemOf(Buffer.from([0x22, 0xff, 0x22])), "not-utf8");
  assert.equal(problemOf(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), "not-utf8");
  assert.equal(problemOf('{"b":1,"a":2}'), "not-canonical");
  assert.equal(problemOf('{"a":'), "syntax");
  assert.equal(problemOf("[".repeat(100_000)), "too-deep");
});

test("readStrictJson() keeps names that mean something to JavaScript as names", () => {
  const result = read('{"__proto__":{"x":1},"constructor":2}');
  assert.ok("value" in result && result.value instanceof Map);
  assert.deepEqual([...result.value.keys()], ["__proto__", "constructor"]);
});

test("readStrictJson() accepts the canonical bytes of any JSON value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme", maxDepth: 20 }), (value) => {
      assert.ok("value" in read(canonicalize(value) ?? ""));
    }),
  );
});

test("readStrictJson() never throws, whatever the bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const result = readStrictJson(bytes);
      assert.ok("value" in result || "problem" in result);
    }),
    { numRuns: 1000 },
  );
});

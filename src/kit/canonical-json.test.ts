// Canonical JSON against the published vectors and against another implementation.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { canonicalJson } from "./canonical-json.ts";

interface Vectors {
  readonly canonical: readonly { readonly why: string; readonly input: string; readonly output: string }[];
  readonly refused: readonly { readonly why: string; readonly input: string }[];
}

const file = path.join(import.meta.dirname, "..", "..", "test", "vectors", "canonical-json.json");
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vectors;

test("canonicalJson() gives the published canonical forms", () => {
  assert.ok(vectors.canonical.length >= 20);
  for (const { why, input, output } of vectors.canonical) assert.equal(canonicalJson(JSON.parse(input)), output, why);
});

test("canonicalJson() of a canonical form is that form", () => {
  for (const { why, output } of vectors.canonical) assert.equal(canonicalJson(JSON.parse(output)), output, why);
});

test("canonicalJson() refuses the published values that have none", () => {
  assert.ok(vectors.refused.length >= 5);
  for (const { why, input } of vectors.refused) assert.throws(() => canonicalJson(JSON.parse(input)), TypeError, why);
});

test("canonicalJson() refuses what is not plain JSON data and names the place", () => {
  const values: readonly [unknown, string][] = [
    [{ a: [1, undefined] }, "a[1]"],
    [{ a: { b: 1n } }, "a.b"],
    [{ a: Number.NaN }, "a"],
    [{ a: new Date(0) }, "a"],
    [{ a: new Map() }, "a"],
    [{ a: () => 1 }, "a"],
    [{ a: Symbol("x") }, "a"],
    // A hole in a list is undefined.
    [{ a: Array.from({ length: 1 }) }, "a[0]"],
  ];
  for (const [value, place] of values) {
    assert.throws(
      () => canonicalJson(value),
      (error) => error instanceof TypeError && error.message.includes(`"${place}"`),
      place,
    );
  }
  assert.throws(() => canonicalJson(undefined), TypeError);
});

test("canonicalJson() equals the canonicalize package on any JSON value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
      assert.equal(canonicalJson(value), canonicalize(value));
    }),
    { numRuns: 500 },
  );
});

test("canonicalJson() equals the canonicalize package on any number", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      assert.equal(canonicalJson(value), canonicalize(value));
    }),
    { numRuns: 2000 },
  );
});

test("canonicalJson() loses nothing", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

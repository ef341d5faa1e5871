// What was computed is computed once, and what is kept has an end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Remembered } from "./remembered.ts";

test("Remembered computes once for each key, also what is false", () => {
  const known = new Remembered<boolean>(10);
  let computed = 0;
  const ask = (key: string): boolean =>
    known.of(key, () => {
      computed += 1;
      return key === "yes";
    });
  assert.deepEqual([ask("yes"), ask("no"), ask("yes"), ask("no")], [true, false, true, false]);
  assert.equal(computed, 2);
});

test("Remembered forgets everything rather than keep more than it may", () => {
  const known = new Remembered<number>(2);
  const ask = (key: string, value: number): number => known.of(key, () => value);
  assert.deepEqual([ask("a", 1), ask("b", 2), ask("c", 3)], [1, 2, 3]);
  assert.deepEqual([ask("c", 30), ask("a", 10)], [3, 10]);
});

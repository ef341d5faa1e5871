// A wall that breaks ordinary tools is as wrong as a hole: each tool does the same behind the default policy as on the host.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toolCases } from "./ordinary-tools/cases.ts";
import { compare, lookedThrough, strictFlags } from "./ordinary-tools/compare.ts";

/** Slow ones run here as whoever is not root, and as root in the long lane: shorter ones of their kind run as both. */
const cases = process.getuid?.() === 0 ? toolCases.filter(({ slow }) => slow !== true) : toolCases;

for (const toolCase of cases) {
  test(`inside as outside: ${toolCase.name}`, () => compare(toolCase));
  if (toolCase.strictToo === true) test(`inside as outside, in strict mode: ${toolCase.name}`, () => compare(toolCase, strictFlags));
}

test("many cases changed files, so that there was something to look through for what should not be there", () => {
  const changed = lookedThrough.filter((count) => count > 0).length;
  assert.ok(changed * 4 > lookedThrough.length, `${changed} of ${lookedThrough.length}`);
});

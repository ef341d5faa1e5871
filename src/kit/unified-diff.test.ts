// unifiedDiff(): known hunks, and that a diff applied to the old text gives the new one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as assertProperty, constantFrom, property } from "fast-check";
import { unifiedDiff } from "./unified-diff.ts";

test("unifiedDiff() shows what diff -u shows", () => {
  assert.deepEqual(unifiedDiff("a\nb\nc\n", "a\nB\nc\n"), ["@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]);
  assert.deepEqual(unifiedDiff("", "new\n"), ["@@ -0,0 +1 @@", "+new"]);
  assert.deepEqual(unifiedDiff("old\n", ""), ["@@ -1 +0,0 @@", "-old"]);
  assert.deepEqual(unifiedDiff("same\n", "same\n"), []);
  assert.deepEqual(unifiedDiff("x", "x\n"), ["@@ -1 +1 @@", "-x", "\\ No newline at end of file", "+x"]);
});

test("unifiedDiff() cuts far changes into hunks of their own", () => {
  const lines = Array.from({ length: 40 }, (_, index) => `${index}\n`);
  const changed = lines.with(2, "two\n").with(35, "far\n");
  const hunks = unifiedDiff(lines.join(""), changed.join("")).filter((line) => line.startsWith("@@"));
  assert.deepEqual(hunks, ["@@ -1,6 +1,6 @@", "@@ -33,7 +33,7 @@"]);
});

/** A patch program for the tests: knows nothing of how the diff is made. */
function apply(before: string, diff: readonly string[]): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
  const out: string[] = [];
  let at = 0;
  for (const [index, line] of diff.entries()) {
    const start = /^@@ -(\d+)(?:,(\d+))? /u.exec(line);
    const end = diff[index + 1]?.startsWith("\\ ") === true ? "" : "\n";
    if (start !== null) {
      const first = start[2] === "0" ? Number(start[1]) : Number(start[1]) - 1;
      while (at < first) out.push(old[at++] ?? "");
    } else if (line.startsWith(" ") || line.startsWith("-")) {
      assert.equal(`${line.slice(1)}${end}`, old[at]);
      if (line.startsWith(" ")) out.push(old[at] ?? "");
      at += 1;
    } else if (line.startsWith("+")) out.push(`${line.slice(1)}${end}`);
  }
  return [...out, ...old.slice(at)].join("");
}

test("unifiedDiff() applied to the old text gives the new text", () => {
  const text = array(constantFrom("a", "b", "c", "", "@@", "\\ "), { maxLength: 30 }).chain((lines) =>
    constantFrom("\n", "").map((end) => (lines.length === 0 ? "" : `${lines.join("\n")}${end}`)),
  );
  assertProperty(
    property(text, text, (before, after) => assert.equal(apply(before, unifiedDiff(before, after)), after)),
    { numRuns: 2000 },
  );
});

test("unifiedDiff() of two long texts with nothing in common ends at once", () => {
  const old = Array.from({ length: 5000 }, (_, index) => `old ${index}\n`).join("");
  const now = Array.from({ length: 5000 }, (_, index) => `new ${index}\n`).join("");
  assert.equal(unifiedDiff(old, now).length, 10_001);
});

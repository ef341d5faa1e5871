// The rows of cases as data: none is missing, each names tests that exist, and each row of a table that the tests run is a row of the page.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { hostCases, vias } from "../fixtures/internet/egress-cases.ts";
import { egressRows } from "../fixtures/internet/egress-rows.ts";
import { malformedCases } from "../fixtures/internet/malformed-cases.ts";
import { renderRows, waysOf } from "../fixtures/internet/render-rows.ts";

/** As the cases are numbered: the gaps are neighbours of the row before. */
const numbers =
  "1 2 4 5 7 8 10 11 13 14 16 17 19 20 22 23 25 26 28 29 31 32 34 35 37 38 40 41 43 44 46 47 49 50 52 53 55 56 58 59 61 62 64 65 67 68 70 71 73 74 76 77 79 80 82 83 85 86";

const testOf = (reference: string): readonly [file: string, words: string] => {
  const [file = "", words = ""] = reference.split(/: (.*)/su);
  return [file, words];
};

test("every case has one row, with a test or what is missing", () => {
  assert.deepEqual(
    egressRows.map(({ row }) => row),
    numbers.split(" ").map((number) => `E${number}`),
  );
  for (const { row, tests, pending } of egressRows) assert.ok(tests.length > 0 || pending !== undefined, row);
});

test("every row names titles of tests that exist", async () => {
  for (const reference of egressRows.flatMap(({ tests }) => tests)) {
    const [file, words] = testOf(reference);
    const text = await readFile(path.join(import.meta.dirname, "../..", file), "utf8");
    assert.ok(
      words !== "" && [...text.matchAll(/^ {0,2}test\(\s*["`](.+)["`],/gmu)].some(([, title]) => title?.includes(words)),
      reference,
    );
  }
});

test("a row of a table that the tests run is on the page, with the ways by which it is asked for", () => {
  const known = new Set(egressRows.map(({ row }) => row));
  const asked = [...hostCases, ...malformedCases].map(({ row }) => row).filter((row) => /^E\d/u.test(row));
  assert.deepEqual(
    asked.filter((row) => !known.has(row)),
    [],
  );
  assert.deepEqual([waysOf("E1"), waysOf("E40"), waysOf("E67"), waysOf("E70")], [vias, ["connect"], ["socks"], []]);
  // A row that rests on the table of places is in it.
  for (const { row, tests } of egressRows)
    if (tests[0]?.startsWith("test/gate/egress-table.test.ts: each row") === true) assert.notDeepEqual(waysOf(row), [], row);
});

test("renderRows() has one line for each row", () => {
  const lines = renderRows().split("\n");
  for (const { row } of egressRows) assert.equal(lines.filter((line) => line.startsWith(`| ${row} |`)).length, 1, row);
});

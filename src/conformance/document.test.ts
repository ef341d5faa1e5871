// The conformance page names every case and every deviation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conformanceCases } from "./conformance.ts";
import { conformanceDocument } from "./document.ts";
import { renderMatrix } from "./matrix.ts";

test("conformanceDocument() has a row for every case", () => {
  const page = conformanceDocument();
  for (const { name } of conformanceCases) assert.ok(page.includes(`| ${name} |`), name);
});

test("renderMatrix() numbers deviations and explains them below the table", () => {
  const text = renderMatrix(
    ["a", "b"],
    [
      { name: "one", deviations: [{ case: "b", reason: "no terminal" }] },
      { name: "two", deviations: [] },
    ],
  );
  assert.equal(text, "| case | one | two |\n| --- | --- | --- |\n| a | yes | yes |\n| b | no (1) | yes |\n\n1. one, b: no terminal\n");
});

test("conformanceCases have unique names", () => {
  assert.equal(new Set(conformanceCases.map(({ name }) => name)).size, conformanceCases.length);
});

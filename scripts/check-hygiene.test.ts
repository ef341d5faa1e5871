// Each thing that must not be published, planted and found.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hygieneFindings } from "./checks/hygiene-rules.ts";

const planted: readonly (readonly [name: string, file: string, text: string])[] = [
  ["a download address", "package-lock.json", '{"resolved": "x"}'],
  ["a registry", "docs/a.md", "from registry.npmjs.org"],
  ["a path of one machine", "src/kit/a.ts", '// see "/work/main/x"'],
  ["a note to self", "src/kit/a.ts", "// TODO later"],
  ["a focused test", "src/kit/a.test.ts", 'test.only("x", () => {});'],
  ["a skipped test", "src/kit/a.test.ts", 't.skip("x");'],
  ["a skipped test by option", "src/kit/a.test.ts", 'test("x", { skip: "later" }, () => {});'],
  ["a document from elsewhere", "src/kit/a.ts", "// DESIGN section 7"],
];

for (const [name, file, text] of planted) {
  test(`hygieneFindings() finds ${name}`, () => {
    const findings = hygieneFindings(file, `one\n${text}\n`);
    assert.deepEqual(
      findings.map((finding) => finding.place),
      [`${file}:2`],
    );
  });
}

test("hygieneFindings() leaves ordinary text alone", () => {
  const text = 'test("skips blanks", () => { iterator.skip(1); homework/x; ~/work/x });';
  assert.deepEqual(hygieneFindings("src/kit/a.test.ts", text), []);
});

// Whatever is bound changes the digest, and nothing else does.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { BoundFile } from "../contracts/approval.ts";
import { digestSchema } from "../contracts/ids.ts";
import { type ApprovalSubject, subjectDigest } from "./approval-subject.ts";

const key = new Uint8Array(32).fill(7);
const digest = fc.constantFrom("a", "b").map((digit) => digestSchema.parse(`sha256:${digit.repeat(64)}`));
const word = fc.constantFrom("a", "b", "", "a b", "\udcff", "\\xff", "a\0b", "é", "e\u0301");
const file: fc.Arbitrary<BoundFile> = fc.record({ role: fc.constantFrom("program", "interpreter", "operand"), path: word, digest });
const subject: fc.Arbitrary<ApprovalSubject> = fc.record({
  kind: fc.constantFrom("command", "unsandboxed", "narrow"),
  argv: fc.array(word, { minLength: 1, maxLength: 2 }),
  cwd: word,
  ruleId: fc.option(fc.constantFrom("r", "s"), { nil: undefined }),
  files: fc.array(file, { maxLength: 1 }),
  notBound: fc.array(fc.record({ what: fc.constantFrom("live-input", "program", "operand"), name: word }), { maxLength: 1 }),
  environment: fc.dictionary(fc.constantFrom("A", "B"), word, { maxKeys: 2, noNullPrototype: true }),
  policyHash: fc.constantFrom("p", "q"),
});

/** Unlike the canonical form under test, this keeps every value apart by construction. */
const plain = (value: ApprovalSubject): string =>
  JSON.stringify([
    value.kind,
    value.argv,
    value.cwd,
    value.ruleId ?? null,
    value.files.map(({ role, path, digest: content }) => [role, path, content]),
    value.notBound.map(({ what, name }) => [what, name]),
    Object.entries(value.environment).toSorted(([left], [right]) => (left < right ? -1 : 1)),
    value.policyHash,
  ]);

test("subjectDigest() is equal exactly for equal subjects", () => {
  let equal = 0;
  const property = fc.property(subject, subject, fc.boolean(), (left, other, isCopied) => {
    const right = isCopied ? structuredClone(left) : other;
    const same = plain(left) === plain(right);
    if (same) equal += 1;
    assert.equal(subjectDigest(left, key) === subjectDigest(right, key), same);
  });
  fc.assert(property, { numRuns: 3000 });
  assert.ok(equal > 500);
});

test("subjectDigest() under another key is another one, so that a value cannot be guessed from it", () => {
  const value: ApprovalSubject = {
    kind: "command",
    argv: ["a"],
    cwd: "/",
    ruleId: undefined,
    files: [],
    notBound: [],
    environment: { PASSWORD: "1234" },
    policyHash: "p",
  };
  assert.notEqual(subjectDigest(value, key), subjectDigest(value, new Uint8Array(32)));
});

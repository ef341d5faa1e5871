// The YAML reader, and every construct it refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "./plain-value.ts";
import { SourceFault } from "./source-fault.ts";
import { readYaml } from "./yaml-source.ts";

function faults(text: string): readonly string[] {
  try {
    readYaml(text);
    return [];
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    return error.faults.map(({ situation, line, key }) => `${situation} ${line} ${key}`);
  }
}

test("readYaml() refuses everything by which one text could have two readings or grow", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["a: 1\nb: 2\na: 3\n", ["policy.duplicate-key 3 a"]],
    ['a: 1\n"a": 3\n', ["policy.duplicate-key 2 a"]],
    ["a: {b: 1, b: 2}\n", ["policy.duplicate-key 1 a.b"]],
    ["a: &x [1]\nb: *x\n", ["policy.anchor 1 a", "policy.alias 2 b"]],
    ["&x a: 1\n", ["policy.anchor 1 a"]],
    ["a: !!str 1\n", ["policy.tag 1 a"]],
    ["a: !custom {b: 1}\n", ["policy.tag 1 a"]],
    ["!!map {a: 1}\n", ["policy.tag 1 "]],
    ["<<: {a: 1}\n", ["policy.merge-key 1 "]],
    ["1: x\n", ["policy.key-not-text 1 "]],
    ["null: x\n", ["policy.key-not-text 1 "]],
    ["? [a]\n: b\n", ["policy.key-not-text 1 "]],
    ["a: 1\n---\nb: 2\n", ["policy.several-documents 2 "]],
    ["a: 1\n...\nb: 2\n", ["policy.several-documents 3 "]],
    ["%YAML 1.1\n---\na: yes\n", ["policy.yaml-version 1 "]],
    ["%TAG ! tag:x,2000:\n---\na: 1\n", ["policy.tag 1 "]],
    ["a: [1, 2\n", ["policy.yaml-indent 2 "]],
    ["\ta: 1\n", ["policy.yaml-indent 1 "]],
    ["a: 'x\n", ["policy.yaml-unclosed 2 "]],
    ['a: "\\q"\n', ["policy.yaml-escape 1 "]],
    ["a: b: c\n", ["policy.yaml-key 1 "]],
    ["a: @x\n", ["policy.yaml-unexpected 1 "]],
    ['a: "\\ud800"\n', ["policy.not-utf8 1 a"]],
    [`a: ${"[".repeat(40)}${"]".repeat(40)}\n`, ["policy.too-deep 1 "]],
  ];
  for (const [text, expected] of cases) assert.deepEqual(faults(text), expected, text);
});

test("readYaml() refuses deep nesting without falling over", () => {
  for (const text of ["[".repeat(20_000), "- ".repeat(20_000), "{a: ".repeat(20_000)]) assert.ok(faults(text).length > 0);
});

test("readYaml() multiplies nothing: ten levels of tenfold aliases are refused, not expanded", () => {
  const levels = Array.from(
    { length: 10 },
    (_, level) => `l${level}: &l${level} [${Array.from({ length: 10 }, () => (level === 0 ? "x" : `*l${level - 1}`)).join(", ")}]`,
  );
  const found = faults(`${levels.join("\n")}\n`);
  assert.equal(found.filter((fault) => fault.startsWith("policy.alias")).length, 90);
});

test("readYaml() reads YAML 1.2: yes, on and dates are texts", () => {
  assert.deepEqual(readYaml("a: yes\nb: on\nc: 2026-01-01\nd: 0o17\ne: true\nf: ~\n").value, {
    a: "yes",
    b: "on",
    c: "2026-01-01",
    d: 15,
    e: true,
    f: null,
  });
});

test("readYaml() keeps a key named __proto__ as an ordinary key", () => {
  const { value } = readYaml("__proto__: {polluted: true}\n");
  assert.ok(isRecord(value));
  assert.deepEqual(Object.keys(value), ["__proto__"]);
});

test("readYaml() knows the line of each value", () => {
  const { lines } = readYaml("# head\na:\n  - b\n  - c: 1\n    d: 2\ne: {f: 1}\n");
  assert.deepEqual(
    ["a", "a[0]", "a[1]", "a[1].c", "a[1].d", "e", "e.f"].map((key) => lines.get(key)),
    [2, 3, 4, 4, 5, 6, 6],
  );
});

test("readYaml() reads many keys in linear time", () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join("\n");
  const { lines } = readYaml(text);
  assert.equal(lines.get("k19999"), 20_000);
});

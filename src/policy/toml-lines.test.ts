// That every TOML value has a line.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { stringify } from "smol-toml";
import { dottedKey } from "./key-path.ts";
import { isRecord } from "./plain-value.ts";
import { findTomlLines } from "./toml-lines.ts";
import { readToml } from "./toml-source.ts";

const text = `# head
title = "a # no comment ] ="
[filesystem]
allowRead = [
  'x', # one ]
  """y
z""",
]
"quoted key" . b = 1
[[commands]]
id = "c1"
match = { argvPrefix = ["git",
  "push"] }
[[commands]]
match.argvPrefix = ['''it's
  fine''', "b"]
verdict = "deny"
[commands.extra]
x = 2026-01-01T00:00:00Z
`;

test("findTomlLines() knows the line of each key and item", () => {
  const lines = findTomlLines(text);
  const expected: readonly (readonly [string, number])[] = [
    ["title", 2],
    ["filesystem", 3],
    ["filesystem.allowRead", 4],
    ["filesystem.allowRead[0]", 5],
    ["filesystem.allowRead[1]", 6],
    ['filesystem["quoted key"].b', 9],
    ["commands[0]", 10],
    ["commands[0].id", 11],
    ["commands[0].match.argvPrefix", 12],
    ["commands[0].match.argvPrefix[1]", 13],
    ["commands[1]", 14],
    ["commands[1].match.argvPrefix[1]", 16],
    ["commands[1].verdict", 17],
    ["commands[1].extra.x", 19],
  ];
  for (const [key, line] of expected) assert.equal(lines.get(key), line, key);
});

/** Every key that is in the data. */
function keysOf(value: unknown, path: readonly (string | number)[] = []): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => keysOf(item, [...path, index]));
  if (!isRecord(value)) return [dottedKey(path)];
  return Object.entries(value).flatMap(([name, inner]) => keysOf(inner, [...path, name]));
}

test("findTomlLines() finds every value of every TOML text", () => {
  const name = fc.constantFrom("a", "b c", "d.e", "é", "__proto__", '"');
  const leaf = fc.oneof(fc.string(), fc.integer({ min: -9, max: 9 }), fc.boolean());
  const tree = fc.letrec((tie) => ({
    table: fc.dictionary(
      name,
      fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(leaf, { maxLength: 3 }),
        tie("table"),
        fc.array(tie("table"), { minLength: 1, maxLength: 2 }),
      ),
      {
        maxKeys: 3,
      },
    ),
  })).table;
  fc.assert(
    fc.property(tree, (value) => {
      if (!isRecord(value)) return;
      const source = stringify({ ...value });
      const read = readToml(source);
      for (const key of keysOf(read.value)) assert.ok(read.lines.has(key), `${key}\n${source}`);
    }),
  );
});

test("findTomlLines() ends on any text", () => {
  const piece = fc.constantFrom("[", "]", "[[", "=", '"', "'", '"""', "'''", "#", "\n", ".", "a", "{", "}", ",", "\\", "1");
  fc.assert(fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => findTomlLines(pieces.join("")).size > 0));
});

test("readToml() refuses a dotted key that nests without end", () => {
  for (const parts of [200, 60_000]) assert.throws(() => readToml(`${"a.".repeat(parts)}b = 1\n`), { message: "policy.too-deep" });
});

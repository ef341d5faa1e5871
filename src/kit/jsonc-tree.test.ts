// JSON with comments: what it says, and everything that is none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as holds, json, property } from "fast-check";
import { JsoncFault, jsoncValue, parseJsonc } from "./jsonc-tree.ts";

test("parseJsonc() reads what JSON.parse reads", () => {
  holds(property(json(), (text) => assert.deepEqual(jsoncValue(parseJsonc(text)), JSON.parse(text))));
});

test("parseJsonc() reads comments and trailing commas", () => {
  const text = '// first\n{ /* a */ "a" /* b */ : [1, 2, // two\n ], "b": "// no comment", }\n/* last */';
  assert.deepEqual(jsoncValue(parseJsonc(text)), { a: [1, 2], b: "// no comment" });
});

test("parseJsonc() refuses what is none, and says in which line", () => {
  const rows: readonly (readonly [text: string, line: number])[] = [
    ["", 1],
    ["{", 1],
    ["\n[1 2]", 2],
    ['{"a": 1,, "b": 2}', 1],
    ["[,]", 1],
    ['{"a": 1\n,"a": 2}', 2],
    ["{a: 1}", 1],
    ["'a'", 1],
    ["/* open", 1],
    ['"a\nb"', 1],
    ["01", 1],
    ["{} {}", 1],
    ["\uFEFF{}", 1],
    [`${"[".repeat(200)}${"]".repeat(200)}`, 1],
  ];
  for (const [text, line] of rows)
    assert.throws(
      () => parseJsonc(text),
      (error) => error instanceof JsoncFault && error.line === line,
      text,
    );
});

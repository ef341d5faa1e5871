// One value put into JSON with comments: what is new is there, and not a byte of the rest has changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as holds, dictionary, jsonValue, property, string } from "fast-check";
import { withJsoncValue } from "./edit-jsonc.ts";
import { JsoncFault, jsoncValue, parseJsonc } from "./jsonc-tree.ts";

test("withJsoncValue() keeps comments, order, blanks and line ends, and indents as the neighbours are", () => {
  const before = '{\n\t// mine\n\t"b":   [1, 2], // two\n\n\t"hooks": {\n\t\t"X": [ ], /* x */\n\t}\n}\n';
  const after = withJsoncValue(before, ["hooks", "X", 0], { a: 1 });
  assert.equal(after, before.replace("[ ]", '[\n\t\t\t{\n\t\t\t\t"a": 1\n\t\t\t}\n\t\t]'));
  assert.equal(withJsoncValue(before, ["hooks", "Y"], 1), before.replace("/* x */\n", '/* x */\n\t\t"Y": 1\n'));
  assert.equal(withJsoncValue(before, ["z"], 1), before.replace("\t}\n}", '\t},\n\t"z": 1\n}'));
  assert.equal(
    withJsoncValue('{\r\n    "a": 1 // one\r\n}', ["b"], [2]),
    '{\r\n    "a": 1, // one\r\n    "b": [\r\n        2\r\n    ]\r\n}',
  );
});

test("withJsoncValue() makes what leads to the value, and replaces what is there", () => {
  assert.equal(withJsoncValue("{}\n", ["a", "b", 0], true), '{\n  "a": {\n    "b": [\n      true\n    ]\n  }\n}\n');
  assert.equal(withJsoncValue('{"a": [1, {"b": "x"}]}', ["a", 1, "b"], "y"), '{"a": [1, {"b": "y"}]}');
});

test("withJsoncValue() refuses a path through something else, and an item after a gap", () => {
  for (const [text, path] of [
    ['{"a": 1}', ["a", "b"]],
    ['{"a": {}}', ["a", 0]],
    ["[1]", [2]],
    ["[]", ["a"]],
    ["{", ["a"]],
  ] as const)
    assert.throws(() => withJsoncValue(text, path, 1), JsoncFault);
});

test("withJsoncValue() says afterwards what was said before, and the value", () => {
  const given = property(
    dictionary(string(), jsonValue()),
    array(string(), { minLength: 1, maxLength: 3 }),
    jsonValue(),
    (before, keys, value) => {
      const path = keys.map((key) => `new ${key}`);
      const text = JSON.stringify(before, undefined, 2);
      const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      const expected: unknown = JSON.parse(JSON.stringify({ ...before, ...Object(nested) }));
      assert.deepEqual(jsoncValue(parseJsonc(withJsoncValue(text, path, value))), expected);
    },
  );
  holds(given);
});

// Which lanes run for whom.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lanes, lanesOf } from "./lanes.ts";

test("whoever is not root runs every lane that is not long", () => {
  const expected = lanes.filter((lane) => lane.long !== true).map((lane) => lane.name);
  assert.deepEqual(lanesOf({ long: false, isRoot: false }), [...expected, "fuzz", "user"]);
});

test("root leaves to the ordinary user what is the same for everybody, and to no one else", () => {
  const byRoot = lanesOf({ long: true, isRoot: true });
  const left = lanes.filter((lane) => !byRoot.includes(lane.name)).map((lane) => lane.name);
  assert.deepEqual(left, ["doors"]);
  assert.ok(byRoot.includes("long"));
});

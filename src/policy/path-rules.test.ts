// The path judges against a second, naive reading of the rules.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { PathPolicy } from "../contracts/boundary.ts";
import { isWithin, judgeRead, judgeWrite } from "./path-rules.ts";

const place = fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
const places = fc.array(place, { maxLength: 4 });
const rules = fc.record({
  readDefault: fc.constant("system" as const),
  allowRead: places,
  denyRead: places,
  allowWrite: places,
  denyWrite: places,
});

/** A second reading of the rules, step by step from the path upwards, by lists of names. */
function naiveRead(paths: PathPolicy, path: string): string {
  const names = path.split("/").filter((name) => name !== "");
  for (let length = names.length; length >= 0; length -= 1) {
    const here = `/${names.slice(0, length).join("/")}`;
    if (paths.denyRead.includes(here)) return "deny";
    if (paths.allowRead.includes(here) || paths.allowWrite.includes(here)) return "allow";
  }
  return "default";
}

function naiveWrite(paths: PathPolicy, path: string): string {
  const names = path.split("/").filter((name) => name !== "");
  const above = names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`).concat("/");
  if (above.some((here) => paths.denyWrite.includes(here)) || naiveRead(paths, path) === "deny") return "deny";
  return above.some((here) => paths.allowWrite.includes(here)) ? "allow" : "deny";
}

test("judgeRead() and judgeWrite() agree with a naive reading of the rules", () => {
  fc.assert(
    fc.property(rules, place, (paths, path) => {
      assert.equal(judgeRead(paths, path), naiveRead(paths, path));
      assert.equal(judgeWrite(paths, path), naiveWrite(paths, path));
    }),
    { numRuns: 500 },
  );
});

test("isWithin() does not take /project-other for a part of /project", () => {
  assert.ok(isWithin("/project", "/project"));
  assert.ok(isWithin("/project/a", "/project"));
  assert.ok(isWithin("/project", "/"));
  assert.ok(!isWithin("/project-other", "/project"));
  assert.ok(!isWithin("/", "/project"));
});

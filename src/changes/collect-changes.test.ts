// The bounds of a list of changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../contracts/changes.ts";
import { fitting } from "./collect-changes.ts";

const change = (path: string): Change => ({ path, kind: "created", commands: [1] });

test("fitting() keeps the first that fit, by number and by length, and counts the others", () => {
  const changes = ["/c", "/a", "/b"].map(change);
  const length = JSON.stringify(changes[0]).length;
  const paths = (most: Parameters<typeof fitting>[1]) => {
    const { kept, left } = fitting(changes, most);
    return [kept.map(({ path }) => path), left];
  };
  assert.deepEqual(paths({ changes: 9, textLength: 3 * length }), [["/a", "/b", "/c"], 0]);
  assert.deepEqual(paths({ changes: 2, textLength: 3 * length }), [["/a", "/c"], 1]);
  assert.deepEqual(paths({ changes: 9, textLength: 3 * length - 1 }), [["/a", "/c"], 1]);
});

test("fitting() counts the text that a name becomes, not its characters", () => {
  const long = change(`/${"\u0001".repeat(4000)}`);
  const { kept, left } = fitting([long, long, long], { changes: 9, textLength: 60_000 });
  assert.deepEqual([kept.length, left], [2, 1]);
});

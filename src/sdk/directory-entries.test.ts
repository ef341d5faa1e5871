// A directory as `find` tells of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEntries } from "./directory-entries.ts";

const listing = "b\0f\x0012\x001700000000.5\0a\nline\0d\x004096\x001700000001.0000000000\0c\0p\x000\x000.0\0";

test("parseEntries() reads names with line feeds, all kinds and times, by name", () => {
  assert.deepEqual(parseEntries(new TextEncoder().encode(listing)), [
    { name: "a\nline", kind: "directory", bytes: 4096, modifiedMs: 1_700_000_001_000 },
    { name: "b", kind: "file", bytes: 12, modifiedMs: 1_700_000_000_500 },
    { name: "c", kind: "other", bytes: 0, modifiedMs: 0 },
  ]);
});

test("parseEntries() leaves out an entry that a bound has cut, wherever that was", () => {
  const whole = new TextEncoder().encode(listing);
  for (let length = 0; length < whole.length; length += 1) {
    const found = parseEntries(whole.subarray(0, length));
    assert.ok(found.length < 3 && found.every(({ name }) => ["b", "a\nline"].includes(name)), String(length));
  }
});

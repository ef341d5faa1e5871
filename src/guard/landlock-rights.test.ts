// combineRights(), nameRights(), and that the guard's C side knows the same bits.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { combineRights, landlockRights, nameRights, rightsFor } from "./landlock-rights.ts";

test("nameRights() undoes combineRights()", () => {
  assert.deepEqual(nameRights(combineRights(["truncate", "readFile"])), ["readFile", "truncate"]);
  assert.deepEqual(nameRights(0n), []);
  assert.deepEqual(nameRights((1n << 16n) - 1n), Object.keys(landlockRights));
});

test("landlockRights has the bits that native/guard/landlock.c uses", () => {
  const source = readFileSync(new URL("../../native/guard/landlock.c", import.meta.url), "utf8");
  const found = [...source.matchAll(/^#define RIGHT_(\w+) \(1ull << (\d+)\)$/gmu)].map(
    ([, name = "", bit = ""]) => [name, BigInt(bit)] as const,
  );
  assert.ok(found.length >= 6);
  const here = new Map(Object.entries(landlockRights).map(([name, value]) => [name.replaceAll(/[A-Z]/gu, "_$&").toUpperCase(), value]));
  for (const [name, bit] of found) assert.equal(here.get(name), 1n << bit, name);
});

test("rightsFor gives no way to make a device, and reading gives no way to write", () => {
  const writes = combineRights(["writeFile", "truncate", "makeReg", "makeDir", "removeFile", "removeDir", "refer", "makeSym"]);
  assert.equal(rightsFor.read & writes, 0n);
  assert.equal(rightsFor.list, landlockRights.readDir);
  for (const rights of Object.values(rightsFor)) assert.equal(rights & combineRights(["makeChar", "makeBlock"]), 0n);
});

// The header that the thin client is built from and the numbers of this side are the same.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { channels, execFlags, frameTypes, sizes } from "./protocol.ts";

const constantName = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase();

test("protocol.ts holds every number of native/door-protocol.h and no other", () => {
  const header = readFileSync(new URL("../../native/door-protocol.h", import.meta.url), "utf8");
  const found = [...header.matchAll(/^#define DOOR_(\w+) (0x[0-9a-f]+|\d+)u/gmu)].map(([, name, value]) => [name, Number(value)]);
  const groups = { SIZE: sizes, TYPE: frameTypes, EXEC: execFlags, CHANNEL: channels };
  const here = Object.entries(groups).flatMap(([group, values]) =>
    Object.entries(values).map(([name, value]) => [`${group}_${constantName(name)}`, value] as const),
  );
  assert.ok(found.length > 30, `only ${found.length} constants found`);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(here));
});

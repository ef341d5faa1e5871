// The header that the masker is built from and the numbers that this side uses are the same.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import * as protocol from "./masker-protocol.ts";

const groups: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  SIZE: protocol.maskerSizes,
  TYPE: protocol.maskerTypes,
  KIND: protocol.maskerKinds,
  SEGMENT: protocol.maskerSegments,
  MARK: protocol.maskerMarks,
  TROUBLE: protocol.maskerTroubles,
};

test("masker-protocol.ts holds every number of native/masker-protocol.h and no other", () => {
  const header = readFileSync(new URL("../../../native/masker-protocol.h", import.meta.url), "utf8");
  const inHeader = new Map<string, number>();
  for (const [, name, value] of header.matchAll(/^#define GM_(\w+) (0x[0-9a-f]+|\d+)u/gmu)) inHeader.set(name ?? "", Number(value));
  const here = new Map<string, number>();
  for (const [group, values] of Object.entries(groups)) {
    for (const [name, value] of Object.entries(values)) {
      here.set(`${group}_${name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()}`, value);
    }
  }
  assert.ok(inHeader.size > 30, `only ${inHeader.size} constants found`);
  assert.deepEqual(Object.fromEntries(here), Object.fromEntries(inHeader));
});

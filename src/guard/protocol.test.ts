// The header that the C side is built from and the numbers that this side uses are the same.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import * as protocol from "./protocol.ts";

function constantName(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase();
}

const groups: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  SIZE: protocol.sizes,
  TYPE: protocol.frameTypes,
  CHANNEL: protocol.channels,
  FEATURE: protocol.features,
  EXEC: protocol.execFlags,
  COLLECTED: protocol.collected,
  CONTENT: protocol.contents,
  DOMAIN: protocol.domains,
  EXITED: protocol.exitedHow,
  STAGE: protocol.stages,
  LAYER: protocol.layers,
  WALL: protocol.walls,
  CALL: protocol.calls,
  RULE: protocol.rules,
  TOUCH: { ...protocol.touchRecords, ...protocol.touchKept },
  READ: protocol.reads,
  SEGMENT: protocol.segments,
  EXIT: protocol.exitStatus,
};

test("protocol.ts holds every number of native/protocol.h and no other", () => {
  const header = readFileSync(new URL("../../native/protocol.h", import.meta.url), "utf8");
  const inHeader = new Map<string, number>();
  for (const [, name, value] of header.matchAll(/^#define GB_(\w+) (0x[0-9a-f]+|\d+)u/gmu)) inHeader.set(name ?? "", Number(value));
  const here = new Map<string, number>();
  for (const [group, values] of Object.entries(groups)) {
    for (const [name, value] of Object.entries(values)) here.set(`${group}_${constantName(name)}`, value);
  }
  assert.ok(inHeader.size > 60, `only ${inHeader.size} constants found`);
  assert.deepEqual(Object.fromEntries(here), Object.fromEntries(inHeader));
});

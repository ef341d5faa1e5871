// Unit tests of tree heads as C2SP notes, against the writer's reader and the verifier's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { appendLeaf, emptyFrontier, leafHash, rootOf } from "./merkle.ts";
import { bindSigningKey, privateKeyFromSeed } from "./signing-key.ts";
import { seededBytes } from "./testing/ledger-fixture.ts";
import { type LogPosition, formatTreeHead, parseTreeHeads } from "./tree-head.ts";
import { parseHeads, parseVerifierKeys } from "./verify/notes.ts";

const key = bindSigningKey(privateKeyFromSeed(seededBytes("key")(32)), "glovebox/l-0");
const stranger = bindSigningKey(privateKeyFromSeed(seededBytes("stranger")(32)), "glovebox/l-0");

function positionOf(size: number): LogPosition {
  let frontier = emptyFrontier;
  for (let index = 0; index < size; index += 1) frontier = appendLeaf(frontier, leafHash(Buffer.from(String(index))));
  return { segment: 2, offset: 100 * size, leaf: "ab".repeat(32), frontier };
}

test("parseTreeHeads() reads back what formatTreeHead() wrote", () => {
  const positions = [1, 5, 6, 64].map((size) => positionOf(size));
  const bytes = Buffer.from(positions.map((position) => formatTreeHead(position, key)).join(""));
  assert.deepEqual(parseTreeHeads(bytes, key), { heads: positions, bytes: bytes.length, foreign: false });
});

test("formatTreeHead() makes notes that the verifier accepts under the published key", () => {
  const keys = parseVerifierKeys(`${key.verifierKey}\n`);
  assert.ok(keys);
  const position = positionOf(7);
  const [head] = parseHeads(Buffer.from(formatTreeHead(position, key)), keys).heads;
  assert.deepEqual(head, { origin: "glovebox/l-0", size: 7, root: rootOf(position.frontier), signature: "good" });
  assert.equal(parseHeads(Buffer.from(formatTreeHead(position, stranger)), keys).heads[0]?.signature, "unknown");
});

test("parseTreeHeads() keeps whole heads and leaves a torn one, wherever it is torn", () => {
  const first = Buffer.from(formatTreeHead(positionOf(3), key));
  const both = Buffer.concat([first, Buffer.from(formatTreeHead(positionOf(4), key))]);
  for (let cut = first.length; cut < both.length; cut += 1) {
    const { heads, bytes, foreign } = parseTreeHeads(both.subarray(0, cut), key);
    assert.deepEqual([heads.length, bytes, foreign], [1, first.length, false], `cut at ${cut}`);
  }
});

test("parseTreeHeads() calls every altered byte of a whole head foreign or torn, never a head", () => {
  const note = Buffer.from(formatTreeHead(positionOf(3), key));
  for (let index = 0; index < note.length; index += 1) {
    const altered = Buffer.from(note);
    altered[index] = (altered[index] ?? 0) ^ 0x01;
    assert.equal(parseTreeHeads(altered, key).heads.length, 0, `byte ${index}`);
  }
});

test("parseTreeHeads() refuses heads that another key signed or that shrink", () => {
  assert.equal(parseTreeHeads(Buffer.from(formatTreeHead(positionOf(3), stranger)), key).foreign, true);
  const shrinking = [5, 3].map((size) => formatTreeHead(positionOf(size), key)).join("");
  assert.equal(parseTreeHeads(Buffer.from(shrinking), key).foreign, true);
});

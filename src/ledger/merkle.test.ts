// The incremental tree, and the verifier's own one, against RFC 9162 section 2.1.1 read literally.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { appendLeaf, emptyFrontier, leafHash, rootCount, rootOf } from "./merkle.ts";
import { Tree, leafOf } from "./verify/tree.ts";

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();

function naiveRoot(records: readonly Uint8Array[]): Buffer {
  const [first] = records;
  if (first === undefined) return sha256();
  if (records.length === 1) return sha256(Uint8Array.of(0), first);
  let split = 1;
  while (split * 2 < records.length) split *= 2;
  return sha256(Uint8Array.of(1), naiveRoot(records.slice(0, split)), naiveRoot(records.slice(split)));
}

test("appendLeaf() and rootOf() equal the naive tree at every size", () => {
  const records = Array.from({ length: 70 }, (_, index) => Buffer.from(`record ${index}`));
  let frontier = emptyFrontier;
  const tree = new Tree();
  assert.deepEqual(rootOf(frontier), naiveRoot([]));
  assert.deepEqual(tree.root(), naiveRoot([]));
  for (const [index, record] of records.entries()) {
    frontier = appendLeaf(frontier, leafHash(record));
    tree.add(leafOf(record));
    assert.deepEqual(rootOf(frontier), naiveRoot(records.slice(0, index + 1)));
    assert.deepEqual(tree.root(), rootOf(frontier));
    assert.equal(frontier.roots.length, rootCount(frontier.size));
  }
});

test("rootOf() changes when any leaf changes", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 8 }), { minLength: 1, maxLength: 40 }), fc.nat(), (records, pick) => {
      const root = (all: readonly Uint8Array[]): Buffer =>
        rootOf(all.reduce((frontier, record) => appendLeaf(frontier, leafHash(record)), emptyFrontier));
      const changed = records.map((record, index) => (index === pick % records.length ? Uint8Array.of(...record, 1) : record));
      assert.deepEqual(root(records), naiveRoot(records));
      assert.notDeepEqual(root(changed), root(records));
    }),
  );
});

test("rootOf() of RFC 6962's empty tree and first leaf", () => {
  assert.equal(rootOf(emptyFrontier).toString("hex"), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.equal(leafHash(Buffer.alloc(0)).toString("hex"), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
});

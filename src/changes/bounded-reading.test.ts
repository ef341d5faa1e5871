// What a hostile task may cost its reader.
import assert from "node:assert/strict";
import { linkSync, mkdtempSync, realpathSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { removeTree } from "../kit/remove-tree.ts";
import { BoundedReading } from "./bounded-reading.ts";
import { RootTree } from "./root-tree.ts";

const mebibyte = 1024 * 1024;

async function withTree(use: (tree: RootTree, at: (name: string) => string) => void): Promise<void> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "glovebox-reading-")));
  const { dev, ino } = statSync(root, { bigint: true });
  const tree = RootTree.open(root, `${dev}:${ino}`) ?? assert.fail("no tree");
  try {
    use(tree, (name) => path.join(root, name));
  } finally {
    tree.close();
    await removeTree(root, { parent: path.dirname(root) });
  }
}

test("BoundedReading reads a file with several names once, and no more bytes in all than its bound", async () => {
  await withTree((tree, at) => {
    const found = (name: string) => tree.look(at(name)) ?? assert.fail(name);
    writeFileSync(at("a"), "");
    truncateSync(at("a"), mebibyte);
    linkSync(at("a"), at("b"));
    writeFileSync(at("c"), "x");
    writeFileSync(at("d"), "y");
    const reading = new BoundedReading({ hashed: mebibyte + 1, text: 1 });
    const hash = reading.hash(tree, at("a"), found("a")) ?? assert.fail("not hashed");
    assert.equal(reading.hash(tree, at("b"), found("b")), hash);
    assert.notEqual(reading.hash(tree, at("c"), found("c")), undefined);
    assert.equal(reading.hash(tree, at("d"), found("d")), undefined);
    assert.equal(reading.text(tree, at("c"), found("c")), "x");
    assert.equal(reading.text(tree, at("d"), found("d")), undefined);
  });
});

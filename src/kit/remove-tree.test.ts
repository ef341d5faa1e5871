// Removes trees of every shape, and nothing that lies outside them.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { removeTree } from "./remove-tree.ts";

test("removeTree() removes small, deep and wide trees whole, and never what a link in them leads to", async () => {
  const parent = await mkdtemp(path.join(tmpdir(), "glovebox-remove-"));
  try {
    const kept = path.join(parent, "kept");
    await mkdir(kept);
    await writeFile(path.join(kept, "file"), "stays");
    const deep = path.join(parent, "tree", ...Array.from({ length: 7 }, (_, level) => `level${level}`));
    await mkdir(deep, { recursive: true });
    await writeFile(path.join(deep, "file"), "goes");
    for (const place of [path.join(parent, "tree"), deep]) await symlink(kept, path.join(place, "link"));
    const wide = path.join(parent, "wide");
    await mkdir(wide);
    for (let index = 0; index < 600; index += 1) await writeFile(path.join(wide, `${"x".repeat(60)}${index}`), "");
    const small = path.join(parent, "small");
    await mkdir(path.join(small, "inner"), { recursive: true });
    await writeFile(path.join(small, "inner/file"), "goes");
    await symlink(kept, path.join(small, "link"));
    for (const name of ["tree", "wide", "small"]) assert.equal(await removeTree(path.join(parent, name), { parent }), true, name);
    assert.deepEqual(await readdir(parent), ["kept"]);
    assert.deepEqual(await readdir(kept), ["file"]);
    assert.equal(await removeTree(path.join(parent, "tree"), { parent }), false);
  } finally {
    await removeTree(parent, { parent: path.dirname(parent) });
  }
});

test("removeTree() refuses what is not strictly inside the parent", async () => {
  for (const target of ["/a", "/a/../b", "/"]) await assert.rejects(removeTree(target, { parent: "/a" }), TypeError);
});

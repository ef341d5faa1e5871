// Removes trees of every shape, and nothing that lies outside them.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync } from "node:fs";
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

test("removeTree() removes directories that let nobody in, names that are no text, and trees deeper than a path may be long", async () => {
  const parent = await mkdtemp(path.join(tmpdir(), "glovebox-remove-"));
  const cwd = process.cwd();
  try {
    const tree = path.join(parent, "tree");
    await mkdir(path.join(tree, "closed/inner"), { recursive: true });
    await writeFile(path.join(tree, "closed/inner/file"), "");
    await symlink("/usr", path.join(tree, "closed/link"));
    mkdirSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0x61])]));
    process.chdir(tree);
    for (let level = 0; level < 20; level += 1) {
      const name = `${"d".repeat(250)}${level}`;
      mkdirSync(name);
      process.chdir(name);
    }
    process.chdir(cwd);
    chmodSync(path.join(tree, "closed/inner"), 0);
    chmodSync(path.join(tree, "closed"), 0o500);
    assert.equal(await removeTree(tree, { parent }), true);
    assert.deepEqual(await readdir(parent), []);
  } finally {
    process.chdir(cwd);
    await removeTree(parent, { parent: path.dirname(parent) });
  }
});

test("removeTree() refuses what is not strictly inside the parent", async () => {
  for (const target of ["/a", "/a/../b", "/"]) await assert.rejects(removeTree(target, { parent: "/a" }), TypeError);
});

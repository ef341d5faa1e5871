// What the mediator should have refused is found after the sandbox: with a guard that refuses no name, and with the product's guard, where
// there must be nothing to find.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { gatherChanges } from "../../src/changes/changes.ts";
import { base, installation, makeWorld, open, runIn, type World } from "./process-boundary-fixture.ts";

const judgeless = { guardPath: path.join(installation, "build/test/guard"), testLayers: { outer: true, inner: true, judges: false } };

/** Each line is tried whatever became of the one before. */
const planting = [
  "git init -q .",
  "printf '#!/bin/sh\\n' > .git/hooks/pre-commit",
  "git config core.fsmonitor /tmp/x",
  "mkdir -p deep/.vscode && echo '{}' > deep/.vscode/tasks.json",
  "echo x > .envrc",
  "echo x > .bashrc; mv .bashrc sub.txt; mv sub.txt .profile",
  "ln -s /etc/passwd .zshrc",
  "mkdir .claude; echo x > plain.txt",
].join("\n");

async function gather(world: World, extra: Parameters<typeof open>[1], name: string) {
  const spec = world.spec();
  const sandbox = await open(spec, extra);
  await runIn(sandbox, ["sh", "-c", planting], world.project);
  await sandbox.close();
  const quarantine = path.join(base, name);
  await mkdir(quarantine);
  const found = await gatherChanges({
    task: spec.taskId,
    privateDirectory: spec.privateDirectory,
    beforeDirectory: path.join(base, `${name}-before`),
    quarantineDirectory: quarantine,
    seal: (_, bytes) => bytes,
    nowMs: Date.now(),
    retentionDays: 1,
  });
  return {
    found: found ?? assert.fail("nothing changed"),
    quarantine: path.join(quarantine, `${spec.taskId}.${found?.summary.keptUntil}`),
  };
}

test("gatherChanges() moves what was planted past a mediator that refuses no name, counts it, and leaves the rest", async () => {
  const world = await makeWorld();
  await mkdir(path.join(base, "judgeless-before"));
  await writeFile(path.join(world.project, ".envrc"), "mine\n");
  const { found, quarantine } = await gather(world, judgeless, "judgeless");
  const names = found.summary.quarantined.map((file) => path.relative(world.project, file));
  assert.deepEqual(names, [
    ".claude",
    ".envrc",
    ".git/config",
    ".git/hooks/pre-commit",
    ".profile",
    ".zshrc",
    "deep/.vscode",
    "deep/.vscode/tasks.json",
  ]);
  assert.equal(found.summary.counts.quarantined, names.length);
  for (const name of names) await assert.rejects(readFile(path.join(world.project, name)), { code: "ENOENT" }, name);
  assert.equal(await readFile(path.join(world.project, "plain.txt"), "utf8"), "x\n");
  // Directories are taken away, files and links are kept.
  assert.equal((await readdir(quarantine)).length, 6);
});

test("gatherChanges() finds nothing behind the product's guard", async () => {
  const world = await makeWorld();
  await mkdir(path.join(base, "product-before"));
  const { found } = await gather(world, {}, "product");
  assert.deepEqual([found.summary.quarantined, found.summary.counts.quarantined], [[], 0]);
  assert.ok(found.summary.counts.created > 5);
});

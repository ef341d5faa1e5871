// Which files the checks look at.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { listFiles } from "./project-files.ts";

test("listFiles() gives what somebody wrote, and neither outputs nor git's own, be .git a directory or a worktree's file", (t) => {
  const root = mkdtempSync(path.join(tmpdir(), "glovebox-files-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const directory of ["src", "build", "linked"]) mkdirSync(path.join(root, directory));
  for (const file of [".npmrc", "src/a.ts", "build/b.ts", "linked/.git", ".git"]) writeFileSync(path.join(root, file), "");
  assert.deepEqual(listFiles(root, ["*", ".*", "**/*", "**/.*"]), [".npmrc", "src/a.ts"]);
});

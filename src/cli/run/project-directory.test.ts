// findProjectDirectory(): climbs to the git top level, never too far, and never through a directory that others can write.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { removeTree } from "../../kit/remove-tree.ts";
import { findProjectDirectory } from "./project-directory.ts";

/** `home/project/a/b`, all private. */
async function withTree(use: (home: string, project: string, deep: string) => Promise<void>): Promise<void> {
  const home = await realpath(await mkdtemp(path.join(tmpdir(), "glovebox-project-")));
  try {
    const project = path.join(home, "project");
    const deep = path.join(project, "a", "b");
    await mkdir(deep, { recursive: true });
    await use(home, project, deep);
  } finally {
    await removeTree(home, { parent: path.dirname(home) });
  }
}

const refusal = (situation: string) => (error: unknown) => error instanceof GloveboxError && error.situation === situation;

test("findProjectDirectory() finds the git top level above, whether .git is a directory or a worktree's file", async () => {
  await withTree(async (home, project, deep) => {
    await mkdir(path.join(project, ".git"));
    assert.equal(await findProjectDirectory(undefined, { cwd: deep, home }), project);
    await writeFile(path.join(deep, ".git"), "gitdir: elsewhere\n");
    assert.equal(await findProjectDirectory(undefined, { cwd: deep, home }), deep);
  });
});

test("findProjectDirectory() takes the current directory when there is no repository, or only one in the home directory", async () => {
  await withTree(async (home, _project, deep) => {
    assert.equal(await findProjectDirectory(undefined, { cwd: deep, home }), deep);
    await mkdir(path.join(home, ".git"));
    assert.equal(await findProjectDirectory(undefined, { cwd: deep, home }), deep);
  });
});

test("findProjectDirectory() does not climb through a directory that everybody can write, nor follow a link named .git", async () => {
  await withTree(async (home, project, deep) => {
    await mkdir(path.join(project, ".git"));
    await chmod(project, 0o777);
    assert.equal(await findProjectDirectory(undefined, { cwd: deep, home }), deep);
    await symlink("/tmp", path.join(deep, ".git"));
    assert.equal(await findProjectDirectory(undefined, { cwd: deep, home }), deep);
  });
});

test("findProjectDirectory() obeys the asked directory and resolves links", async () => {
  await withTree(async (home, project, deep) => {
    await mkdir(path.join(project, ".git"));
    await symlink(deep, path.join(project, "link"));
    assert.equal(await findProjectDirectory(path.join(project, "link"), { cwd: home, home }), deep);
  });
});

test("findProjectDirectory() takes no directory below a policy for the project unless it is asked to", async () => {
  await withTree(async (home, project, deep) => {
    await writeFile(path.join(project, "glovebox.yaml"), "");
    await assert.rejects(findProjectDirectory(undefined, { cwd: deep, home }), refusal("usage.policy-above"));
    await mkdir(path.join(project, ".git"));
    assert.equal(await findProjectDirectory(undefined, { cwd: deep, home }), project);
    await mkdir(path.join(deep, ".git"));
    await assert.rejects(findProjectDirectory(undefined, { cwd: deep, home }), refusal("usage.policy-above"));
    assert.equal(await findProjectDirectory(deep, { cwd: deep, home }), deep);
  });
});

test("findProjectDirectory() refuses /, the home directory, what is above it, and what does not exist", async () => {
  await withTree(async (home, project) => {
    for (const wide of ["/", home, path.dirname(home)]) {
      await assert.rejects(findProjectDirectory(wide, { cwd: project, home }), refusal("usage.project-too-wide"));
      await assert.rejects(findProjectDirectory(undefined, { cwd: wide, home }), refusal("usage.project-too-wide"));
    }
    await symlink(home, path.join(project, "home"));
    await assert.rejects(findProjectDirectory(path.join(project, "home"), { cwd: project, home }), refusal("usage.project-too-wide"));
    await assert.rejects(findProjectDirectory(path.join(project, "absent"), { cwd: project, home }), refusal("usage.directory-missing"));
  });
});

// Tests that a linked worktree's repository is named when the policy does not show it, and that a hostile pointer is not followed.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { absentRepository } from "./worktree-note.ts";

async function worktree(t: TestContext): Promise<{ readonly project: string; readonly repository: string }> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "glovebox-worktree-")));
  t.after(() => rm(base, { recursive: true }));
  const [project, repository] = [path.join(base, "tree"), path.join(base, "repo/.git")];
  await mkdir(project);
  await mkdir(path.join(repository, "worktrees/tree"), { recursive: true });
  await writeFile(path.join(project, ".git"), `gitdir: ${repository}/worktrees/tree\n`);
  return { project, repository };
}

const rules =
  (allowRead: readonly string[], allowWrite: readonly string[] = []) =>
  () =>
    Promise.resolve({ readDefault: "system", allowRead, allowWrite, denyRead: [], denyWrite: [] } as const);

test("absentRepository() names the repository of a linked worktree until the policy shows it", async (t) => {
  const { project, repository } = await worktree(t);
  assert.equal(await absentRepository(project, rules([], [project])), repository);
  assert.equal(await absentRepository(project, rules([path.dirname(repository)])), undefined);
  assert.equal(await absentRepository(project, rules([], [repository])), undefined);
  assert.equal(await absentRepository(project, rules([`${repository}-other`])), repository);
  await writeFile(path.join(project, ".git"), "gitdir: ../repo/.git/worktrees/tree\n");
  assert.equal(await absentRepository(project, rules([])), repository, "a relative pointer");
});

test("absentRepository() says nothing of a plain repository, of a pointer elsewhere, and of what is too long to be one", async (t) => {
  const { project, repository } = await worktree(t);
  const pointer = path.join(project, ".git");
  for (const text of [
    "gitdir: /etc/shadow\n",
    "gitdir: \n",
    "x\n",
    `gitdir: ${repository}/worktrees/tree\nmore\n`,
    "gitdir: /absent/worktrees/x\n",
  ]) {
    await writeFile(pointer, text);
    assert.equal(await absentRepository(project, rules([])), undefined, text);
  }
  await writeFile(pointer, `gitdir: ${repository}/worktrees/${"t".repeat(9000)}\n`);
  assert.equal(await absentRepository(project, rules([])), undefined);
  await rm(pointer);
  await mkdir(pointer);
  assert.equal(await absentRepository(project, rules([])), undefined);
});

// Repositories outside the project: refused under the default policy, with a word about why; and what opens them opens no hook.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { hostHas } from "./harness/stages.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

const person = "-c user.name=A -c user.email=a@example.org";

interface Elsewhere {
  readonly root: string;
  host(script: string): Promise<string>;
  inside(script: string, flags?: readonly string[]): Promise<Captured>;
}

/** A repository and, beside it, a linked worktree that is the project. */
async function openElsewhere(t: TestContext): Promise<Elsewhere> {
  const root = await realpath(await mkdtemp("/var/tmp/gb-elsewhere-"));
  t.after(() => removeScratch(root));
  const environment = { PATH: "/usr/bin:/bin", HOME: path.join(root, "home"), XDG_STATE_HOME: path.join(root, "state"), NO_COLOR: "1" };
  await mkdir(environment.HOME);
  await mkdir(environment.XDG_STATE_HOME, { mode: 0o700 });
  const start = (words: readonly string[]): Promise<Captured> =>
    capture("/usr/bin/env", ["-C", path.join(root, "tree"), ...words], { environment, timeoutMs: 120_000 });
  const made = await capture(
    "/bin/sh",
    [
      "-c",
      `cd "$0" && git init -q -b main repo && git -C repo ${person} commit -q --allow-empty -m one && git -C repo worktree add -q ../tree && git init -q --bare bare.git`,
      root,
    ],
    { environment },
  );
  assert.equal(made.code, 0, made.stderr);
  return {
    root,
    host: async (script) => (await start(["/bin/sh", "-c", script])).stdout,
    inside: (script, flags = []) => start([process.execPath, commandLine, "run", "--quiet", ...flags, "--", "/bin/sh", "-c", script]),
  };
}

test("a worktree whose repository lies outside: git finds none, the run says where it lies and how to open it", async (t) => {
  const { root, inside } = await openElsewhere(t);
  const { code, stderr } = await inside("git status");
  assert.equal(code, 128);
  assert.match(stderr, /not a git repository/u);
  assert.ok(stderr.includes(path.join(root, "repo/.git")) && stderr.includes("--allow-read") && stderr.includes("--allow-write"), stderr);
});

test("opened for reading it can be read; opened for writing it takes commits, and neither hooks nor keys that execute", async (t) => {
  const { root, host, inside } = await openElsewhere(t);
  const repository = path.join(root, "repo/.git");
  const read = await inside("git log --format=%s; echo x > f; git add f", ["--allow-read", repository]);
  assert.equal(read.stdout, "one\n");
  assert.match(read.stderr, /Read-only file system/u);
  const attempts = `git config core.pager evil; echo evil > "${repository}/hooks/post-commit"; echo evil >> "${repository}/config"`;
  await inside(`echo x > f; git add f && git ${person} commit -qm two; ${attempts}`, ["--allow-write", repository]);
  assert.equal(await host("git log --format=%s; git config --get core.pager"), "two\none\n");
  assert.equal(await hostHas(path.join(repository, "hooks/post-commit")), false);
});

test("a push to a repository outside the project is refused, and arrives once the policy opens it", async (t) => {
  const { root, host, inside } = await openElsewhere(t);
  const target = path.join(root, "bare.git");
  const push = `git ${person} init -q -b main own && cd own && git ${person} commit -q --allow-empty -m mine && git push -q "${target}" main`;
  const refused = await inside(push);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /does not appear to be a git repository/u);
  assert.equal(await host(`git -C "${target}" for-each-ref`), "");
  const opened = await inside(`rm -rf own; ${push}; echo evil > "${target}/hooks/post-update"`, ["--allow-write", target]);
  assert.equal(await host(`git -C "${target}" log --format=%s main`), "mine\n", opened.stderr);
  assert.equal(await hostHas(path.join(target, "hooks/post-update")), false);
});

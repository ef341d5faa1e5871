// Deny globs in a real sandbox: what exists at open, what the host makes or replaces later, what the command makes itself.
import assert from "node:assert/strict";
import { link, mkdir, readFile, rename, symlink, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import type { PathGlob, Sandbox } from "../../src/contracts/boundary.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { globSegments, literalSegments } from "../../src/kit/path-glob.ts";
import { makeWorld, open, processesWith, quiet, runIn, type World } from "./process-boundary-fixture.ts";
import { waitUntil } from "../fixtures/wait-until.ts";

const globBelow = (base: string, pattern: string): PathGlob => ({
  text: `${base}/${pattern}`,
  segments: [...literalSegments(base), ...globSegments(pattern)],
});
const envFiles = (world: World): { readonly denyReadGlobs: readonly PathGlob[] } => ({ denyReadGlobs: [globBelow(world.home, "**/.env")] });

async function shell(sandbox: Sandbox, world: World, script: string): Promise<string> {
  return (await runIn(sandbox, ["sh", "-c", `exec 2>&1; ${script}`], world.project)).output;
}

async function saveOver(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o644 });
  await rename(`${file}.new`, file);
}

/** Resolves when the masker has told of one more: what the host did is hidden by then. */
async function untilMasked(sandbox: Sandbox, total: number): Promise<void> {
  await waitUntil(`${total} late masks`, () => Promise.resolve(sandbox.lateMasks.total >= total));
}

test("a deny glob hides what exists before the first command, with what a link of that name leads to", async () => {
  const world = await makeWorld();
  const deep = path.join(world.project, "a/b/c/d/e/f");
  await mkdir(deep, { recursive: true });
  await writeFile(path.join(deep, ".env"), "canary-deep");
  await mkdir(path.join(world.project, "venv/.env"), { recursive: true });
  await writeFile(path.join(world.project, "venv/.env/inner"), "canary-inner");
  await writeFile(path.join(world.project, "target"), "canary-target");
  await symlink("../target", path.join(world.project, "a/.env"));
  const sandbox = await open(world.spec(envFiles(world)));
  const script = "cat .env a/b/c/d/e/f/.env venv/.env/inner a/.env target; ls venv/.env; echo x > .env; cat a.txt";
  const output = await shell(sandbox, world, script);
  assert.doesNotMatch(output, /canary/u);
  assert.match(output, /a$/u);
  assert.equal(output.match(/Permission denied/gu)?.length, 7);
  assert.match(sandbox.walls.layers.at(-1)?.detail ?? "", /5 matches masked/u);
  await sandbox.close();
  assert.equal(await readFile(path.join(world.project, ".env"), "utf8"), "canary-env");
});

test("an allow of exactly the matching path takes it out of the glob", async () => {
  const world = await makeWorld();
  await mkdir(path.join(world.project, "sub"));
  await writeFile(path.join(world.project, "sub/.env"), "canary-sub");
  const sandbox = await open(world.spec({ ...envFiles(world), allowRead: [path.join(world.project, ".env")] }));
  const output = await shell(sandbox, world, "cat .env sub/.env");
  assert.match(output, /canary-env/u);
  assert.doesNotMatch(output, /canary-sub/u);
});

test("what the host makes or replaces later is hidden again, and told with its rule", async () => {
  const world = await makeWorld();
  await writeFile(path.join(world.project, "target"), "canary-old");
  await mkdir(path.join(world.project, "linked"));
  await symlink("../target", path.join(world.project, "linked/.env"));
  const sandbox = await open(world.spec({ ...envFiles(world), denyRead: [path.join(world.project, "docs")] }));
  const six = path.join(world.project, "1/2/3/4/5/6");
  await mkdir(six, { recursive: true });
  await writeFile(path.join(six, ".env"), "canary-late");
  await saveOver(path.join(world.project, ".env"), "canary-saved");
  await saveOver(path.join(world.project, "target"), "canary-new-target");
  await rename(path.join(world.project, "docs"), path.join(world.project, "docs.old"));
  await mkdir(path.join(world.project, "docs"));
  await writeFile(path.join(world.project, "docs/new"), "canary-docs");
  await mkdir(path.join(world.home, "made/inner"), { recursive: true });
  await writeFile(path.join(world.home, "made/inner/.env"), "canary-moved");
  await rename(path.join(world.home, "made"), path.join(world.project, "made"));
  await untilMasked(sandbox, 5);
  await link(path.join(six, ".env"), path.join(world.project, "second-name"));
  await untilMasked(sandbox, 6);
  const output = await shell(
    sandbox,
    world,
    "cat 1/2/3/4/5/6/.env .env target linked/.env docs/new docs.old/deep/kept.md made/inner/.env second-name; cat a.txt",
  );
  assert.doesNotMatch(output, /canary|kept$/mu);
  assert.match(output, /a$/u);
  const { first } = sandbox.lateMasks;
  assert.ok(first.some(({ path: told, rule }) => told === path.join(six, ".env") && rule === `${world.home}/**/.env`));
  assert.ok(first.some(({ path: told, rule }) => told === path.join(world.project, "docs") && rule === told));
});

for (const strict of [false, true]) {
  test(`a literal path that is missing at open is made by nobody inside, and hidden when the host makes it, strict ${strict}`, async () => {
    const world = await makeWorld();
    const [file, deep] = [path.join(world.project, "later"), path.join(world.project, "not/yet/secret")];
    const sandbox = await open(world.spec({ strict, denyRead: [file, deep] }));
    assert.ok(sandbox.walls.hidden.includes(file));
    const tries =
      "echo x > later; mkdir -p not/yet; echo x > not/yet/secret; echo x > p; mv p later; ln -s a.txt later; mkdir -p q/yet; echo x > q/yet/secret; mv q/* not; ls -A . not/yet";
    const made = (await shell(sandbox, world, `(${tries}) 2>/dev/null`)).split("\n");
    assert.ok(made.includes("not") && !made.includes("later") && !made.includes("secret"), made.join("\n"));
    await writeFile(file, "canary-file");
    await mkdir(path.dirname(deep), { recursive: true });
    await writeFile(deep, "canary-deep");
    if (!strict) await untilMasked(sandbox, 2);
    const output = await shell(sandbox, world, "cat later not/yet/secret a.txt");
    assert.doesNotMatch(output, /canary/u);
    assert.match(output, /a$/u);
  });
}

test("a directory that the host renames keeps its masks, and one in its place gets new ones", async () => {
  const world = await makeWorld();
  await mkdir(path.join(world.project, "config"));
  await writeFile(path.join(world.project, "config/.env"), "canary-first");
  const sandbox = await open(world.spec(envFiles(world)));
  await rename(path.join(world.project, "config"), path.join(world.project, "config.old"));
  await mkdir(path.join(world.project, "config"));
  await writeFile(path.join(world.project, "config/.env"), "canary-second");
  await untilMasked(sandbox, 1);
  const output = await shell(sandbox, world, "cat config/.env config.old/.env; mv config.old elsewhere && cat elsewhere/.env");
  assert.equal(output.match(/Permission denied/gu)?.length, 3);
});

test("the command's own match is hidden from it, and is on the host as it was written", async () => {
  const world = await makeWorld();
  const sandbox = await open(world.spec(envFiles(world)));
  const made = shell(
    sandbox,
    world,
    "mkdir -p own/deep && echo mine > own/deep/.env && while cat own/deep/.env; do :; done 2>/dev/null; ls own/deep/.env",
  );
  await untilMasked(sandbox, 1);
  assert.match(await made, /own\/deep\/\.env\n$/u);
  await sandbox.close();
  assert.equal(await readFile(path.join(world.project, "own/deep/.env"), "utf8"), "mine\n");
});

test("a match that is shown under another name refuses the sandbox and names both; other names that match or are nowhere inside do not", async () => {
  const world = await makeWorld();
  await mkdir(path.join(world.project, "copy/.env"), { recursive: true });
  await link(path.join(world.project, ".env"), path.join(world.home, "elsewhere"));
  await link(path.join(world.project, ".env"), path.join(world.project, "docs/.env"));
  await writeFile(path.join(world.project, "copy/.env/inner"), "canary-inner");
  const sandbox = await open(world.spec(envFiles(world)));
  assert.doesNotMatch(await shell(sandbox, world, "cat .env docs/.env copy/.env/inner"), /canary/u);
  const refused = async (first: string, second: string): Promise<void> => {
    await link(path.join(world.project, first), path.join(world.project, second));
    const values = { path: path.join(world.project, first), other: path.join(world.project, second) };
    await assert.rejects(open(world.spec(envFiles(world))), (error) => {
      assert.ok(error instanceof GloveboxError);
      assert.equal(error.sentence.key, "error.wall.second-name.message");
      assert.deepEqual({ path: error.values["path"], other: error.values["other"] }, values);
      return true;
    });
    await unlink(path.join(world.project, second));
  };
  await refused("copy/.env/inner", "docs/inner");
  await refused(".env", "docs/deep/second");
});

test("a link of a denied name that leads to the project refuses the sandbox", async () => {
  const other = await makeWorld();
  await mkdir(path.join(other.project, "x"));
  await symlink("..", path.join(other.project, "x/.env"));
  await assert.rejects(open(other.spec(envFiles(other))), { code: "PATH_RULE_UNENFORCEABLE", situation: "wall.mask-targets" });
  assert.deepEqual(await processesWith(path.join(other.project, "x")), []);
});

test("a project in what a glob denies is refused", async () => {
  const world = await makeWorld();
  const paths = { denyReadGlobs: [globBelow(world.home, "w*")] };
  await assert.rejects(open(world.spec(paths)), { code: "PATH_RULE_UNENFORCEABLE", situation: "wall.work-hidden" });
});

test("the end of the masker is the end of its sandbox", async () => {
  const world = await makeWorld();
  const spec = world.spec(envFiles(world));
  const sandbox = await open(spec);
  const running = await sandbox.exec({ argv: ["sleep", "1000"], cwd: world.project });
  const [masker, ...others] = await maskersOf(spec.sandboxId);
  assert.deepEqual(others, []);
  process.kill(Number(masker), "SIGKILL");
  assert.deepEqual(await running.exit, { kind: "lost", reason: "wall.masker-lost" });
  await assert.rejects(sandbox.exec({ argv: ["true"], cwd: world.project }), { situation: "wall.masker-lost" });
  await sandbox.close();
  assert.equal(sandbox.lateMasks.trouble?.key, "error.wall.masker-lost.message");
  assert.deepEqual(await processesWith(spec.sandboxId), []);
});

async function maskersOf(sandboxId: string): Promise<readonly string[]> {
  const pids = await processesWith(sandboxId);
  const names = await Promise.all(pids.map(async (pid) => (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0")[0] ?? ""));
  return pids.filter((_, index) => path.basename(names[index] ?? "") === "masker");
}

test("a sandbox that is aborted while its tree is looked through leaves nothing", async () => {
  const world = await makeWorld();
  const spec = world.spec(envFiles(world));
  const { options } = await import("./process-boundary-fixture.ts");
  const { openProcessBoundary } = await import("../../src/boundaries/process/process.ts");
  const controller = new AbortController();
  const opening = openProcessBoundary(options).open(spec, { ...quiet, signal: controller.signal });
  setImmediate(() => controller.abort());
  await assert.rejects(opening);
  await waitUntil("no process", async () => (await processesWith(spec.sandboxId)).length === 0);
});

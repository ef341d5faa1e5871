// Package caches that tasks of a project share, from the command line: what one task may do to them, and to whom. INVARIANT I-16
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { capture, spawnProcess } from "../../src/kit/spawn.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-project-caches-")));
after(() => removeScratch(base));
const cacheDirectory = path.join(base, "glovebox/cache");
const environment = { PATH: "/usr/bin:/bin", XDG_STATE_HOME: base, LANG: "C.UTF-8" };
const policy = path.join(base, "policy.yaml");
await writeFile(policy, "apiVersion: glovebox/v1\nfilesystem: {caches: [npm, cargo]}\nlimits: {disk: 64MiB}\n");

async function projectOf(name: string): Promise<string> {
  const project = path.join(base, "projects", name);
  await mkdir(project, { recursive: true });
  return project;
}

const words = (project: string, script: string, flags: readonly string[] = []): readonly string[] => {
  const places = ["run", "--quiet", "--policy", policy, "--project", project, "--cwd", project, ...flags];
  return [commandLine, ...places, "--", "/bin/sh", "-c", script];
};
const glovebox = (args: readonly string[]) => capture(process.execPath, args, { environment, timeoutMs: 120_000 });

interface CacheLine {
  readonly id: string;
  readonly project: string;
  readonly isInUse: boolean;
}

async function cacheOf(project: string): Promise<CacheLine> {
  const { stdout } = await glovebox([commandLine, "cache", "ls", "--json"]);
  const { caches } = JSON.parse(stdout) as { readonly caches: readonly CacheLine[] };
  const found = caches.find((cache) => cache.project === project);
  assert.ok(found !== undefined, stdout);
  return found;
}

/** Everything below a directory, without following links. */
function below(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => path.join(directory, name));
}

interface Staying {
  /** @returns its exit code, of its own input's end and nothing else */
  leave(): Promise<number | null>;
}

/** A task that says `here` and stays until its input ends. */
async function stay(project: string, script: string): Promise<Staying> {
  const child = spawnProcess(process.execPath, [...words(project, `${script} echo here; cat >/dev/null`)], {
    environment,
    stdio: ["pipe", "pipe", "ignore"],
  });
  assert.ok(child.stdout !== null);
  const ended = once(child, "close");
  await once(child.stdout, "data");
  return {
    async leave() {
      child.stdin?.end();
      await ended;
      return child.exitCode;
    },
  };
}

test("what a task does to a cache stays in the cache: no bit that the host would honour, no way out, nothing in the task's changes", async () => {
  const project = await projectOf("hostile");
  const target = path.join(base, "host-file");
  await writeFile(target, "the host's");
  const script = [
    "cd ~/.npm/_cacache && echo x > tool && chmod 4755 tool; chmod 2755 .",
    `ln -s ${target} link; echo planted > link; ln ${project}/kept hard; ln tool ~/.cargo/registry/hard`,
    "mv ~/.npm/_cacache ~/elsewhere; rmdir ~/.cargo/git; rm -f ~/.cargo/.package-cache",
    "mkdir -p .git/hooks .vscode && echo x > .git/hooks/pre-commit && echo x > .vscode/settings.json && echo packages may hold any name",
  ].join("; ");
  await writeFile(path.join(project, "kept"), "kept");
  const ran = await glovebox(words(project, script, ["--json"]));
  const report = JSON.parse(ran.stdout) as { readonly result: { readonly task: string; readonly changes?: unknown } };
  assert.match(ran.stdout, /packages may hold any name/u);
  const { id } = await cacheOf(project);
  const found = below(path.join(cacheDirectory, id));
  assert.ok(
    found.some((file) => file.endsWith("/.npm/_cacache/.vscode/settings.json")),
    found.join("\n"),
  );
  assert.deepEqual(
    found.filter(
      (file) => (lstatSync(file).mode & 0o6000) !== 0 || lstatSync(file).uid !== process.getuid?.() || path.basename(file) === "hard",
    ),
    [],
  );
  assert.ok(
    existsSync(path.join(cacheDirectory, id, "places/.cargo/git")) &&
      existsSync(path.join(cacheDirectory, id, "places/.cargo/.package-cache")),
  );
  assert.deepEqual([readFileSync(target, "utf8"), report.result.changes], ["the host's", undefined]);
});

test("two tasks of a project have a cache at once and lock each other out in it; it cannot be removed from under them, and goes whole after", async () => {
  const project = await projectOf("pair");
  const first = await stay(project, "echo one > ~/.npm/_cacache/one; exec 9>~/.cargo/.package-cache; flock 9;");
  try {
    const { code, stdout, stderr } = await glovebox(
      words(project, "cat ~/.npm/_cacache/one; flock -n ~/.cargo/.package-cache true || echo locked; mkdir -m 500 ~/.cargo/git/closed"),
    );
    assert.deepEqual([code, stdout], [0, "one\nlocked\n"], stderr);
    const { id, isInUse } = await cacheOf(project);
    assert.equal(isInUse, true);
    const refused = await glovebox([commandLine, "cache", "rm", id]);
    assert.deepEqual([refused.code, refused.stderr.includes("STATE_BUSY")], [125, true], refused.stderr);
  } finally {
    assert.equal(await first.leave(), 0);
  }
  const { id } = await cacheOf(project);
  assert.equal((await glovebox([commandLine, "cache", "rm", id])).code, 0);
  assert.deepEqual(
    readdirSync(cacheDirectory).filter((name) => name.includes(id)),
    [],
  );
});

test("a cache counts against the disk of the task that fills it, and is its project's alone", async () => {
  const [project, other] = [await projectOf("filling"), await projectOf("other")];
  const filled = await glovebox(words(project, "head -c 200M /dev/zero > ~/.npm/_cacache/large; sleep 600"));
  assert.equal(filled.code, 123, filled.stderr);
  const { stdout, stderr } = await glovebox(words(other, "ls -A ~/.npm/_cacache ~/.cargo/registry | grep -v :; echo seen"));
  assert.equal(stdout.trim(), "seen", stderr);
});

test("what others put on the disk meanwhile ends no task that has a cache, of whose places one is a single file", async () => {
  const project = await projectOf("bystander");
  const others = path.join(base, "of-others");
  const child = await stay(project, "");
  try {
    await writeFile(others, randomBytes(96 * 2 ** 20), { flush: true });
    const { code, stderr } = await glovebox(words(project, "sleep 1")); // the looks of a second go by
    assert.equal(code, 0, stderr);
  } finally {
    assert.equal(await child.leave(), 0);
    await rm(others);
  }
});

test("a file of the private home that would lie in a shared cache refuses to open", async () => {
  const covered = path.join(base, "covered.yaml");
  await writeFile(covered, "apiVersion: glovebox/v1\nfilesystem: {caches: [npm]}\nenvironment: {homeFiles: {.npm/_cacache/x: planted}}\n");
  const project = await projectOf("covered");
  const { code, stderr } = await glovebox([commandLine, "run", "--policy", covered, "--project", project, "--", "true"]);
  assert.deepEqual([code, stderr.includes("PATH_RULE_UNENFORCEABLE")], [122, true], stderr);
});

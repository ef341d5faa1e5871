// The list of changes against an independent witness: a whole scan of the tree before and after says the same, for ordinary tools and for
// what hostile programs do with names. Then undo brings the first scan back.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import type { Change } from "../../src/contracts/changes.ts";
import type { Door, RunResult } from "../../src/contracts/door.ts";
import { decodeByteText } from "../../src/kit/byte-text.ts";
import { capture } from "../../src/kit/spawn.ts";
import { compileCache } from "../fixtures/compile-cache.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "..", "..");

interface Scene {
  readonly door: Door & { close(): Promise<void> };
  readonly project: string;
  readonly state: string;
  run(script: string): Promise<RunResult>;
}

async function scene(t: TestContext): Promise<Scene> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-changes-")));
  const project = path.join(base, "project");
  await mkdir(path.join(project, "src/deep"), { recursive: true });
  await chmod(base, 0o755);
  await writeFile(path.join(project, "a.txt"), "one\ntwo\n");
  await writeFile(path.join(project, "src/b.txt"), "b\n");
  await writeFile(path.join(project, "src/deep/c.txt"), "c\n");
  await symlink("a.txt", path.join(project, "link"));
  const door = composeDoor({ environment: { XDG_STATE_HOME: base }, installation });
  t.after(async () => {
    await door.close();
    await removeScratch(base);
  });
  const run = (script: string): Promise<RunResult> =>
    door.run(
      {
        policy: { projectDirectory: project, overrides: { filesystem: { allowWrite: ["."] } } },
        argv: ["sh", "-c", `exec 2>&1; set -e; ${script}`],
        cwd: project,
        callerEnvironment: {},
      },
      { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} },
    );
  return { door, project, state: path.join(base, "glovebox"), run };
}

type Scan = ReadonlyMap<string, string>;

/** Imports nothing of ours but the text form of names. Type, permissions, content. */
async function scan(directory: string): Promise<Scan> {
  const found = new Map<string, string>();
  const visit = async (at: Buffer): Promise<void> => {
    for (const name of await readdir(at, { encoding: "buffer" })) {
      const file = Buffer.concat([at, Buffer.from("/"), name]);
      const status = await lstat(file);
      const mode = (status.mode & 0o7777).toString(8);
      const key = decodeByteText(file);
      if (status.isDirectory()) {
        found.set(key, `directory ${mode}`);
        await visit(file);
      } else if (status.isSymbolicLink()) found.set(key, `link ${decodeByteText(await readlink(file, { encoding: "buffer" }))}`);
      else if (status.isFile())
        found.set(
          key,
          `file ${mode} ${createHash("sha256")
            .update(await readFile(file))
            .digest("hex")}`,
        );
      else found.set(key, `other ${mode}`);
    }
  };
  await visit(Buffer.from(directory));
  return found;
}

function stateText(state: Change["before"]): string | undefined {
  if (state === undefined) return undefined;
  if (state.type === "link") return `link ${state.target}`;
  const mode = state.mode.toString(8);
  return state.type === "file" ? `file ${mode} ${state.sha256}` : `${state.type} ${mode}`;
}

/** What the scans differ in, as lines; and what the list says, in the same words. */
function expected(before: Scan, after: Scan): readonly string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.filter((key) => before.get(key) !== after.get(key)).map((key) => `${key}: ${before.get(key)} -> ${after.get(key)}`);
}

async function listed(door: Door, task: string): Promise<readonly string[]> {
  const { entries } = await door.diff({ task, paths: [], isBrief: true });
  return entries.map(({ change }) => `${change.path}: ${stateText(change.before)} -> ${stateText(change.after)}`);
}

const scripts: Readonly<Record<string, string>> = {
  "writes, appends and truncates": "echo x > a.txt; echo more >> src/b.txt; : > src/deep/c.txt; echo new > n.txt",
  removal: "rm a.txt link; rm -r src",
  "a file renamed, and another over it": "mv a.txt z.txt; mv src/b.txt a.txt; echo late >> z.txt",
  "a directory renamed, changed and filled again":
    "mv src lib; echo in >> lib/deep/c.txt; mkdir src; echo other > src/b.txt; mv lib/b.txt lib/moved; mv lib/deep deep",
  "directories renamed in a ring": "mv src x; mkdir src; mv x src/x; mv src/x/deep src/deep; rmdir src/x 2>/dev/null || true",
  "names exchanged":
    'python3 -c \'import ctypes; l = ctypes.CDLL(None); assert l.renameat2(-100, b"src", -100, b"a.txt", 2) == 0\'; echo q > a.txt/q',
  "hard links": "ln a.txt hard; echo through >> hard; ln src/b.txt src/other; rm src/b.txt",
  "symbolic links": "ln -s /etc/passwd out; ln -sfn src link; echo w > link/w.txt; rm link; ln -s nowhere link",
  "a pipe, a socket and a sparse file":
    "mkfifo pipe; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'; truncate -s 5M sparse; rm pipe; mkfifo pipe2",
  "a write through a mapping":
    'python3 -c \'import mmap; f = open("a.txt", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:3] = b"MAP"; m.close()\'',
  "hostile names":
    "printf x > \"$(printf 'new\\nline')\"; printf y > \"$(printf 'bad\\377byte')\"; mkdir \"$(printf 'esc\\033[31m')\"; printf z > ./-rf; mv ./-rf \"$(printf 'bad\\377byte')\"",
  "permissions of what was changed": "echo x >> a.txt; chmod 600 a.txt; mkdir -m 700 d; echo '#!/bin/sh' > run; chmod 755 run",
  "permissions alone":
    "chmod 600 a.txt; chmod 700 src/deep; python3 -c 'import os; os.fchmod(os.open(\"src/b.txt\", os.O_RDONLY), 0o640)'; chmod 711 src",
  "one type in place of another": "rm a.txt; mkdir a.txt; echo i > a.txt/i; rm -r src; echo file > src; rm link; mkfifo link",
  git: "git init -q .; git add -A; git -c user.name=t -c user.email=t@t commit -qm one; git checkout -q -b side; echo g >> a.txt; git -c user.name=t -c user.email=t@t commit -qam two; git gc -q; git stash list",
  tar: "tar cf all.tar src a.txt; rm -r src; tar xf all.tar; mkdir into; tar xf all.tar -C into",
  "many files, as a package manager makes them":
    "mkdir -p node_modules/.new; for i in $(seq 200); do mkdir node_modules/.new/p$i; echo $i > node_modules/.new/p$i/index.js; done; mv node_modules/.new node_modules/all; rm -r node_modules/all/p1*",
  "several processes at once":
    "for p in 1 2 3 4; do (for i in $(seq 40); do echo $p > s; mv s t 2>/dev/null; rm -f t; echo $i >> a.txt; done) & done; wait",
};

for (const [what, script] of Object.entries(scripts)) {
  test(`the list of changes is what two scans find, and undo brings the first back: ${what}`, async (t) => {
    const { door, project, run } = await scene(t);
    const before = await scan(project);
    const { task, exitCode, changes } = await run(
      what === "several processes at once" ? script.replaceAll("mv s t 2>/dev/null", "mv s t 2>/dev/null || :") : script,
    );
    assert.equal(exitCode, 0);
    const after = await scan(project);
    const wanted = expected(before, after);
    assert.ok(wanted.length > 0);
    assert.deepEqual((await listed(door, task)).toSorted(), wanted.toSorted());
    assert.equal(changes?.counts.missed, 0);
    const report = await door.undo({ task, paths: [], isPartial: false });
    assert.equal(report.restored.length, wanted.length);
    assert.deepEqual(expected(before, await scan(project)), []);
    assert.equal((await door.verify({})).exit, 0);
  });
}

test("what is as it was before is no change", async (t) => {
  const { run } = await scene(t);
  const same = await run(
    "echo t > tmp; mv tmp tmp2; rm tmp2; mkdir t; rmdir t; cp a.txt copy; mv copy a.txt; mv src x; mv x src; exec 3<>a.txt",
  );
  assert.deepEqual([same.exitCode, same.changes], [0, undefined]);
});

async function text(file: string): Promise<string> {
  return readFile(file, "utf8");
}

test("undo refuses all when somebody edited one file since, and with --partial leaves that one alone", async (t) => {
  const { door, project, run } = await scene(t);
  const { task } = await run("echo x > a.txt; echo x > src/b.txt; mkdir made; echo m > made/m.txt");
  await writeFile(path.join(project, "a.txt"), "mine\n");
  await writeFile(path.join(project, "made/mine.txt"), "mine\n");
  const all = { task, paths: [], isPartial: false };
  await assert.rejects(door.undo(all), { code: "CHANGES_EDITED" });
  assert.equal(await text(path.join(project, "src/b.txt")), "x\n");
  const report = await door.undo({ ...all, isPartial: true });
  assert.deepEqual(report.refused, [
    { path: path.join(project, "a.txt"), why: "edited" },
    { path: path.join(project, "made"), why: "notEmpty" },
  ]);
  assert.deepEqual(report.restored, [path.join(project, "made/m.txt"), path.join(project, "src/b.txt")]);
  assert.equal(await text(path.join(project, "a.txt")), "mine\n");
  assert.equal(await text(path.join(project, "src/b.txt")), "b\n");
  assert.equal(await text(path.join(project, "made/mine.txt")), "mine\n");
  const outcomes = (await door.records({ task, limit: 50 }))
    .filter(({ type }) => type === "changes.undone")
    .map(({ body }) => body["outcome"]);
  assert.deepEqual(outcomes, ["done", "begun"]);
});

test("undo of named paths touches nothing else, and a path that did not change is an error", async (t) => {
  const { door, project, run } = await scene(t);
  const { task } = await run("echo x > a.txt; echo x > src/b.txt; echo x > src/deep/c.txt");
  const report = await door.undo({ task, paths: [path.join(project, "src/deep")], isPartial: false });
  assert.deepEqual(report.restored, [path.join(project, "src/deep/c.txt")]);
  assert.equal(await text(path.join(project, "src/b.txt")), "x\n");
  await assert.rejects(door.undo({ task, paths: [path.join(project, "link")], isPartial: false }), { code: "USAGE_INVALID" });
});

test("undo never writes through a link that lies where a directory was", async (t) => {
  const { door, project, run } = await scene(t);
  const { task } = await run("echo x > src/b.txt");
  const outside = path.join(path.dirname(project), "outside");
  await mkdir(outside);
  await writeFile(path.join(outside, "b.txt"), "x\n");
  await rm(path.join(project, "src"), { recursive: true });
  await symlink(outside, path.join(project, "src"));
  await assert.rejects(door.undo({ task, paths: [], isPartial: false }), { code: "CHANGES_EDITED" });
  assert.equal(await text(path.join(outside, "b.txt")), "x\n");
});

test("a file that is too large to keep is listed, and undo says that it was not kept", async (t) => {
  const { door, project, run } = await scene(t);
  await writeFile(path.join(project, "large"), Buffer.alloc(17 * 1024 * 1024));
  const { task } = await run("echo x >> large; echo x > a.txt");
  const { entries, counts } = await door.diff({ task, paths: [path.join(project, "large")], isBrief: false });
  assert.deepEqual([counts.changed, counts.created], [1, 0], "more was counted than asked for");
  assert.deepEqual([entries[0]?.change.kind, entries[0]?.change.kept], ["changed", "tooLarge"]);
  await assert.rejects(door.undo({ task, paths: [], isPartial: false }), { code: "CHANGES_NOT_KEPT" });
  assert.equal((await door.undo({ task, paths: [], isPartial: true })).restored.length, 1);
});

test("the other names of a file with several are counted, and undo gives them the old content too", async (t) => {
  const { door, project, run } = await scene(t);
  await link(path.join(project, "a.txt"), path.join(path.dirname(project), "second"));
  const { task } = await run("echo x > a.txt");
  const { entries } = await door.diff({ task, paths: [], isBrief: true });
  assert.equal(entries[0]?.change.otherNames, 1);
  await door.undo({ task, paths: [], isPartial: false });
  assert.equal(await text(path.join(path.dirname(project), "second")), "one\ntwo\n");
});

test("undo changes no other file that a task has linked to the name of one with several", async (t) => {
  const { door, project, run } = await scene(t);
  const at = (name: string): string => path.join(project, name);
  await link(at("a.txt"), at("second"));
  await writeFile(at("precious"), "precious\n");
  for (const [name, mode] of [
    ["tool", 0o755],
    ["plain", 0o600],
  ] as const) {
    await writeFile(at(name), "same\n");
    await chmod(at(name), mode);
  }
  const { task } = await run("rm a.txt plain; ln precious a.txt; ln tool plain");
  await door.undo({ task, paths: [], isPartial: false });
  assert.deepEqual(await Promise.all(["a.txt", "second", "precious"].map((name) => text(at(name)))), [
    "one\ntwo\n",
    "one\ntwo\n",
    "precious\n",
  ]);
  const modes = await Promise.all(["tool", "plain"].map(async (name) => (await lstat(at(name))).mode & 0o777));
  assert.deepEqual(modes, [0o755, 0o600]);
});

test("a file that was written by one of its names is listed under another that was touched only then", async (t) => {
  const { door, project, run } = await scene(t);
  const names = ["a.txt", "second", "large", "third"].map((name) => path.join(project, name));
  const [small = "", second = "", large = "", third = ""] = names;
  await writeFile(large, Buffer.alloc(17 * 1024 * 1024));
  await link(small, second);
  await link(large, third);
  const { task } = await run("echo longer than before > a.txt; exec 3<>second; echo x >> large; exec 3<>third");
  const { entries } = await door.diff({ task, paths: [], isBrief: true });
  assert.deepEqual(
    entries.map(({ change }) => [path.basename(change.path), change.kind, change.before?.size]),
    ["a.txt", "large", "second", "third"].map((name, index) => [name, "changed", index % 2 === 0 ? 8 : 17 * 1024 * 1024]),
  );
  await door.undo({ task, paths: [small, second], isPartial: false });
  assert.deepEqual([await text(small), await text(second)], ["one\ntwo\n", "one\ntwo\n"]);
});

test("undo refuses to change a file in place when a later task has linked another one there", async (t) => {
  const { door, project, run } = await scene(t);
  const at = (name: string): string => path.join(project, name);
  await link(at("a.txt"), path.join(path.dirname(project), "second"));
  await writeFile(at("precious"), "x\n");
  const { task } = await run("echo x > a.txt");
  await run("rm a.txt; ln precious a.txt");
  await assert.rejects(door.undo({ task, paths: [], isPartial: false }), { code: "CHANGES_EDITED" });
  assert.equal(await text(at("precious")), "x\n");
});

test("what was kept is encrypted, names its owner and its end, and is gone after it", async (t) => {
  const { door, state, run } = await scene(t);
  const { task } = await run("echo x > a.txt");
  const before = path.join(state, "before");
  const [name = ""] = await readdir(before);
  assert.match(name, new RegExp(`^${task}\\.\\d{4}-\\d\\d-\\d\\d$`, "u"));
  for (const piece of await readdir(path.join(before, name))) {
    const bytes = await readFile(path.join(before, name, piece));
    assert.ok(!bytes.includes("one") && !bytes.includes("a.txt"));
  }
  await rename(path.join(before, name), path.join(before, `${task}.2020-01-01`));
  const quarantine = path.join(state, "quarantine");
  for (const last of ["2020-01-01", "9999-12-31"]) await mkdir(path.join(quarantine, `${task}.${last}`));
  await run("true");
  assert.deepEqual(await readdir(before), []);
  assert.deepEqual(await readdir(quarantine), [`${task}.9999-12-31`]);
  await assert.rejects(door.diff({ task, paths: [], isBrief: true }), { code: "CHANGES_EXPIRED" });
});

test("what runs later on the host is marked, and a package.json only when what runs of it changed", async (t) => {
  const { door, project, run } = await scene(t);
  await writeFile(path.join(project, "package.json"), '{"version":"1","scripts":{"test":"true"}}');
  const first = await run(
    "sed -i s/1/2/ package.json; echo all: > Makefile; mkdir -p .github/workflows; : > .github/workflows/ci.yml; : > notes.txt",
  );
  const names = (result: RunResult): readonly string[] => (result.changes?.runsLater ?? []).map((file) => path.relative(project, file));
  assert.deepEqual(names(first), [".github/workflows/ci.yml", "Makefile"]);
  const second = await run("sed -i s/true/false/ package.json");
  assert.deepEqual(names(second), ["package.json"]);
  const { entries } = await door.diff({ task: second.task, paths: [], isBrief: false });
  assert.deepEqual([entries[0]?.change.runsLater, entries[0]?.lines?.length], [true, 5]);
});

test("a task whose broker was killed has its list made by the next start, and can be undone", async (t) => {
  const { door, project, state } = await scene(t);
  const fixture = path.join(installation, "test/fixtures/run-and-die.ts");
  const environment = { XDG_STATE_HOME: path.dirname(state), PATH: "/usr/local/bin:/usr/bin:/bin" };
  const start = (step: string) =>
    capture(process.execPath, [fixture, step, project], { environment: { ...environment, ...compileCache }, timeoutMs: 120_000 });
  const steps = (await start("0")).stdout.split("\n");
  await rm(path.join(project, "ran.txt"));
  const ended = steps.find((line) => line.endsWith(" ended"))?.split(" ")[0] ?? assert.fail("there is no such step");
  await assert.rejects(start(ended), /SIGKILL/u);
  const [task = ""] = await readdir(path.join(state, "tasks"));
  const { entries } = await door.diff({ task, paths: [], isBrief: true });
  assert.deepEqual(
    entries.map(({ change }) => [path.relative(project, change.path), change.kind]),
    [["ran.txt", "created"]],
  );
  await door.undo({ task, paths: [], isPartial: false });
  await assert.rejects(lstat(path.join(project, "ran.txt")), { code: "ENOENT" });
  assert.equal((await door.verify({})).exit, 0);
});

test("a directory that was closed breaks neither the end of a run, nor diff, nor undo", async (t) => {
  const { door, project, run } = await scene(t);
  const closed = path.join(project, "closed");
  const byTask = await run("mkdir closed; echo in > closed/f; chmod 0 closed");
  assert.equal(byTask.exitCode, 0);
  await chmod(closed, 0o700);
  const { task } = await run("echo more > closed/f");
  await chmod(closed, 0);
  const answers = await Promise.allSettled([
    door.diff({ task, paths: [], isBrief: false }),
    door.undo({ task, paths: [], isPartial: true }),
  ]);
  await chmod(closed, 0o700); // so that an ordinary user can remove it
  const [shown, undone] = answers;
  assert.ok(shown.status === "fulfilled" && undone.status === "fulfilled", JSON.stringify(answers));
  assert.equal(shown.value.entries.length, 1);
  // Root may look into it all the same.
  const isRoot = process.getuid?.() === 0;
  assert.deepEqual([undone.value.restored.length, undone.value.refused.map(({ why }) => why)], isRoot ? [1, []] : [0, ["parent"]]);
});

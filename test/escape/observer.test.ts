// The observer must see what it is asked for: each kind of thing is planted, found, and then not confused with the rest of the machine.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, link, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { describeDifference, diffObservations } from "../fixtures/observe/diff.ts";
import { observe } from "../fixtures/observe/observe.ts";
import { assertNoKernelObjectLeft, assertNothingLeft } from "../fixtures/residue.ts";
import { firstLine, listenStream, startPeer, uniqueWord } from "./harness/peers.ts";

const observer = path.join(import.meta.dirname, "..", "fixtures", "observe", "observe.ts");

async function scratch(resources: AsyncDisposableStack): Promise<string> {
  const directory = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-observe-")));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Starts a shell that says when it is ready and then waits for its input to end. */
async function startWaiting(
  resources: AsyncDisposableStack,
  words: readonly string[],
  options: { readonly environment?: Record<string, string>; readonly cwd?: string } = {},
): Promise<number> {
  const [file = "", ...rest] = words;
  const child = startPeer(resources, file, [...rest, "/bin/sh", "-c", "echo ready; read ignored"], options);
  await firstLine(child);
  return child.pid ?? 0;
}

test("observe() blames a process on its marker, its directory or its ancestor, and leaves others alone", async () => {
  await using resources = new AsyncDisposableStack();
  const directory = await scratch(resources);
  const word = uniqueWord();
  const before = observe({ markers: [word], directories: [directory] });
  const marked = await startWaiting(resources, ["/usr/bin/env"], { environment: { MARK: word } });
  const inside = await startWaiting(resources, ["/usr/bin/env"], { cwd: directory });
  const other = await startWaiting(resources, ["/usr/bin/env"]);
  const { processes } = diffObservations(before, observe({ markers: [word], directories: [directory] }));
  const ours = new Map(processes.ours.map((one) => [one.pid, one.scope]));
  assert.deepEqual(ours.get(marked), ["marker"]);
  assert.deepEqual(ours.get(inside), ["directory"]);
  assert.equal(ours.get(other), undefined);
  assert.ok(processes.others.some((one) => one.pid === other));
  const byAncestor = diffObservations(before, observe({ ancestors: [process.pid] }));
  assert.ok(byAncestor.processes.ours.some((one) => one.pid === other && one.scope.includes("descendant")));
});

test("observe() finds namespaces and the mounts in them by the process that holds them", async () => {
  await using resources = new AsyncDisposableStack();
  const directory = await scratch(resources);
  const word = uniqueWord();
  const before = observe({ markers: [word] });
  await startWaiting(resources, ["/usr/bin/unshare", "-rm", "/bin/sh", "-c", `mount -t tmpfs planted "${directory}" && exec "$@"`, "sh"], {
    environment: { MARK: word, PATH: "/usr/bin:/bin:/sbin:/usr/sbin" },
  });
  const difference = diffObservations(before, observe({ markers: [word] }));
  assert.ok(difference.mounts.ours.some((mount) => mount.at === directory && mount.source === "planted"));
  assert.deepEqual(difference.namespaces.ours.map((one) => one.name.replace(/:.*/u, "")).toSorted(), ["mnt", "user"]);
});

test("observe() finds a process through the pid namespace that it shares with one in scope", async () => {
  await using resources = new AsyncDisposableStack();
  const word = uniqueWord();
  const before = observe({ markers: [word] });
  await startWaiting(resources, [
    "/usr/bin/unshare",
    "-rpf",
    "--kill-child",
    "/bin/sh",
    "-c",
    `MARK=${word} sleep 1000 & exec env -i "$@"`,
    "sh",
  ]);
  const { processes } = diffObservations(before, observe({ markers: [word] }));
  assert.ok(
    processes.ours.some((one) => one.scope.includes("namespace")),
    JSON.stringify(processes.ours),
  );
});

test("observe() finds sockets by their name and by their owner", async () => {
  await using resources = new AsyncDisposableStack();
  const directory = await scratch(resources);
  const word = uniqueWord();
  const before = observe({ directories: [directory], markers: [word] });
  await listenStream(resources, { path: path.join(directory, "planted.sock") });
  await listenStream(resources, { path: `\0${word}` });
  const { port } = await listenStream(resources, { host: "127.0.0.1" });
  const { sockets } = diffObservations(before, observe({ directories: [directory], markers: [word] }));
  assert.ok(sockets.ours.some((socket) => socket.address === path.join(directory, "planted.sock")));
  assert.ok(sockets.ours.some((socket) => socket.address === `@${word}`));
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  assert.ok(sockets.others.some((socket) => socket.family === "tcp" && socket.address.includes(`:${hex}>`)));
});

test("diffObservations() names files that are new, gone, or changed in content, mode, links or inode", async () => {
  await using resources = new AsyncDisposableStack();
  const directory = await scratch(resources);
  const at = (name: string): string => path.join(directory, name);
  for (const name of ["gone", "content", "mode", "linked", "replaced", "same"]) await writeFile(at(name), name);
  const before = observe({ directories: [directory] });
  await rm(at("gone"));
  await writeFile(at("content"), "CONTENT");
  await chmod(at("mode"), 0o600);
  await link(at("linked"), at("second"));
  await rm(at("replaced"));
  await symlink("/dev/null", at("replaced"));
  await writeFile(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0x0a])]), "odd name");
  const { files } = diffObservations(before, observe({ directories: [directory] }));
  assert.deepEqual(
    files.removed.map((entry) => path.basename(entry.path)),
    ["gone"],
  );
  assert.deepEqual(files.changed.map((entry) => path.basename(entry.path)).toSorted(), ["content", "linked", "mode", "replaced"]);
  assert.deepEqual(files.added.map((entry) => path.basename(entry.path)).toSorted(), ["\\xff\\x0a", "second"]);
});

test("assertNothingLeft() passes for nothing and names what is left", async () => {
  await using resources = new AsyncDisposableStack();
  const directory = await scratch(resources);
  const word = uniqueWord();
  const look = () => observe({ directories: [directory], markers: [word] });
  const before = look();
  assertNothingLeft(before, look());
  await writeFile(path.join(directory, "left"), "");
  assert.throws(() => assertNothingLeft(before, look()), /new file .*\/left/u);
  assertNoKernelObjectLeft(before, look());
  await startWaiting(resources, ["/usr/bin/env"], { environment: { MARK: word } });
  assert.throws(() => assertNoKernelObjectLeft(before, look()), /process \d+/u);
  assert.ok(describeDifference(diffObservations(before, look())).length >= 2);
});

test("the observer's command line prints a reading and exits 1 when something of ours is left", async () => {
  await using resources = new AsyncDisposableStack();
  const directory = await scratch(resources);
  const readings = await scratch(resources);
  const snapshot = async (name: string): Promise<string> => {
    const file = path.join(readings, name);
    await writeFile(file, execFileSync(process.execPath, [observer, "snapshot", "--directory", directory, "--marker", uniqueWord()]));
    return file;
  };
  const before = await snapshot("before.json");
  const diff = (after: string) => spawnSync(process.execPath, [observer, "diff", before, after]);
  assert.equal(diff(await snapshot("same.json")).status, 0);
  await writeFile(path.join(directory, "left"), "");
  const { status, stdout } = diff(await snapshot("after.json"));
  assert.equal(status, 1);
  assert.equal((JSON.parse(stdout.toString()) as { files: { added: unknown[] } }).files.added.length, 1);
  assert.equal(spawnSync(process.execPath, [observer, "nonsense"]).status, 2);
});

test("observe() sees its own test process end: what is gone is not reported", async () => {
  const word = uniqueWord();
  const before = observe({ markers: [word] });
  await using resources = new AsyncDisposableStack();
  const child = startPeer(resources, "/bin/sh", ["-c", "echo ready; read ignored", word]);
  await firstLine(child);
  assert.equal(diffObservations(before, observe({ markers: [word] })).processes.ours.length, 1);
  child.stdin?.end();
  await once(child, "exit");
  assert.equal(diffObservations(before, observe({ markers: [word] })).processes.ours.length, 0);
});

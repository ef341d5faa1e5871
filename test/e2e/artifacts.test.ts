// What a container's commands hand back, whoever runs it: odd names and odd kinds of file, hostile directories, bounds, the record and its verifier.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { composeDoor } from "../../src/compose.ts";
import type { ArtifactList } from "../../src/contracts/artifacts.ts";
import type { RunResult } from "../../src/contracts/door.ts";
import { capture } from "../../src/kit/spawn.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-artifacts-")));
await chmod(base, 0o755);
const project = path.join(base, "project");
mkdirSync(project);
const door = composeDoor({ environment: { XDG_STATE_HOME: base }, installation });
const kept = path.join(base, "glovebox/artifacts");
after(async () => {
  await door.close();
  await removeScratch(base);
});

async function run(script: string, container: object = {}, limits: object = {}): Promise<RunResult> {
  const overrides = { boundary: "container", container, limits };
  const io = { signal: new AbortController().signal, onOutput: async () => {}, onStart: () => {} };
  const request = {
    policy: { projectDirectory: project, overrides },
    argv: ["sh", "-c", script],
    cwd: project,
    callerEnvironment: {},
  } as const;
  return door.run(request, io);
}

async function listOf({ task }: RunResult): Promise<ArtifactList> {
  const [list, ...more] = await door.artifacts.list(task);
  assert.ok(list !== undefined && more.length === 0);
  return list;
}

const names = ({ artifacts }: ArtifactList): readonly string[] => artifacts.map(({ name }) => name).toSorted();
const othersOf = ({ others }: ArtifactList): readonly string[] => others.map(({ name, kind, why }) => `${name} ${kind} ${why}`).toSorted();

async function bytesOf({ task }: RunResult, name: string): Promise<Buffer> {
  return Buffer.concat([...(await door.artifacts.open({ task, name })).parts]);
}

test("files at the top of OUTPUT_DIR come back with their bytes, whatever their names are", async () => {
  const script = `cd "$OUTPUT_DIR"; set -- 'a b' '-rf' "$(printf 'new\\nline')" 'é 中文' "$(printf 'not\\377utf8')" '\\'; for name; do printf %s "$name" > "./$name"; done; head -c 5M /dev/zero > large`;
  const result = await run(script);
  const list = await listOf(result);
  assert.deepEqual(names(list), ["-rf", "\\", "a b", "large", "new\nline", "not\udcffutf8", "é 中文"].toSorted());
  for (const { name, sha256 } of list.artifacts) {
    const bytes = await bytesOf(result, name);
    assert.equal(createHash("sha256").update(bytes).digest("hex"), sha256);
    if (name !== "large")
      assert.equal(
        bytes.toString("latin1"),
        Buffer.from(name.replace("\udcff", "\u00ff"), name.includes("\udcff") ? "latin1" : "utf8").toString("latin1"),
      );
  }
  assert.deepEqual([result.artifacts?.count, result.artifacts?.isWhole], [7, true]);
});

test("what is no regular file, or keeps its owner out, is named and not read: nothing waits, and nothing leads out", async () => {
  const script = [
    'cd "$OUTPUT_DIR"; mkfifo pipe; mkdir tree; echo deep > tree/file; ln -s /etc/passwd link; ln -s /proc/self/mem memory; echo closed > closed; chmod 000 closed',
    "echo once > one; ln one two; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"socket\")'; mknod device c 1 3 2>/dev/null; truncate -s 3G hole 2>/dev/null",
  ].join("; ");
  const result = await run(script);
  const list = await listOf(result);
  assert.deepEqual(names(list), ["one", "two"]);
  const rest = othersOf(list).filter((line) => !line.startsWith("hole"));
  assert.deepEqual(rest, [
    "closed file unreadable",
    "link link kind",
    "memory link kind",
    "pipe pipe kind",
    "socket socket kind",
    "tree directory kind",
  ]);
  assert.match(othersOf(list).join("\n"), /^hole file tooLarge$/mu);
});

test("a directory that was replaced by a link hands back nothing of where it leads", async () => {
  // Outside, who reads what lies in a directory follows the link in its place.
  const outside = path.join(base, "outside");
  symlinkSync("/usr/share", outside);
  assert.ok(readdirSync(outside).length > 0);
  const list = await listOf(await run('rmdir "$OUTPUT_DIR"; ln -s /usr/share "$OUTPUT_DIR"'));
  assert.deepEqual([list.artifacts, list.others, list.isWhole], [[], [], false]);
});

test("what a command leaves running writes nothing more by the time it is read", async () => {
  const script =
    'cd "$OUTPUT_DIR"; echo kept > kept; echo 0 > a; (trap "" TERM HUP; setsid sh -c "while :; do rm -f a; ln -s /etc/passwd a; rm -f a; echo x >> a; done") & until [ -L a ]; do :; done';
  const list = await listOf(await run(script));
  assert.equal(list.isWhole, true);
  assert.ok(names(list).includes("kept"));
  assert.ok(list.artifacts.every(({ isChanged }) => isChanged === undefined));
});

test("count and bytes are bounded by the policy, and the rest is counted", async () => {
  const many = await listOf(await run('cd "$OUTPUT_DIR"; i=0; while [ $i -lt 40 ]; do : > f$i; i=$((i+1)); done', { artifacts: 7 }));
  assert.deepEqual([many.artifacts.length, many.missed, many.isWhole], [7, 33, true]);
  const large = await listOf(await run('cd "$OUTPUT_DIR"; head -c 3000 /dev/zero > big; echo s > small', { artifactBytes: "2KiB" }));
  assert.deepEqual([names(large), othersOf(large)], [["small"], ["big file tooLarge"]]);
});

test("a command that fills its directory meets the limit of disk, and what fitted comes back", async () => {
  const result = await run('cd "$OUTPUT_DIR"; echo first > first; head -c 64M /dev/zero > filled; sleep 5', {}, { disk: "8MiB" });
  assert.deepEqual(
    result.limitHits.map(({ limit }) => limit),
    ["disk"],
  );
  assert.ok(names(await listOf(result)).includes("first"));
});

test("a command that touched nothing hands nothing back and has no record of it", async () => {
  const result = await run("true");
  assert.equal(result.artifacts, undefined);
  assert.deepEqual(await door.artifacts.list(result.task), []);
  const records = await door.records({ task: result.task, limit: 100 });
  assert.equal(
    records.some(({ type }) => type === "execution.artifacts"),
    false,
  );
});

test("what a command writes elsewhere is left behind: named with its kind, in the result, the record and the sheet, and no link is followed", async () => {
  const script = [
    "mkdir -p deep/er; echo 1 > deep/er/file; mkfifo pipe; ln -s /usr/share away; ln -s /etc/passwd link; truncate -s 1G hole",
    `cd /tmp; echo 2 > "$(printf 'new\\nline')"; cd ~; echo 3 > "$(printf 'not\\377utf8')"; echo 4 > 'é 中文'; echo 5 > "$OUTPUT_DIR/handed"; mkdir empty`,
  ].join("; ");
  const result = await run(script);
  const left = result.leftBehind;
  assert.deepEqual(
    left?.first.map(({ path: file, kind, bytes }) => `${file} ${kind} ${bytes}`).toSorted(),
    [
      "/home/user/not\udcffutf8 file 2",
      "/home/user/é 中文 file 2",
      "/tmp/new\nline file 2",
      `${project}/away link 10`,
      `${project}/deep/er/file file 2`,
      `${project}/hole file 1073741824`,
      `${project}/link link 11`,
      `${project}/pipe pipe 0`,
    ].toSorted(),
  );
  assert.deepEqual([left?.count, left?.isWhole, names(await listOf(result))], [8, true, ["handed"]]);
  const [record] = (await door.records({ task: result.task, limit: 100 })).filter(({ type }) => type === "execution.left-behind");
  assert.equal(record?.body["files"], 8);
  assert.match(JSON.stringify(record?.detail), /not\\\\xffutf8/u);
  for (const { answers } of [result.sheet, await door.explainTask(result.task)])
    assert.ok(answers.some(({ lines }) => lines.some(({ key, values }) => key === "task.happened.left-behind" && values?.["count"] === 8)));
});

test("what is left behind is told within bounds, and said not to be all", async () => {
  const many = await run('i=0; while [ $i -lt 300 ]; do : > f$i; i=$((i+1)); done; : > "$HOME/also"');
  assert.deepEqual([many.leftBehind?.count, many.leftBehind?.first.length, many.leftBehind?.isWhole], [301, 20, true]);
  const records = await door.records({ task: many.task, limit: 100 });
  const files = records.find(({ type }) => type === "execution.left-behind")?.detail?.["files"];
  assert.equal(Array.isArray(files) && files.length, 100);
  const tooMany = await run('python3 -c "for i in range(5000): open(str(i), \'w\')"; : > "$HOME/also"');
  assert.equal(tooMany.leftBehind?.isWhole, false);
  assert.ok((tooMany.leftBehind?.count ?? 0) >= 1000 && (tooMany.leftBehind?.count ?? 0) <= 2001);
  const closed = await run("mkdir closed; chmod 000 closed");
  assert.deepEqual(closed.leftBehind, { count: 0, isWhole: false, first: [] });
});

test("what is kept is private and encrypted, and ledger and artifact verify name what was altered", async () => {
  const result = await run('echo canary-artifact > "$OUTPUT_DIR/secret.txt"');
  const directory = path.join(kept, readdirSync(kept).find((name) => name.startsWith(result.task)) ?? "");
  const piece = path.join(directory, result.action, "0");
  assert.deepEqual([lstatSync(directory).mode & 0o077, lstatSync(piece).mode & 0o077], [0, 0]);
  const bytes = readFileSync(piece);
  assert.doesNotMatch(bytes.toString("latin1"), /canary-artifact|secret\.txt/u);
  assert.equal((await door.verify({})).exit, 0);
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  writeFileSync(piece, bytes);
  const report = await door.verify({});
  assert.deepEqual([report.exit, report.findings.map(({ situation }) => situation)], [1, ["altered-artifacts"]]);
  assert.equal(report.findings[0]?.values["task"], result.task);
  assert.deepEqual(
    (await door.artifacts.verify(result.task)).map(({ state }) => state),
    ["altered"],
  );
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  writeFileSync(piece, bytes);
  assert.equal((await door.verify({})).exit, 0);
});

test("ledger verify names what was handed back and is gone before its time, by command, with the place where it lay", async () => {
  const result = await run('echo 1 > "$OUTPUT_DIR/one"; echo 2 > "$OUTPUT_DIR/two"');
  const name = readdirSync(kept).find((each) => each.startsWith(result.task)) ?? "";
  const missing = path.join(kept, name, result.action);
  const elsewhere = path.join(base, "elsewhere");
  const found = async (): Promise<readonly object[]> => {
    const { exit, findings } = await door.verify({});
    return findings.map(({ situation, values }) => ({
      exit,
      situation,
      action: values["action"],
      files: values["files"],
      place: values["place"],
    }));
  };
  const gone = { exit: 4, situation: "gone-artifacts", action: result.action, files: 2, place: missing };
  renameSync(missing, elsewhere);
  assert.deepEqual(await found(), [gone]);
  renameSync(elsewhere, missing);
  assert.deepEqual(await found(), []);
  // Of all tasks, when nothing of the kind is there any more.
  renameSync(kept, elsewhere);
  const all = await found();
  assert.ok(all.length > 1 && all.some((each) => isDeepStrictEqual(each, gone)));
  // Without its keys a copy of a ledger cannot tell what is owed.
  const keys = path.join(base, "glovebox/blobs");
  renameSync(keys, `${keys}-away`);
  assert.deepEqual(await found(), []);
  renameSync(`${keys}-away`, keys);
  renameSync(elsewhere, kept);
  assert.deepEqual(await found(), []);
});

test("artifact get writes a new file, never in the place of something or through a link", async () => {
  const { task } = await run('echo kept > "$OUTPUT_DIR/a.txt"');
  const environment = { PATH: process.env["PATH"] ?? "", XDG_STATE_HOME: base };
  const glovebox = (...words: readonly string[]) =>
    capture(process.execPath, [commandLine, ...words], { cwd: project, environment, timeoutMs: 120_000 });
  assert.equal((await glovebox("artifact", "get", task, "a.txt", "--to", "got.txt")).code, 0);
  assert.equal(readFileSync(path.join(project, "got.txt"), "utf8"), "kept\n");
  symlinkSync(path.join(base, "nowhere"), path.join(project, "dangling"));
  for (const target of ["got.txt", "dangling"]) assert.equal((await glovebox("artifact", "get", task, "a.txt", "--to", target)).code, 125);
  assert.equal((await glovebox("artifact", "get", task, "b.txt")).code, 2);
  assert.equal((await glovebox("artifact", "get", task, "a.txt")).stdout, "kept\n");
  assert.match((await glovebox("artifact", "ls", task)).stdout, /^a\.txt +5 B +text\/plain +sha256:/mu);
  assert.match((await glovebox("explain", task)).stdout, /handed back 1 files/iu);
});

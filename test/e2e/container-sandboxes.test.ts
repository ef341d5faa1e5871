// Containers that stay open, with every runtime, through the broker: they are used again by their id, and after their time nothing of them is left.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import type { OpenedSandbox, SandboxAccess, SandboxCommandResult, SandboxOpening } from "../../src/contracts/sandbox-door.ts";
import { capture } from "../../src/kit/spawn.ts";
import { processesWith } from "./process-boundary-fixture.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { endBroker, serveBroker, type ServedBroker } from "../fixtures/served-broker.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { waitUntil } from "../fixtures/wait-until.ts";
import { linuxRuntimes } from "../fixtures/container-options.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-containers-")));
await chmod(base, 0o755);
const project = path.join(base, "project");
mkdirSync(project);
const door = composeDoor({ environment: { XDG_STATE_HOME: base }, installation });
const broker = door.holdBroker();
after(async () => {
  await broker.stop();
  await door.close();
  await removeScratch(base);
});

function open(runtime: string, lifetimes: Pick<SandboxOpening, "hardMs"> = {}): Promise<OpenedSandbox> {
  const policy = { projectDirectory: project, overrides: { boundary: "container", container: { runtime } } };
  return broker.sandboxes.open({ policy, callerEnvironment: {}, ...lifetimes }, { signal: new AbortController().signal });
}

async function sh(access: SandboxAccess, script: string): Promise<string> {
  let output = "";
  const onOutput = async ({ bytes }: { readonly bytes: Uint8Array }): Promise<void> => void (output += Buffer.from(bytes).toString());
  const command = { argv: ["sh", "-c", script], callerEnvironment: {}, environment: {} } as const;
  await broker.sandboxes.exec(access, command, { signal: new AbortController().signal, onOutput, onStart: () => {} });
  return output;
}

function run(access: SandboxAccess, script: string): Promise<SandboxCommandResult> {
  const command = { argv: ["sh", "-c", script], callerEnvironment: {}, environment: {} } as const;
  return broker.sandboxes.exec(access, command, { signal: new AbortController().signal, onOutput: async () => {}, onStart: () => {} });
}

const bytesOf = async (task: string, name: string): Promise<Buffer> => {
  const list = (await door.artifacts.list(task)).find(({ artifacts }) => artifacts.some((artifact) => artifact.name === name));
  return Buffer.concat([...(await door.artifacts.open({ task, name, action: list?.action })).parts]);
};

for (const runtime of linuxRuntimes) {
  test(`${runtime}: a container is used again by its id with what was left in it, until its time is over; then nothing is left`, async () => {
    const access = await open(runtime, { hardMs: 15_000 });
    await sh(access, "echo kept > note; sleep 1000 >/dev/null 2>&1 & echo");
    assert.equal(await sh(access, "cat note"), "kept\n");
    assert.notDeepEqual(await processesWith(access.sandbox), []);
    await assert.rejects(broker.sandboxes.untilEnded(access, AbortSignal.timeout(120_000)), { code: "CONTAINER_EXPIRED" });
    await assert.rejects(sh(access, "true"), { code: "CONTAINER_EXPIRED" });
    assert.deepEqual(await processesWith(access.sandbox), []);
    const records = await door.records({ task: access.task, limit: 1 });
    assert.deepEqual(
      records.map(({ type, body }) => [type, body["reason"]]),
      [["execution.closed", "expired"]],
    );
  });

  test(`${runtime}: what commands left behind is rescued as artifacts of the task, whatever lies there, and nothing else is`, async () => {
    const access = await open(runtime);
    const first = await run(
      access,
      `mkfifo pipe; ln -s /etc/passwd link; ln -s /usr/share away; mkdir -p sub/dir; echo deep > sub/dir/file; truncate -s 3M hole; printf x > "$(printf 'new\\nline')"; printf y > "$(printf 'not\\377utf8')"; echo home > ~/home; echo tmp > "/tmp/é 中文"; echo handed > "$OUTPUT_DIR/handed"`,
    );
    assert.equal(first.leftBehind?.count, 9);
    // The kernel's clock of changes is coarse: what came right before is told once more.
    const now = Date.now();
    await waitUntil("a later time", async () => Date.now() > now + 50);
    assert.deepEqual((await run(access, "echo later > later")).leftBehind?.first, [{ path: `${project}/later`, kind: "file", bytes: 6 }]);
    const line = (await broker.sandboxes.list()).find(({ sandbox }) => sandbox === access.sandbox);
    assert.deepEqual(line?.leftBehind, { count: 10, isWhole: true });

    const rescued = await broker.sandboxes.rescue(access, []);
    assert.deepEqual([rescued.artifacts?.count, rescued.artifacts?.others, rescued.artifacts?.isWhole, rescued.missing], [7, 3, true, []]);
    const list = (await door.artifacts.list(access.task)).find(({ action }) => action === rescued.action);
    const files = ["hole", "later", "new\nline", "not\udcffutf8", "sub/dir/file"].map((name) => `${project}/${name}`);
    assert.deepEqual(list?.artifacts.map(({ name }) => name).toSorted(), ["/home/user/home", "/tmp/é 中文", ...files].toSorted());
    assert.deepEqual(list?.others.map(({ name, kind }) => `${path.basename(name)} ${kind}`).toSorted(), [
      "away link",
      "link link",
      "pipe pipe",
    ]);
    const [tmp, hole] = await Promise.all(["/tmp/é 中文", `${project}/hole`].map((name) => bytesOf(access.task, name)));
    assert.equal(tmp?.toString(), "tmp\n");
    assert.ok(hole?.length === 3 << 20 && hole.every((byte) => byte === 0));

    const named = await broker.sandboxes.rescue(access, ["sub/", "../project/later", "nothing", "/home/user/absent", "away/doc", "link"]);
    assert.equal(named.artifacts?.count, 2);
    assert.deepEqual(named.missing, [`${project}/nothing`, "/home/user/absent", `${project}/away/doc`]);
    for (const outside of ["/etc/passwd", "../../../../../etc", "/home/user2", "/output", ""])
      await assert.rejects(broker.sandboxes.rescue(access, [outside]), { code: "ARTIFACT_UNKNOWN" }, outside);
    const token = "ab".repeat(32);
    await assert.rejects(broker.sandboxes.rescue({ sandbox: access.sandbox, token }, []), { code: "SANDBOX_UNKNOWN" });
    const records = await door.records({ task: access.task, limit: 100 });
    assert.equal(records.filter(({ type }) => type === "execution.rescued").length, 2);
    assert.equal((await door.verify({})).exit, 0);
    await broker.sandboxes.end(access);
    await assert.rejects(broker.sandboxes.rescue(access, []), { code: "SANDBOX_CLOSED" });
    assert.equal((await bytesOf(access.task, "/home/user/home")).toString(), "home\n");
  });
}

/** Of the command line; the served broker's environment. */
function callsOf(served: ServedBroker, cwd: string) {
  const environment = { ...served.environment, PATH: process.env["PATH"] ?? "" };
  return (...words: readonly string[]) => capture(process.execPath, [commandLine, ...words], { cwd, environment, timeoutMs: 120_000 });
}

test("cp takes files and trees out of a sandbox and into one, of both boundaries, and follows no link", async (t) => {
  const served = await serveBroker(t);
  const here = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-cp-")));
  t.after(() => removeScratch(here));
  const call = callsOf(served, here);
  mkdirSync(path.join(here, "tree/deep"), { recursive: true });
  writeFileSync(path.join(here, "tree/-rf"), Buffer.alloc(5 << 20, 7));
  writeFileSync(path.join(here, "tree/deep/new\nline é"), "deep");
  symlinkSync("/etc/passwd", path.join(here, "tree/link"));
  await capture("/usr/bin/mkfifo", [path.join(here, "tree/pipe")]);
  for (const boundary of ["process", "container"]) {
    const policy = { projectDirectory: served.project, overrides: { boundary, filesystem: { allowWrite: ["."] } } };
    const opening = { policy, callerEnvironment: {} };
    const { sandbox } = await served.broker.sandboxes.open(opening, { signal: new AbortController().signal });
    const into = await call("sandbox", "cp", "tree", `${sandbox}:copied`, "--json");
    assert.equal(into.code, 0, into.stdout + into.stderr);
    assert.match(into.stdout, /"entries": 4,/u);
    for (const name of ["link", "pipe"]) assert.match(into.stdout, new RegExp(`tree/${name}"`, "u"));
    assert.equal((await call("sandbox", "cp", "tree", `${sandbox}:copied`)).code, 2);
    const planted = "ln -s /etc/passwd copied/outside; mkfifo copied/fifo; ln -s copied over";
    assert.equal((await call("sandbox", "exec", "--cwd", served.project, sandbox, "--", "sh", "-c", planted)).code, 0);
    const back = path.join(here, `back-${boundary}`);
    const out = await call("sandbox", "cp", `${sandbox}:copied/`, back);
    assert.equal(out.code, 0, out.stderr);
    assert.match(out.stderr, /Not copied.*copied\/(?:outside|fifo)/u);
    assert.deepEqual(readdirSync(back).toSorted(), ["-rf", "deep"]);
    assert.ok(readFileSync(path.join(back, "-rf")).equals(Buffer.alloc(5 << 20, 7)));
    assert.equal(readFileSync(path.join(back, "deep/new\nline é"), "utf8"), "deep");
    for (const place of ["over", "copied/fifo", "copied/absent"])
      assert.equal((await call("sandbox", "cp", `${sandbox}:${place}`, `never-${boundary}`)).code, 2);
    assert.equal((await call("sandbox", "cp", `${sandbox}:copied/-rf`, path.join(back, "-rf"))).code, 2);
    assert.equal((await call("sandbox", "cp", "--force", `${sandbox}:copied/deep/new\nline é`, path.join(back, "-rf"))).code, 0);
    assert.equal(readFileSync(path.join(back, "-rf"), "utf8"), "deep");
  }
  assert.ok(!readdirSync(here).some((name) => name.startsWith("never") || name.endsWith(".glovebox")));
  assert.equal((await call("sandbox", "cp", "tree", "other")).code, 2);
  assert.equal((await call("sandbox", "cp", "s-0193f0c2a1b2-4d5e6f708192:x", "y")).code, 2);
});

test("who uses a container that expires soon is told what will end with it", async () => {
  const access = await open("runc", { hardMs: 600_000 });
  const notes = async (script: string) => (await run(access, script)).notes.map(({ key, values }) => [key, values?.["count"]]);
  assert.deepEqual(await notes("true"), []);
  assert.deepEqual(await notes("echo left > left"), [["cli.sandbox-exec.left-behind", 1]]);
  await broker.sandboxes.end(access);
  const lasting = await open("runc");
  assert.deepEqual((await run(lasting, "echo left > left")).notes, []);
  await broker.sandboxes.end(lasting);
});

test("only a container has something to rescue", async () => {
  const opening = { policy: { projectDirectory: project }, callerEnvironment: {} };
  const access = await broker.sandboxes.open(opening, { signal: new AbortController().signal });
  await assert.rejects(broker.sandboxes.rescue(access, []), { code: "ARTIFACT_UNKNOWN", situation: "artifact.rescue-process" });
  await broker.sandboxes.end(access);
});

test("prune removes the container of a broker that was killed, says so, and touches nothing that lives; a dry run only tells", async (t) => {
  const served = await serveBroker(t);
  const { environment, broker: other } = served;
  const policy = { projectDirectory: served.project, overrides: { boundary: "container" } };
  const opening = { policy, callerEnvironment: {} };
  const killed = await other.sandboxes.open(opening, { signal: new AbortController().signal });
  const call = callsOf(served, served.project);
  const prune = async (...words: readonly string[]) => {
    const { code, stdout } = await call("sandbox", "prune", "--json", ...words);
    assert.equal(code, 0);
    const document: unknown = JSON.parse(stdout);
    return document;
  };
  assert.deepEqual(await prune(), { isDryRun: false, sandboxes: [] });
  assert.notDeepEqual(await processesWith(killed.sandbox), []);
  await endBroker(environment["XDG_STATE_HOME"] ?? "", async () => process.kill(await served.pid(), "SIGKILL"));
  const orphan = { task: killed.task, sandbox: killed.sandbox, reason: "orphaned" };
  const tasks = path.join(served.state, "tasks");
  assert.deepEqual(await prune("--dry-run"), { isDryRun: true, sandboxes: [orphan] });
  assert.deepEqual(readdirSync(tasks), [killed.task]);
  assert.deepEqual(await prune(), { isDryRun: false, sandboxes: [orphan] });
  assert.deepEqual(readdirSync(tasks), []);
  assert.deepEqual(await processesWith(killed.sandbox), []);
  assert.deepEqual(await prune(), { isDryRun: false, sandboxes: [] });
});

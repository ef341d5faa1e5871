// Takes one wall after the other away from the machine. The real command line must then refuse with code 122 and the command that repairs it, and
// the command must not have run. INVARIANT I-02
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { assertNothingLeft } from "../fixtures/residue.ts";
import { observe } from "../fixtures/observe/observe.ts";
import { makeGround } from "./harness/ground.ts";
import { boundaryWith, insideEnvironment, quietContext, specFor } from "./harness/inside.ts";
import { hostHas } from "./harness/stages.ts";
import { type ProgramCache, openProgramCache } from "./harness/program.ts";
import { commandLine } from "../fixtures/command-line.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const isRoot = process.getuid?.() === 0;

let programs: ProgramCache;

before(async () => {
  programs = await openProgramCache();
});

after(async () => {
  await programs[Symbol.asyncDispose]();
});

interface Missing {
  readonly name: string;
  /** Words before the command line that take the wall away. */
  readonly prefix: () => Promise<readonly string[]>;
  /** What stands in the refusal: what is missing, and how to repair it. */
  readonly says: readonly RegExp[];
  readonly only?: "root" | "ordinary";
}

const withoutFiles =
  (...files: readonly string[]) =>
  async (): Promise<readonly string[]> => [await programs.compiled("without-files"), ...files, "--"];
const withoutCalls = (feature: string) => async (): Promise<readonly string[]> => [await programs.compiled("without-calls"), feature];
const built = (name: string): string => path.join(installation, "build", name);

const missing: readonly Missing[] = [
  {
    name: "bubblewrap",
    prefix: withoutFiles("/usr/bin/bwrap", "/usr/local/bin/bwrap"),
    says: [/bubblewrap/u, /apt-get install.* bubblewrap/u],
  },
  { name: "the guard", prefix: withoutFiles(built("guard")), says: [/guard/u, /glovebox setup/u] },
  { name: "the launcher", prefix: withoutFiles(built("launcher")), says: [/launcher/u, /glovebox setup/u] },
  { name: "Landlock", prefix: withoutCalls("landlock"), says: [/landlock/u, /Linux 6\.12 or newer/u] },
  { name: "seccomp", prefix: withoutCalls("seccomp"), says: [/seccomp/u, /glovebox doctor|kernel/u] },
  {
    name: "user namespaces, by the answer of the kernel",
    prefix: withoutCalls("user-namespaces"),
    says: [/user namespace|uid/u, /sysctl/u],
  },
  {
    name: "user namespaces, by the kernel's own limit",
    only: "ordinary",
    prefix: async () => [await programs.compiled("without-user-namespaces")],
    says: [/user namespace/u, /sysctl -w user\.max_user_namespaces/u],
  },
  { name: "idmapped mounts", only: "root", prefix: withoutCalls("idmap"), says: [/uid/u, /ordinary user/u] },
];

interface CliRun extends Captured {
  readonly ran: boolean;
}

/** `glovebox run -- touch marker` in a fresh project with a state directory of its own. */
async function runCli(prefix: readonly string[], resources: AsyncDisposableStack): Promise<CliRun> {
  const ground = await makeGround(resources);
  const state = path.join(ground.root, "state");
  await mkdir(state, { mode: 0o700 });
  const project = path.join(ground.root, "plain-project");
  await mkdir(project);
  const marker = path.join(project, "marker");
  const words = [...prefix, process.execPath, commandLine, "run", "--", "touch", marker];
  const [file, ...rest] = ["/usr/bin/env", "-C", project, ...words];
  const environment = { ...insideEnvironment(ground.home), XDG_STATE_HOME: state, XDG_RUNTIME_DIR: state, LANG: "C.UTF-8", NO_COLOR: "1" };
  const scope = { markers: [ground.root], directories: [project] };
  const beforeRun = observe(scope);
  const captured = await capture(file, rest, { environment, timeoutMs: 120_000 });
  const ran = await hostHas(marker);
  if (ran) await rm(marker);
  assertNothingLeft(beforeRun, observe(scope));
  return { ...captured, ran };
}

test("the command line runs the command when no wall is missing: the control of this file", async () => {
  await using resources = new AsyncDisposableStack();
  const run = await runCli([], resources);
  assert.equal(run.code, 0, run.stderr);
  assert.ok(run.ran, "the marker was not made");
});

test("the programs that take walls away leave everything else alone: a command line that opens no sandbox still works under each", async () => {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  for (const { name, prefix, only } of missing) {
    if (only !== undefined && (only === "root") !== isRoot) continue;
    const [file, ...rest] = ["/usr/bin/env", ...(await prefix()), process.execPath, commandLine, "--help"];
    const { code, stderr } = await capture(file, rest, { environment: insideEnvironment(ground.home), timeoutMs: 120_000 });
    assert.equal(code, 0, `${name}: ${stderr}`);
  }
});

for (const { name, prefix, says, only } of missing) {
  if (only !== undefined && (only === "root") !== isRoot) continue;
  test(`without ${name} the command line refuses with code 122, says how to repair it, and runs nothing`, async () => {
    await using resources = new AsyncDisposableStack();
    const run = await runCli(await prefix(), resources);
    assert.equal(run.code, 122, `${run.stdout}${run.stderr}`);
    assert.ok(!run.ran, "the command ran without the wall");
    for (const pattern of says) assert.match(run.stderr, pattern);
  });
}

const refusedWith =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof GloveboxError && error.code === code;

test("open() rejects with WALL_UNAVAILABLE for a bubblewrap, guard or launcher that is not there, and leaves nothing", async () => {
  const absent = [{ bubblewrap: "/nonexistent/bwrap" }, { guardPath: "/nonexistent/guard" }, { launcherPath: "/nonexistent/launcher" }];
  for (const override of absent) {
    await using resources = new AsyncDisposableStack();
    const ground = await makeGround(resources);
    const spec = specFor({ ...ground, privateDirectory: ground.private });
    const scope = { markers: [spec.sandboxId], directories: [ground.root], ancestors: [process.pid] };
    const beforeOpen = observe(scope);
    await assert.rejects(
      boundaryWith("both", override).open(spec, quietContext(AbortSignal.timeout(120_000))),
      refusedWith("WALL_UNAVAILABLE"),
    );
    assertNothingLeft(beforeOpen, observe(scope));
  }
});

for (const [what, script, patienceMs] of [
  ["ends at once", "exit 0", 20_000],
  // Nothing but the caller's patience ends this one.
  ["says something else", "echo hello >&3; exec sleep 1000", 2000],
] as const) {
  test(`open() rejects a program in the guard's place that ${what}: what does not speak the protocol is no wall`, async () => {
    await using resources = new AsyncDisposableStack();
    const ground = await makeGround(resources);
    const guardPath = path.join(ground.root, "false-guard");
    await writeFile(guardPath, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const spec = specFor({ ...ground, privateDirectory: ground.private });
    const scope = { markers: [spec.sandboxId], directories: [], ancestors: [process.pid] };
    const beforeOpen = observe(scope);
    const opened = boundaryWith("both", { guardPath }).open(spec, quietContext(AbortSignal.timeout(patienceMs)));
    await assert.rejects(opened, (error: unknown) => error instanceof GloveboxError && error.code !== "INTERNAL");
    assertNothingLeft(beforeOpen, observe(scope));
  });
}

test("the product's guard refuses to leave a layer out: test layers exist in the test build only", async () => {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  const spec = specFor({ ...ground, privateDirectory: ground.private });
  const opened = boundaryWith("none", { guardPath: built("guard") }).open(spec, quietContext(AbortSignal.timeout(120_000)));
  await assert.rejects(opened, (error: unknown) => error instanceof GloveboxError && error.row.exit === 122);
});

// A throw-away project in a throw-away home, and short ways to run something in a sandbox there.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { openProcessBoundary, type ProcessBoundaryOptions } from "../../src/boundaries/process/process.ts";
import type { Command, ExitReport, PathPolicy, Sandbox, SandboxSpec } from "../../src/contracts/boundary.ts";
import { makeSandboxId, makeTaskId } from "../../src/contracts/ids.ts";
import { roomyLimits } from "../../src/contracts/testing/limits.ts";
import { removeScratch } from "../fixtures/scratch.ts";

export const installation = path.join(import.meta.dirname, "..", "..");
const ids = { nowMs: () => Date.now(), randomBytes: (count: number) => randomBytes(count) };
export const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-boundary-")));
await chmod(base, 0o755); // as root, the sandbox's own uid runs programs that a test puts there
after(async () => {
  for (const sandbox of opened) await sandbox.close();
  await removeScratch(base);
});

export const options: ProcessBoundaryOptions = {
  guardPath: path.join(installation, "build/guard"),
  launcherPath: path.join(installation, "build/launcher"),
  maskerPath: path.join(installation, "build/masker"),
  captivePath: path.join(installation, "build/captive"),
  protectedPaths: [{ path: installation, access: "read-only" }],
};

export interface World {
  readonly home: string;
  readonly project: string;
  readonly spec: (paths?: Partial<PathPolicy>) => SandboxSpec;
}

let worlds = 0;

export async function makeWorld(): Promise<World> {
  const root = path.join(base, `w${(worlds += 1)}`);
  const home = path.join(root, "home");
  const project = path.join(home, "work/app");
  await mkdir(path.join(project, "docs/deep"), { recursive: true });
  await mkdir(path.join(home, ".ssh"));
  await mkdir(path.join(root, "private"), { mode: 0o700 });
  await writeFile(path.join(home, ".ssh/id_ed25519"), "canary-ssh-key");
  await writeFile(path.join(project, "a.txt"), "a");
  await writeFile(path.join(project, ".env"), "canary-env");
  await writeFile(path.join(project, "docs/deep/kept.md"), "kept");
  const { uid, gid, username } = os.userInfo();
  return {
    home,
    project,
    spec: (paths = {}) => ({
      taskId: makeTaskId(ids),
      sandboxId: makeSandboxId(ids),
      projectDirectory: project,
      privateDirectory: path.join(root, "private"),
      paths: { readDefault: "system", allowRead: [], denyRead: [], allowWrite: [project], denyWrite: [], ...paths },
      environment: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: home,
        LANG: "C.UTF-8",
        GIT_AUTHOR_NAME: "t",
        GIT_COMMITTER_NAME: "t",
        EMAIL: "t@example.org",
      },
      limits: { ...roomyLimits, openFiles: 256 },
      user: { uid, gid, name: username, home },
    }),
  };
}

export const quiet = { signal: new AbortController().signal, journal: (): Promise<void> => Promise.resolve() };
const opened: Sandbox[] = [];

/** Closed at the latest when the file's tests are over, so that a test which fails leaves no sandbox and no waiting process. */
export async function open(spec: SandboxSpec, extra: Partial<ProcessBoundaryOptions> = {}): Promise<Sandbox> {
  const sandbox = await openProcessBoundary({ ...options, ...extra }).open(spec, quiet);
  opened.push(sandbox);
  return sandbox;
}

export interface Ran {
  readonly output: string;
  readonly exit: ExitReport;
}

export async function runIn(sandbox: Sandbox, argv: Command["argv"], cwd: string, more: Partial<Command> = {}): Promise<Ran> {
  const execution = await sandbox.exec({ argv, cwd, ...more });
  execution.endStdin();
  let output = "";
  for await (const { bytes } of execution.output) output += Buffer.from(bytes).toString("latin1");
  return { output, exit: await execution.exit };
}

/** One pipe for both channels, so that the order of what was said is the order of what happened. */
export async function sh(world: World, script: string, paths: Partial<PathPolicy> = {}): Promise<string> {
  const sandbox = await open(world.spec(paths));
  try {
    return (await runIn(sandbox, ["sh", "-c", `exec 2>&1; ${script}`], world.project)).output;
  } finally {
    await sandbox.close();
  }
}

export async function processesWith(text: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name) && name !== String(process.pid));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return pids.filter((_, index) => lines[index]?.includes(text) === true);
}

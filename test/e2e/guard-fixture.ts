// Starts the real guard under a plain bubblewrap, without the process boundary: as whoever runs the test, and, for root, also as the
// uid that the launcher allocates.
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { chmod, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import type { Execution, OutputChunk } from "../../src/contracts/boundary.ts";
import { type LayoutOperation, layoutText, runOperation } from "../../src/linux/layout.ts";
import { type GuardRule, type GuardSession, openGuardSession, rightsFor } from "../../src/guard/guard.ts";

export const root = path.resolve(import.meta.dirname, "../..");
export const guardPath = path.join(root, "build/guard");
export const testGuardPath = path.join(root, "build/test/guard");
export const launcherPath = path.join(root, "build/launcher");
/** Outside every range that Debian gives to users and their subordinate ids, and of nobody: the launcher refuses one in use. */
export function freshUid(): number {
  return 1_900_000_000 + randomInt(2 ** 24);
}

/** `caller`: bubblewrap started directly. `launcher`: root only. */
export type Identity = "caller" | "launcher";
export const identities: readonly Identity[] = process.getuid?.() === 0 ? ["caller", "launcher"] : ["caller"];

const namespaces = ["user", "ipc", "pid", "net", "uts", "cgroup"].map((name) => `--unshare-${name}`);
const flags = ["--disable-userns", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"];
const view = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run", "--tmpfs", "/tmp"];
const guardInside = "/run/glovebox/guard";

export const rules: readonly GuardRule[] = [
  { path: "/", rights: rightsFor.list },
  ...["/usr", "/bin", "/lib", "/lib64", "/etc"].map((name) => ({ path: name, rights: rightsFor.read, optional: true })),
  { path: "/tmp", rights: rightsFor.write },
  { path: "/proc", rights: rightsFor.processFiles },
  { path: "/dev/pts", rights: rightsFor.terminal },
  ...["null", "zero", "full", "urandom", "tty"].map((name) => ({ path: `/dev/${name}`, rights: rightsFor.device })),
];

export interface RawGuard extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly channel: Duplex;
  /** Exit status of bubblewrap, which is the guard's. */
  readonly exited: Promise<number | null>;
}

export interface StartOptions {
  readonly identity?: Identity;
  readonly guard?: string;
  readonly guardArguments?: readonly string[];
  /** A host directory that everybody may write to: /tmp/shared inside. */
  readonly shared?: string;
  /** A seccomp program for the guard and everything below it. */
  readonly filter?: Uint8Array;
  /** What starts it ignores a hangup, as `nohup` makes it. */
  readonly ignoresHangup?: boolean;
}

function stageOperations(stage: string, guard: string): readonly LayoutOperation[] {
  return [
    ["uid", String(freshUid())],
    ["stage", stage],
    ["idmap-ro", guard, "-", "guard"],
  ];
}

/** Bubblewrap and the guard, nothing said yet. */
export async function startGuard(options: StartOptions = {}): Promise<RawGuard> {
  const guard = options.guard ?? guardPath;
  const isLaunched = options.identity === "launcher";
  const stage = isLaunched ? mkdtempSync(path.join(tmpdir(), "glovebox-stage-")) : undefined;
  if (stage !== undefined) await chmod(stage, 0o711);
  const bwrap = [
    "/usr/bin/bwrap",
    ...namespaces,
    ...flags,
    ...view,
    ...(options.shared === undefined ? [] : ["--bind", options.shared, "/tmp/shared"]),
    "--ro-bind",
    stage === undefined ? guard : `${stage}/guard`,
    guardInside,
    ...(options.filter === undefined ? [] : ["--seccomp", "4"]),
    "--",
    guardInside,
    "serve",
    "--sandbox=s-test",
    ...(options.guardArguments ?? []),
  ];
  const started = stage === undefined ? bwrap : [launcherPath];
  const [file = "", ...args] = options.ignoresHangup === true ? ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", ...started] : started;
  const child = spawn(file, args, { stdio: ["pipe", "inherit", "inherit", "pipe", "pipe"], env: {} });
  child.stdin?.on("error", () => {}); // it ended before it read: its exit says why
  child.stdin?.end(stage === undefined ? "" : layoutText([...stageOperations(stage, guard), runOperation(bwrap)]));
  const { promise: exited, resolve } = Promise.withResolvers<number | null>();
  child.on("exit", (code) => resolve(code));
  const [, , , channel, filter] = child.stdio;
  (filter as Duplex).on("error", () => {}).end(options.filter ?? "");
  const dispose = async (): Promise<void> => {
    (channel as Duplex).destroy();
    child.kill("SIGKILL");
    await exited;
    if (stage !== undefined) await rmdir(stage);
  };
  return { process: child, channel: channel as Duplex, exited, [Symbol.asyncDispose]: dispose };
}

export interface OpenGuard extends RawGuard {
  readonly session: GuardSession;
}

/** A guard that is ready for commands. */
export async function openGuard(options: StartOptions & { readonly allowTestBuild?: boolean } = {}): Promise<OpenGuard> {
  const raw = await startGuard(options);
  const session = openGuardSession(raw.channel, { allowTestBuild: options.allowTestBuild ?? false });
  try {
    await session.configure(rules);
  } catch (error) {
    await raw[Symbol.asyncDispose]();
    throw error;
  }
  return { ...raw, session };
}

const environment = { PATH: "/usr/bin:/bin", LANG: "C" };

export async function start(
  session: GuardSession,
  argv: readonly [string, ...string[]],
  options: {
    readonly pty?: { readonly rows: number; readonly columns: number };
    readonly environment?: Record<string, string>;
    readonly cwd?: string;
  } = {},
): Promise<Execution> {
  const { pty } = options;
  return session.exec({
    argv,
    cwd: options.cwd ?? "/tmp",
    environment: options.environment ?? environment,
    ...(pty === undefined ? {} : { pty }),
  });
}

export async function startShell(session: GuardSession, script: string): Promise<Execution> {
  return start(session, ["sh", "-c", script]);
}

export async function collect(output: AsyncIterable<OutputChunk>): Promise<{ readonly stdout: Buffer; readonly stderr: Buffer }> {
  const parts: Record<"stdout" | "stderr", Uint8Array[]> = { stdout: [], stderr: [] };
  for await (const { channel, bytes } of output) parts[channel].push(bytes);
  return { stdout: Buffer.concat(parts.stdout), stderr: Buffer.concat(parts.stderr) };
}

/** Reads until `text` has come, and leaves the rest unread. */
export async function readUntil(chunks: AsyncIterator<OutputChunk, unknown>, text: string): Promise<string> {
  let seen = "";
  while (!seen.includes(text)) {
    const next = await chunks.next();
    if (next.done === true) throw new Error(`the output ended before ${JSON.stringify(text)}: ${JSON.stringify(seen)}`);
    seen += Buffer.from(next.value.bytes).toString("latin1");
  }
  return seen;
}

export interface HostProcess {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

/** What descends from a process, as the host's /proc tells it; without zombies. */
export function descendants(pid: number): readonly HostProcess[] {
  const all: HostProcess[] = [];
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/u.test(entry)) continue;
    try {
      const [, name = "", state = "", parent = "0"] = /\((.*)\) (\S) (\d+)/su.exec(readFileSync(`/proc/${entry}/stat`, "latin1")) ?? [];
      if (state !== "Z") all.push({ pid: Number(entry), parent: Number(parent), name });
    } catch {
      continue; // it ended meanwhile
    }
  }
  const found: HostProcess[] = [];
  for (const parents = [pid]; parents.length > 0;) {
    const parent = parents.shift();
    for (const child of all) {
      if (child.parent !== parent) continue;
      found.push(child);
      parents.push(child.pid);
    }
  }
  return found;
}

/** Looks again and again until `look` gives a value; fails after `limitMs`. */
export async function eventually<T>(what: string, look: () => T | undefined, limitMs = 60_000): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = look();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

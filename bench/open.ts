// Opening a process sandbox and running its first command, beside bare bubblewrap with the same namespaces. Budget: 1.5x.
import { randomBytes } from "node:crypto";
import { mkdtemp, realpath, rm, mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openProcessBoundary } from "../src/boundaries/process/process.ts";
import type { PathPolicy, Sandbox, SandboxSpec } from "../src/contracts/boundary.ts";
import type { EgressEndpoint } from "../src/contracts/egress.ts";
import { makeSandboxId, makeTaskId } from "../src/contracts/ids.ts";
import { capture } from "../src/kit/spawn.ts";
import { type Alternative, measureInTurn, printTimings } from "./measure.ts";
import { roomyLimits } from "../src/contracts/testing/limits.ts";

const installation = path.join(import.meta.dirname, "..");
const ids = { nowMs: () => Date.now(), randomBytes: (count: number) => randomBytes(count) };

/** The namespaces of a process sandbox over the plainest view in which `true` runs. */
export const bareBubblewrap = [
  "--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup --disable-userns --cap-drop ALL",
  "--new-session --die-with-parent --as-pid-1 --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64",
  "--ro-bind /etc /etc --dev /dev --proc /proc --tmpfs /tmp",
].flatMap((line) => line.split(" "));

interface BenchPlaces {
  readonly project: string;
  readonly privateDirectory: string;
}

/** An empty project below `base`, and a directory as a task has one. */
async function makePlaces(base: string): Promise<BenchPlaces> {
  const project = path.join(base, "project");
  await mkdir(project, { recursive: true });
  return { project, privateDirectory: await mkdtemp(path.join(base, "private-")) };
}

interface Opening {
  readonly paths?: Partial<PathPolicy>;
  readonly egress?: EgressEndpoint | undefined;
}

/** One for all rounds, as a broker has one. */
const boundary = openProcessBoundary({
  guardPath: path.join(installation, "build/guard"),
  launcherPath: path.join(installation, "build/launcher"),
  maskerPath: path.join(installation, "build/masker"),
  captivePath: path.join(installation, "build/captive"),
  protectedPaths: [],
});

/** What a boundary is asked for in its places. */
export function benchSpec({ project, privateDirectory }: BenchPlaces, { paths = {}, egress }: Opening = {}): SandboxSpec {
  const { uid, gid, username, homedir } = os.userInfo();
  return {
    taskId: makeTaskId(ids),
    sandboxId: makeSandboxId(ids),
    projectDirectory: project,
    privateDirectory,
    paths: { readDefault: "system" as const, allowRead: [], denyRead: [], allowWrite: [project], denyWrite: [], ...paths },
    environment: { PATH: "/usr/bin:/bin" },
    limits: { ...roomyLimits, outputBytes: 1 << 20 },
    user: { uid, gid, name: username, home: homedir },
    ...(egress === undefined ? {} : { egress }),
  };
}

function openingOf(places: BenchPlaces, opening: Opening): () => Promise<Sandbox> {
  const spec = benchSpec(places, opening);
  return () => boundary.open(spec, { signal: new AbortController().signal, journal: () => Promise.resolve() });
}

/** Opens a process sandbox over an empty project below `base`. */
export async function openBenchSandbox(
  base: string,
  paths: Partial<PathPolicy> = {},
  egress?: EgressEndpoint,
): Promise<BenchPlaces & { readonly sandbox: Sandbox }> {
  const places = await makePlaces(base);
  return { sandbox: await openingOf(places, { paths, egress })(), ...places };
}

/** Runs `true` to its end. */
export async function runTrue(sandbox: Sandbox, cwd: string): Promise<void> {
  const execution = await sandbox.exec({ argv: ["/usr/bin/true"], cwd });
  for await (const chunk of execution.output) void chunk;
  await execution.exit;
}

function gloveboxAlternative(base: string): Alternative & { close(): Promise<void> } {
  let last: Sandbox | undefined;
  return {
    name: "glovebox: open, then the first command",
    run: async () => {
      await last?.close();
      // The project is the user's and its private directory is the task's: both are there before a sandbox is asked for.
      const places = await makePlaces(base);
      const open = openingOf(places, {});
      const started = performance.now();
      last = await open();
      await runTrue(last, places.project);
      return performance.now() - started;
    },
    close: async () => last?.close(),
  };
}

export async function benchOpen(rounds = 30): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bench-")));
  const glovebox = gloveboxAlternative(base);
  try {
    const bare: Alternative = {
      name: "bare bubblewrap, same namespaces",
      run: async () => void (await capture("/usr/bin/bwrap", [...bareBubblewrap, "/usr/bin/true"])),
    };
    console.log(`\n$ bwrap ${bareBubblewrap.join(" ")} /usr/bin/true`);
    printTimings(`open + first command (${rounds} rounds in turn; budget 1.50x)`, await measureInTurn([bare, glovebox], rounds));
  } finally {
    await glovebox.close();
    await rm(base, { recursive: true });
  }
}

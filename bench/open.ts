// Opening a process sandbox and running its first command, beside bare bubblewrap with the same namespaces. Budget: 1.5x.
import { randomBytes } from "node:crypto";
import { mkdtemp, realpath, rm, mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openProcessBoundary } from "../src/boundaries/process/process.ts";
import type { PathPolicy, Sandbox } from "../src/contracts/boundary.ts";
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

/** Opens a process sandbox over an empty project below `base`. */
export async function openBenchSandbox(
  base: string,
  paths: Partial<PathPolicy> = {},
  egress?: EgressEndpoint,
): Promise<{
  readonly sandbox: Sandbox;
  readonly project: string;
  readonly privateDirectory: string;
}> {
  const boundary = openProcessBoundary({
    guardPath: path.join(installation, "build/guard"),
    launcherPath: path.join(installation, "build/launcher"),
    maskerPath: path.join(installation, "build/masker"),
    captivePath: path.join(installation, "build/captive"),
    protectedPaths: [],
  });
  const { uid, gid, username, homedir } = os.userInfo();
  const project = path.join(base, "project");
  await mkdir(project, { recursive: true });
  const privateDirectory = await mkdtemp(path.join(base, "private-"));
  const sandbox = await boundary.open(
    {
      taskId: makeTaskId(ids),
      sandboxId: makeSandboxId(ids),
      projectDirectory: project,
      privateDirectory,
      paths: { readDefault: "system", allowRead: [], denyRead: [], allowWrite: [project], denyWrite: [], ...paths },
      environment: { PATH: "/usr/bin:/bin" },
      limits: { ...roomyLimits, outputBytes: 1 << 20 },
      user: { uid, gid, name: username, home: homedir },
      ...(egress === undefined ? {} : { egress }),
    },
    { signal: new AbortController().signal, journal: () => Promise.resolve() },
  );
  return { sandbox, project, privateDirectory };
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
      const started = performance.now();
      const { sandbox, project } = await openBenchSandbox(base);
      await runTrue(sandbox, project);
      last = sandbox;
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

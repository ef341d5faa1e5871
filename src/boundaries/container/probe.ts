// What this machine can hold of the container boundary, found by starting one.
import { randomBytes } from "node:crypto";
import os from "node:os";
import type { Boundary, ProbeLine, ProbeReport, SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { makeSandboxId, makeTaskId } from "../../contracts/ids.ts";
import { isExecutable } from "../../linux/linux.ts";
import type { ContainerMachine } from "./container.ts";
import { openContainerSandbox } from "./open-container-sandbox.ts";
import { findRuntime, isGvisor, type Runtime, runtimeVersion } from "./runtimes.ts";

const mebibyte = 2 ** 20;

/** Of a container that runs nothing. */
const probeLimits: SandboxSpec["limits"] = {
  cpuMs: 60_000,
  cpuCores: 1,
  memoryBytes: 256 * mebibyte,
  processes: 64,
  diskBytes: 16 * mebibyte,
  openFiles: 64,
  outputBytes: 1,
  returnedBytes: 1,
  wallMs: 60_000,
  denials: 1,
};

function probeSpec(): SandboxSpec {
  const ids = { nowMs: () => Date.now(), randomBytes: (count: number) => randomBytes(count) };
  const { uid, gid, username: name, homedir: home } = os.userInfo();
  return {
    taskId: makeTaskId(ids),
    sandboxId: makeSandboxId(ids),
    projectDirectory: "/workspace",
    privateDirectory: "/workspace",
    paths: { readDefault: "system", allowRead: [], denyRead: [], allowWrite: ["/workspace"], denyWrite: [] },
    environment: {},
    limits: probeLimits,
    user: { uid, gid, name, home },
  };
}

async function runtimeLine(runtime: Runtime | undefined, name: string): Promise<ProbeLine> {
  const version = runtime === undefined ? undefined : await runtimeVersion(runtime);
  const works = runtime !== undefined && version !== undefined;
  const fix = works ? undefined : { key: "container.fix.runtime", values: { runtime: name } };
  return { name, state: works ? "works" : "missing", detail: works ? `${version} ${runtime.path}` : "", fix, required: true };
}

function programLine(name: string, path: string): ProbeLine {
  const works = isExecutable(path);
  return { name, state: works ? "works" : "missing", detail: path, fix: works ? undefined : { key: "wall.fix.setup" }, required: true };
}

/** Opens one and closes it. */
async function containerLine(options: ContainerMachine): Promise<ProbeLine> {
  const line = { name: `container/${options.runtime}`, required: true } as const;
  try {
    const sandbox: Awaited<ReturnType<Boundary["open"]>> = await openContainerSandbox(options, probeSpec(), {
      signal: new AbortController().signal,
      journal: () => Promise.resolve(),
    });
    const { hostUid, insideUid } = sandbox.walls.identity;
    await sandbox.close();
    const runtime = findRuntime(options.runtime);
    const platform = runtime !== undefined && isGvisor(runtime) ? `, platform ${await options.platformOf(runtime)}` : "";
    return { ...line, state: "works", detail: `uid ${insideUid} inside, ${hostUid} outside${platform}`, fix: undefined };
  } catch (error) {
    // A probe reports, it never throws.
    const fix = error instanceof GloveboxError ? error.hint : { key: "container.fix.start", values: { runtime: options.runtime } };
    return { ...line, state: "missing", detail: error instanceof Error ? error.message.slice(0, 200) : "", fix };
  }
}

/** Never throws. */
export async function probeContainerBoundary(options: ContainerMachine): Promise<ProbeReport> {
  const runtime = findRuntime(options.runtime);
  const before = [
    await runtimeLine(runtime, options.runtime),
    programLine("guard", options.guardPath),
    programLine("launcher", options.launcherPath),
  ];
  const isReady = before.every(({ state }) => state === "works");
  const missing = before.find(({ state }) => state !== "works")?.name ?? "";
  const untried: ProbeLine = {
    name: `container/${options.runtime}`,
    state: "missing",
    detail: "",
    fix: { key: "wall.fix.first", values: { missing } },
    required: true,
  };
  const lines = [...before, isReady ? await containerLine(options) : untried];
  return { kind: "container", usable: lines.every(({ state }) => state === "works"), lines };
}

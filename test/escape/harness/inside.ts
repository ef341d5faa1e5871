// Runs a program in a process sandbox from which whole layers may have been taken away: opens it, collects the output, closes it.
import { randomBytes } from "node:crypto";
import os from "node:os";
import path from "node:path";
import { type ProcessBoundaryOptions, openProcessBoundary } from "../../../src/boundaries/process/process.ts";
import type { Boundary, PathPolicy, SandboxSpec } from "../../../src/contracts/boundary.ts";
import { makeSandboxId, makeTaskId } from "../../../src/contracts/ids.ts";
import type { Configuration, Run } from "./attack.ts";
import { openTestGate } from "../../fixtures/test-gate.ts";
import { roomyLimits } from "../../../src/contracts/testing/limits.ts";

const installation = path.join(import.meta.dirname, "..", "..", "..");
const idSource = { nowMs: () => Date.now(), randomBytes: (count: number) => randomBytes(count) };

/** What crosses to another process when a run needs one of its own: data only. */
export interface InsideRequest {
  readonly configuration: Exclude<Configuration, "outside">;
  readonly argv: readonly [string, ...string[]];
  readonly terminal: boolean;
  readonly hasGate?: boolean;
  readonly home: string;
  readonly project: string;
  readonly privateDirectory: string;
  readonly paths: PathPolicy;
  readonly nests?: true;
  readonly timeoutMs: number;
}

const layersOf = {
  none: { outer: false, inner: false },
  outer: { outer: true, inner: false },
  inner: { outer: false, inner: true },
} as const;

/** `both` is the product's own guard with nothing injected; the others need the test build. */
export function boundaryWith(configuration: Exclude<Configuration, "outside">, overrides: Partial<ProcessBoundaryOptions> = {}): Boundary {
  const build = path.join(installation, "build");
  const common = {
    launcherPath: path.join(build, "launcher"),
    maskerPath: path.join(build, "masker"),
    captivePath: path.join(build, "captive"),
    protectedPaths: [],
  };
  if (configuration === "both") return openProcessBoundary({ ...common, guardPath: path.join(build, "guard"), ...overrides });
  return openProcessBoundary({ ...common, guardPath: path.join(build, "test/guard"), testLayers: layersOf[configuration], ...overrides });
}

export const insideEnvironment = (home: string): Record<string, string> => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: home,
  LANG: "C.UTF-8",
  TERM: "xterm",
});

export function specFor(request: Pick<InsideRequest, "home" | "project" | "privateDirectory" | "paths" | "nests">): SandboxSpec {
  const { uid, gid, username } = os.userInfo();
  return {
    taskId: makeTaskId(idSource),
    sandboxId: makeSandboxId(idSource),
    projectDirectory: request.project,
    privateDirectory: request.privateDirectory,
    paths: request.paths,
    environment: insideEnvironment(request.home),
    limits: { ...roomyLimits, returnedBytes: 1 << 20 },
    user: { uid, gid, name: username, home: request.home },
    nestedNamespaces: request.nests === true,
  };
}

/** Lets nothing through: whatever reaches the host with it in place has gone around the captive network. */
export const gateThatRefuses = () => openTestGate({ answer: (socket) => socket.destroy() });

export const quietContext = (signal: AbortSignal) => ({ signal, journal: async (): Promise<void> => {} });

/**
 * @param meanwhile done between the opening of the sandbox and the start of the program
 * @throws Error when the program does not end in time or the sandbox is lost: neither says anything about an attack
 */
export async function runInside(request: InsideRequest, meanwhile: () => Promise<void> = async () => {}): Promise<Run> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  const sandbox = await boundaryWith(request.configuration).open(
    { ...specFor(request), ...(request.hasGate === true ? { egress: gateThatRefuses() } : {}) },
    quietContext(signal),
  );
  try {
    await meanwhile();
    const terminal = request.terminal ? { pty: { rows: 24, columns: 80 } } : {};
    const execution = await sandbox.exec({ argv: request.argv, cwd: request.project, ...terminal });
    signal.addEventListener("abort", () => void execution.killTree());
    if (!request.terminal) execution.endStdin();
    const chunks: Uint8Array[] = [];
    for await (const chunk of execution.output) chunks.push(chunk.bytes);
    const report = await execution.exit;
    if (signal.aborted) throw new Error(`${request.argv.join(" ")} did not end within ${request.timeoutMs} ms`);
    if (report.kind === "lost" || report.kind === "not-started") throw new Error(`the program did not run: ${JSON.stringify(report)}`);
    return { output: Buffer.concat(chunks).toString("latin1") };
  } finally {
    await sandbox.close();
  }
}

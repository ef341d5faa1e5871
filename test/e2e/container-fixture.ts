// A throw-away project with secrets around it, and short ways to run something in a container there.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { type ContainerBoundaryOptions, openContainerBoundary, type RuntimeName } from "../../src/boundaries/container/container.ts";
import type { Command, ExitReport, OpenContext, Sandbox, SandboxSpec } from "../../src/contracts/boundary.ts";
import { makeSandboxId, makeTaskId } from "../../src/contracts/ids.ts";
import type { Limits } from "../../src/contracts/limits.ts";
import { roomyLimits } from "../../src/contracts/testing/limits.ts";
import { containerOptions } from "../fixtures/container-options.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const ids = { nowMs: () => Date.now(), randomBytes: (count: number) => randomBytes(count) };
export const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-container-")));
export const home = path.join(base, "home");
export const project = path.join(home, "project");
await mkdir(path.join(home, ".ssh"), { recursive: true });
await mkdir(project);
await writeFile(path.join(home, ".ssh/id_ed25519"), "canary-ssh-key");
await writeFile(path.join(project, "a.txt"), "canary-project");

const opened: Sandbox[] = [];
after(async () => {
  for (const sandbox of opened) await sandbox.close();
  await removeScratch(base);
});

export function containerSpec(limits: Partial<Limits> = {}): SandboxSpec {
  const { uid, gid, username } = os.userInfo();
  return {
    taskId: makeTaskId(ids),
    sandboxId: makeSandboxId(ids),
    projectDirectory: project,
    privateDirectory: base,
    paths: { readDefault: "system", allowRead: [], denyRead: [path.join(home, ".ssh")], allowWrite: [project], denyWrite: [] },
    environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home },
    homeFiles: { ".config/tool": "of the policy\n" },
    limits: { ...roomyLimits, ...limits },
    user: { uid, gid, name: username, home },
  };
}

export const quiet: OpenContext = { signal: new AbortController().signal, journal: () => Promise.resolve() };

/** Closed at the latest when the file's tests are over. */
export async function openContained(
  runtime: RuntimeName,
  spec: SandboxSpec = containerSpec(),
  extra: Partial<ContainerBoundaryOptions> = {},
): Promise<Sandbox> {
  const sandbox = await openContainerBoundary({ ...containerOptions(runtime), ...extra }).open(spec, quiet);
  opened.push(sandbox);
  return sandbox;
}

export async function runContained(
  sandbox: Sandbox,
  argv: Command["argv"],
): Promise<{ readonly output: string; readonly exit: ExitReport }> {
  const execution = await sandbox.exec({ argv, cwd: project });
  execution.endStdin();
  let output = "";
  for await (const { bytes } of execution.output) output += Buffer.from(bytes).toString("latin1");
  return { output, exit: await execution.exit };
}

// A run outside any sandbox in the shape of a sandbox, so that one life of an action serves both. It holds nothing: its report says so.
import { stat } from "node:fs/promises";
import path from "node:path";
import type { ApprovalKind, BoundFile } from "../contracts/approval.ts";
import { type Command, noLateMasks, type Sandbox, type WallReport } from "../contracts/boundary.ts";
import type { RunRequest } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { SandboxId } from "../contracts/ids.ts";
import type { OutsideEntry } from "../contracts/policy-document.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { HostUser } from "../contracts/boundary.ts";
import { killMarked } from "../kit/marked-processes.ts";
import { buildEnvironment } from "./environment.ts";
import { startOutside } from "./outside-execution.ts";

/** Where and as what a request would run outside. */
export interface OutsidePlan {
  readonly kind: Exclude<ApprovalKind, "command">;
  readonly entry: OutsideEntry | undefined;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly hasInput: boolean;
}

/** What every program expects, and nothing of the caller's. */
function bareEnvironment(user: HostUser, cwd: string): Record<string, string> {
  const { home, name } = user;
  return { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, USER: name, LOGNAME: name, SHELL: "/bin/sh", PWD: cwd, LANG: "C.UTF-8" };
}

/** Undefined for a request that stays in a sandbox. */
export function planOutside(policy: CompiledPolicy, request: RunRequest, user: HostUser): OutsidePlan | undefined {
  if (request.outside === undefined) return undefined;
  const { entry: id } = request.outside;
  const entry = policy.outside.find((candidate) => candidate.id === id);
  const [, ...words] = request.argv;
  if (id !== undefined) {
    const cwd = entry?.cwd ?? "/";
    const environment = { ...bareEnvironment(user, cwd), ...entry?.environment };
    return { kind: "narrow", entry, argv: [entry?.program ?? request.argv[0], ...words], cwd, environment, hasInput: false };
  }
  const { cwd } = request;
  const environment = buildEnvironment({ policy, caller: request.callerEnvironment, user, cwd, hasTerminal: false, isOutside: true });
  return { kind: "unsandboxed", entry, argv: request.argv, cwd, environment, hasInput: true };
}

async function belongsToRoot(file: string): Promise<boolean> {
  const { uid, mode } = await stat(file);
  const isOurs = uid === 0 && (mode & 0o022) === 0;
  return isOurs && (file === "/" || belongsToRoot(path.dirname(file)));
}

/** @throws POLICY_DENIED when the program is not the one that the entry pins */
export async function checkPin(entry: OutsideEntry, files: readonly BoundFile[]): Promise<void> {
  const program = files.find(({ role }) => role === "program");
  const isPinned =
    program !== undefined && (entry.pin === "root" ? await belongsToRoot(program.path).catch(() => false) : program.digest === entry.pin);
  if (isPinned) return;
  throw new GloveboxError("POLICY_DENIED", "run.outside-not-pinned", {
    values: { program: entry.program, entry: entry.id, pin: entry.pin },
  });
}

const noWalls = (user: HostUser): WallReport => ({
  layers: [],
  limits: [],
  reads: [],
  hidden: [],
  writes: [],
  connects: [],
  identity: { hostUid: user.uid, hostGid: user.gid, insideUid: user.uid, capabilities: [] },
});

/** The variable by which every process of the command is found again, also by a later start. */
export function outsideMark(id: string): string {
  return `GLOVEBOX_OUTSIDE=${id}`;
}

/** Ends what a broker that died left of a run outside; returns how many processes that were. */
export function reapOutside(id: string): number {
  return killMarked(outsideMark(id));
}

/** Starts nothing yet. */
export function openOutside(id: SandboxId, plan: OutsidePlan, user: HostUser): Sandbox {
  let last: Awaited<ReturnType<Sandbox["exec"]>> | undefined;
  return {
    id,
    walls: noWalls(user),
    exec: async ({ argv, cwd }: Command) => {
      last = startOutside({ argv, cwd, environment: plan.environment, mark: outsideMark(id) });
      return last;
    },
    stats: async () => ({ processes: 0, openCommands: 0 }),
    usage: () => undefined,
    // What it does outside is caught by nothing.
    whoConnects: () => undefined,
    lateMasks: noLateMasks,
    exhausted: new Promise(() => {}),
    close: async () => {
      await last?.killTree();
    },
  };
}

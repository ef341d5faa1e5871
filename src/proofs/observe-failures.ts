// Makes a failure, a timeout, an exhausted limit and a denial happen, and looks for each in the record.
import path from "node:path";
import type { RunIo, RunRequest } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { StoredRecord } from "../contracts/ledger.ts";
import type { Limits } from "../contracts/limits.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { makeCanary, type ProvingGround } from "./proving-ground.ts";
import { forProbes, type ProofParts } from "./run-probes.ts";

export interface FailureRecords {
  /** The exit code that the record of a failing command holds; undefined: none does. */
  readonly failure: number | undefined;
  /** The limits that the records of a slow and of a loud command name. */
  readonly timeout: string | undefined;
  readonly exhaustion: string | undefined;
  /** How a command was answered that asked to leave the sandbox with nobody there to ask. */
  readonly denial: { readonly code: string; readonly isRecorded: boolean };
}

const shell = "/bin/sh";
const limitMs = 30_000;

function quietIo(): RunIo {
  return { signal: AbortSignal.timeout(limitMs), onOutput: async () => {}, onStart: () => {} };
}

function requestFor(ground: ProvingGround, script: string): RunRequest {
  return { policy: { projectDirectory: ground.project }, argv: [shell, "-c", script], cwd: ground.project, callerEnvironment: {} };
}

async function runWith(
  parts: ProofParts,
  ground: ProvingGround,
  script: string,
  limits: Partial<Limits>,
): Promise<readonly StoredRecord[]> {
  const policy = await parts.policyFor(ground.project);
  const narrowed = forProbes({ ...policy, limits: { ...policy.limits, ...limits } });
  const { task } = await parts.run(narrowed, requestFor(ground, script), quietIo());
  return parts.recordsOf(task);
}

const endOf = (records: readonly StoredRecord[]) => records.find(({ type }) => type === "execution.ended")?.body;

function limitOf(records: readonly StoredRecord[]): string | undefined {
  const hits = endOf(records)?.["limitHits"];
  const first: unknown = Array.isArray(hits) ? hits[0] : undefined;
  const name: unknown = typeof first === "object" && first !== null && "limit" in first ? first.limit : undefined;
  return typeof name === "string" ? name : undefined;
}

function exitOf(records: readonly StoredRecord[]): number | undefined {
  const exit = endOf(records)?.["exit"];
  const value: unknown = typeof exit === "object" && exit !== null && "value" in exit ? exit.value : undefined;
  return typeof value === "number" ? value : undefined;
}

/** Nobody is there to be asked, so nothing can start: what comes back is a refusal or a defect. */
async function denial(parts: ProofParts, ground: ProvingGround, policy: CompiledPolicy): Promise<FailureRecords["denial"]> {
  const mark = path.join(ground.project, makeCanary());
  const request: RunRequest = { ...requestFor(ground, ""), argv: ["/bin/true", mark], outside: { entry: undefined } };
  const isRecorded = (): boolean =>
    parts.recentRecords().some(({ type, detail }) => {
      const argv = detail?.["argv"];
      return type === "policy.decision" && Array.isArray(argv) && argv.includes(mark);
    });
  try {
    await parts.run(policy, request, quietIo());
    return { code: "none", isRecorded: isRecorded() };
  } catch (error) {
    if (!(error instanceof GloveboxError)) throw error;
    return { code: error.code, isRecorded: isRecorded() };
  }
}

export async function observeFailures(parts: ProofParts, ground: ProvingGround): Promise<FailureRecords> {
  const policy = await parts.policyFor(ground.project);
  return {
    failure: exitOf(await runWith(parts, ground, "exit 7", {})),
    timeout: limitOf(await runWith(parts, ground, "sleep 60", { wallMs: 300 })),
    exhaustion: limitOf(await runWith(parts, ground, "head -c 100000 /dev/zero", { outputBytes: 1000 })),
    denial: await denial(parts, ground, policy),
  };
}

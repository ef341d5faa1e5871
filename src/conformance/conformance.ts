// The suite that every boundary passes, case by case. A deviation is data with a reason; one that no longer deviates fails.
import type { Boundary, KernelObject, Sandbox, SandboxSpec } from "../contracts/boundary.ts";
import type { EgressEndpoint } from "../contracts/egress.ts";
import { commandCases } from "./cases/command-cases.ts";
import { egressCases } from "./cases/egress-cases.ts";
import { lifeCases } from "./cases/life-cases.ts";
import { streamCases } from "./cases/stream-cases.ts";
import { treeCases } from "./cases/tree-cases.ts";
import type { Dialect } from "./dialect.ts";

export { memoryDialect, posixDialect, type Argv, type Dialect } from "./dialect.ts";
export { renderMatrix } from "./matrix.ts";

/** One boundary to be judged. */
export interface ConformanceTarget {
  readonly name: string;
  readonly boundary: Boundary;
  readonly dialect: Dialect;
  /** A fresh spec with an existing project that is a write root; released after the case. */
  makeSpec(environment: Readonly<Record<string, string>>): Promise<{ readonly spec: SandboxSpec; release: () => Promise<void> }>;
}

/** What a case works with. Every sandbox that it opens is closed after it. */
export interface CaseContext {
  readonly dialect: Dialect;
  readonly spec: SandboxSpec;
  /** What the boundary journalled, and when it resolved, in order. */
  readonly journal: readonly KernelObject[];
  readonly open: (options?: {
    readonly signal?: AbortSignal;
    readonly journal?: (object: KernelObject) => Promise<void>;
    readonly egress?: EgressEndpoint;
  }) => Promise<Sandbox>;
}

export interface ConformanceCase {
  /** Stable: deviations and the published matrix name it. */
  readonly name: string;
  /** Added to the environment of the spec. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Throws when the boundary does not conform. */
  run(context: CaseContext): Promise<void>;
}

export interface Deviation {
  readonly case: string;
  /** Shown in the matrix. */
  readonly reason: string;
}

export interface ConformanceResult {
  readonly case: string;
  readonly outcome: "passes" | "deviates" | "fails";
  /** The deviation's reason, or what failed. */
  readonly detail: string;
}

export const conformanceCases: readonly ConformanceCase[] = [...commandCases, ...streamCases, ...treeCases, ...lifeCases, ...egressCases];

const caseDeadlineMs = 30_000;

function deadline(name: string): { readonly promise: Promise<never>; cancel: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Cannot finish the case "${name}": ${caseDeadlineMs} ms passed`)), caseDeadlineMs);
  return { promise, cancel: () => clearTimeout(timer) };
}

/** Runs one case in its own spec. @throws what the case throws, or that it took too long */
export async function runCase(one: ConformanceCase, target: ConformanceTarget): Promise<void> {
  const { spec, release } = await target.makeSpec(one.environment ?? {});
  const opened: Sandbox[] = [];
  const journal: KernelObject[] = [];
  const open: CaseContext["open"] = async (options = {}) => {
    const { egress } = options;
    const sandbox = await target.boundary.open(egress === undefined ? spec : { ...spec, egress }, {
      signal: options.signal ?? new AbortController().signal,
      journal: async (object) => {
        await options.journal?.(object);
        journal.push(object);
      },
    });
    opened.push(sandbox);
    return sandbox;
  };
  const limit = deadline(one.name);
  try {
    await Promise.race([one.run({ dialect: target.dialect, spec, journal, open }), limit.promise]);
  } finally {
    limit.cancel();
    for (const sandbox of opened) await sandbox.close();
    await release();
  }
}

/** Judges one case against what was declared: rejects when it fails undeclared, or deviates no longer. */
export async function judgeCase(
  one: ConformanceCase,
  target: ConformanceTarget,
  deviations: readonly Deviation[],
): Promise<ConformanceResult> {
  const declared = deviations.find((deviation) => deviation.case === one.name);
  try {
    await runCase(one, target);
  } catch (error) {
    if (declared !== undefined) return { case: one.name, outcome: "deviates", detail: declared.reason };
    throw error;
  }
  if (declared !== undefined) throw new Error(`Stale deviation "${one.name}" of ${target.name}: the case passes, remove the deviation`);
  return { case: one.name, outcome: "passes", detail: "" };
}

/** All cases in order; never rejects. A deviation that names no case is a failure too. */
export async function runConformance(target: ConformanceTarget, deviations: readonly Deviation[]): Promise<readonly ConformanceResult[]> {
  const results: ConformanceResult[] = [];
  for (const { case: name } of deviations) {
    if (!conformanceCases.some((one) => one.name === name)) results.push({ case: name, outcome: "fails", detail: "no such case" });
  }
  for (const one of conformanceCases) {
    try {
      results.push(await judgeCase(one, target, deviations));
    } catch (error) {
      results.push({ case: one.name, outcome: "fails", detail: error instanceof Error ? error.message : String(error) });
    }
  }
  return results;
}

// Runs one lane: the files of the table under node:test, or a program that counts for itself.
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { judgeLane, type LaneCount, nothing, parseCountLine } from "./lane-count.ts";
import { countFileVariable } from "./lane-reporter.ts";
import { surelyEnding } from "../../src/kit/node-options.ts";
import type { Lane } from "./lanes.ts";
import { type ProgramEnd, runProgram } from "./run-program.ts";

export interface LaneResult {
  readonly name: string;
  readonly count: LaneCount;
  readonly complaints: readonly string[];
  readonly seconds: number;
}

export interface LaneOptions {
  readonly root: string;
  readonly strict: boolean;
  /** Takes what is said of the lane, as it comes. */
  readonly show: (text: string) => void;
}

const countSchema = z.strictObject({ passed: z.int(), failed: z.int(), skipped: z.int() });

function readCount(file: string): LaneCount {
  try {
    return countSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return nothing; // fails closed because a lane that counted nothing has failed
  }
}

type Measured = { readonly counted: LaneCount; readonly end: ProgramEnd };

async function finish(name: string, options: LaneOptions, work: () => Promise<Measured>): Promise<LaneResult> {
  options.show(`\n== ${name}\n`);
  const startedMs = performance.now();
  const { counted, end } = await work();
  const { count, complaints } = judgeLane(counted, { strict: options.strict, exitCode: end.exitCode, overran: end.overran });
  for (const complaint of complaints) options.show(`✖ lane ${name} ${complaint}\n`);
  return { name, count, complaints, seconds: (performance.now() - startedMs) / 1000 };
}

/** Each file is a process of its own: Node keeps what one of them compiled, and stripped of types, for the others. */
const compileCache = (root: string): NodeJS.ProcessEnv => ({ NODE_COMPILE_CACHE: path.join(root, "build/compile-cache") });

/** Of a case, and of a suite: ends what hangs and says which it was, before the lane's own deadline ends them all. */
const caseDeadlineMs = 360_000;

export async function runLane(lane: Lane, options: LaneOptions): Promise<LaneResult> {
  return finish(lane.name, options, async () => {
    const files = globSync([...lane.files], { cwd: options.root }).toSorted();
    if (files.length === 0) return { counted: nothing, end: { exitCode: 0, overran: false, tail: "" } };
    const directory = mkdtempSync(path.join(tmpdir(), "glovebox-lane-"));
    try {
      const countFile = path.join(directory, "count.json");
      const reporter = path.join(options.root, "scripts/lanes/lane-reporter.ts");
      const runner = [
        "--test",
        `--test-isolation=${lane.isolation}`,
        `--test-concurrency=${lane.atOnce}`,
        `--test-reporter=${reporter}`,
        `--test-timeout=${lane.caseDeadlineMs ?? caseDeadlineMs}`,
      ];
      const environment = { ...process.env, [countFileVariable]: countFile, ...compileCache(options.root) };
      const command = [process.execPath, ...surelyEnding, ...runner, ...files];
      const end = await runProgram(command, { cwd: options.root, environment, deadlineMs: lane.deadlineMs, show: options.show });
      return { counted: readCount(countFile), end };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
}

/** @param command prints its own report and ends with `N passed, N failed` */
export async function runCounting(
  program: {
    readonly name: string;
    readonly deadlineMs: number;
    readonly command: readonly string[];
    readonly environment?: NodeJS.ProcessEnv;
  },
  options: LaneOptions,
): Promise<LaneResult> {
  return finish(program.name, options, async () => {
    const environment = program.environment ?? process.env;
    const { root: cwd, show } = options;
    const end = await runProgram(program.command, { cwd, environment, deadlineMs: program.deadlineMs, show });
    return { counted: parseCountLine(end.tail) ?? nothing, end };
  });
}

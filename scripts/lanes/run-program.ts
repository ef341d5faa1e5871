// Runs one lane's program in its own process group with a deadline: its output is shown as it comes, and nothing of it survives.
import { spawn } from "node:child_process";
import { readMachineLoad, remainingMs } from "./lane-deadline.ts";

export interface ProgramOptions {
  /** On a machine that has nothing else to do (see lane-deadline.ts). */
  readonly deadlineMs: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Takes its output as it comes. */
  readonly show: (text: string) => void;
}

export interface ProgramEnd {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly overran: boolean;
  /** The last 64 KiB of standard output. */
  readonly tail: string;
}

/** Signals the whole group; a group that is gone is success. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** How long a program that overran may take to say what it was at. */
const lastWordsMs = 10_000;

export async function runProgram(command: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  const [file = "", ...args] = command;
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  const child = spawn(file, args, { cwd: options.cwd, env: options.environment, stdio: ["ignore", "pipe", "inherit"], detached: true });
  child.once("error", reject);
  const { pid } = child;
  if (pid === undefined) return promise;
  let overran = false;
  let tail = "";
  const startedMs = performance.now();
  const judge = (): void => {
    const leftMs = remainingMs(options.deadlineMs, performance.now() - startedMs, readMachineLoad());
    overran = leftMs <= 0;
    if (!overran) {
      deadline = setTimeout(judge, Math.max(leftMs, 1000));
      return;
    }
    child.kill("SIGTERM");
    deadline = setTimeout(() => signalGroup(pid, "SIGKILL"), lastWordsMs);
  };
  let deadline = setTimeout(judge, options.deadlineMs);
  const interrupted = (signal: NodeJS.Signals): void => signalGroup(pid, signal);
  process.on("SIGINT", interrupted).on("SIGTERM", interrupted);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    tail = `${tail}${text}`.slice(-65_536);
    options.show(text);
  });
  child.once("close", (exitCode) => {
    clearTimeout(deadline);
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
    signalGroup(pid, "SIGKILL");
    resolve({ exitCode, overran, tail });
  });
  return promise;
}

// Runs a program on the host with no boundary at all: the positive control.
import { spawn } from "node:child_process";
import type { Run } from "./attack.ts";

export interface OutsideOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Gives it a terminal of its own through script(1). */
  readonly terminal: boolean;
  readonly timeoutMs: number;
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** @throws Error when it does not end in time: a control that hangs proves nothing. */
export async function runOutside(argv: readonly string[], options: OutsideOptions): Promise<Run> {
  const words = options.terminal ? ["/usr/bin/script", "-qec", argv.map(quote).join(" "), "/dev/null"] : argv;
  const [file, ...rest] = words;
  if (file === undefined) throw new TypeError("no program given");
  const { promise, resolve, reject } = Promise.withResolvers<Run>();
  const child = spawn(file, rest, {
    cwd: options.cwd,
    env: { ...options.environment },
    stdio: [options.terminal ? "pipe" : "ignore", "pipe", "pipe"],
    timeout: options.timeoutMs,
    killSignal: "SIGKILL",
  });
  // A terminal's input stays open until the program ends: script(1) would type an end-of-file and hang up.
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("error", reject);
  // `exit`, not `close`: a daemon that keeps the pipes is what some attacks are about.
  child.on("exit", (_, signal) => {
    if (signal === "SIGKILL" && child.killed) reject(new Error(`${argv.join(" ")} did not end within ${options.timeoutMs} ms outside`));
    else setImmediate(() => resolve({ output: Buffer.concat(chunks).toString("latin1") }));
  });
  return promise;
}

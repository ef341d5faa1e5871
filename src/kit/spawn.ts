// The only place that starts host processes. Nothing is inherited: environment and every descriptor are the caller's explicit choice.
import { type ChildProcess, type StdioOptions, spawn as nodeSpawn, spawnSync } from "node:child_process";

export interface SpawnOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdio: StdioOptions;
  /** Leads its own process group, so that a terminal's ctrl-c does not reach it. */
  readonly ownGroup?: boolean;
}

/** Starts `file` (absolute path) without a shell. */
export function spawnProcess(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return nodeSpawn(file, [...args], {
    env: { ...options.environment },
    stdio: options.stdio,
    detached: options.ownGroup ?? false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
}

/** Runs a short helper on our own standard input and waits for it (at most a second); whether it worked nobody learns. */
export function runOnStdin(file: string, args: readonly string[]): void {
  spawnSync(file, [...args], { env: {}, stdio: ["inherit", "ignore", "ignore"], timeout: 1000, killSignal: "SIGKILL" });
}

export interface Captured {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CaptureOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly stdin?: string;
  /** Absent: ours. */
  readonly cwd?: string;
}

/** Runs a short helper to its end with bounded output (1 MiB) and a deadline; rejects when it cannot be started or overruns. */
export async function capture(file: string, args: readonly string[], options: CaptureOptions = {}): Promise<Captured> {
  const { promise, resolve, reject } = Promise.withResolvers<Captured>();
  const child = nodeSpawn(file, [...args], {
    env: { ...options.environment },
    stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    timeout: options.timeoutMs ?? 10_000,
    killSignal: "SIGKILL",
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const chunks: { stdout: Buffer[]; stderr: Buffer[]; bytes: number } = { stdout: [], stderr: [], bytes: 0 };
  const collect =
    (name: "stdout" | "stderr") =>
    (chunk: Buffer): void => {
      chunks.bytes += chunk.length;
      if (chunks.bytes > 1 << 20) child.kill("SIGKILL");
      else chunks[name].push(chunk);
    };
  child.stdout?.on("data", collect("stdout"));
  child.stderr?.on("data", collect("stderr"));
  child.on("error", reject);
  child.on("close", (code, signal) => {
    if (code === null) reject(new Error(`Cannot finish "${file}": ended by ${signal ?? "an unknown signal"}`));
    else resolve({ code, stdout: Buffer.concat(chunks.stdout).toString(), stderr: Buffer.concat(chunks.stderr).toString() });
  });
  if (options.stdin !== undefined) {
    child.stdin?.on("error", () => {}); // a helper that does not read its input still gives its answer
    child.stdin?.end(options.stdin);
  }
  return promise;
}

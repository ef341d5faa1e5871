// Programs as functions: what the memory boundary runs instead of processes.
import type { OutputChunk, SignalName } from "../../contracts/boundary.ts";

export interface ProgramIo {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Resolves when the reader has room. */
  write(channel: OutputChunk["channel"], bytes: Uint8Array | string): Promise<void>;
  /** From now on the signal calls the handler instead of ending the program. SIGKILL cannot be caught. */
  onSignal(name: Exclude<SignalName, "SIGKILL">, handler: () => void): void;
  /** Aborted when the program must be gone: by a signal or with its sandbox. */
  readonly ended: AbortSignal;
}

/** @returns the exit code */
export type Program = (io: ProgramIo) => Promise<number>;

/** Never resolves before the program is ended. */
function untilEnded({ ended }: ProgramIo): Promise<number> {
  return new Promise((resolve) => {
    ended.addEventListener("abort", () => resolve(0), { once: true });
  });
}

async function flood(io: ProgramIo): Promise<number> {
  const block = new Uint8Array(8192).fill(120);
  for (let left = Number(io.argv[1] ?? "Infinity"); left > 0 && !io.ended.aborted; left -= block.length) {
    await io.write("stdout", left < block.length ? block.subarray(0, left) : block);
  }
  return 0;
}

async function cat(io: ProgramIo): Promise<number> {
  for await (const chunk of io.stdin) await io.write("stdout", chunk);
  return 0;
}

async function printEnvironment(io: ProgramIo): Promise<number> {
  const lines = Object.entries(io.environment).map(([name, value]) => `${name}=${value}\n`);
  await io.write("stdout", lines.join(""));
  return 0;
}

/** The names that a sandbox of the memory boundary knows unless it is told others. */
export const standardPrograms: Readonly<Record<string, Program>> = {
  echo: async (io) => {
    await io.write("stdout", `${io.argv.slice(1).join(" ")}\n`);
    return 0;
  },
  complain: async (io) => {
    await io.write("stderr", `${io.argv.slice(1).join(" ")}\n`);
    return 0;
  },
  bytes: async (io) => {
    await io.write(
      "stdout",
      Uint8Array.from({ length: 256 }, (_, index) => index),
    );
    return 0;
  },
  cat,
  flood,
  env: printEnvironment,
  pwd: async (io) => {
    await io.write("stdout", `${io.cwd}\n`);
    return 0;
  },
  exit: (io) => Promise.resolve(Number(io.argv[1] ?? "0")),
  sleep: untilEnded,
  "ignore-term": async (io) => {
    io.onSignal("SIGTERM", () => {});
    await io.write("stdout", "ready\n");
    return untilEnded(io);
  },
  // Touches nothing: tests ask the boundary which commands ran.
  true: () => Promise.resolve(0),
};

// Watches one running command: pumps and counts its output, holds wall time and output to their limits, ends the tree in time.
import type { Execution, ExitReport, OutputChunk } from "../contracts/boundary.ts";
import type { RunIo } from "../contracts/door.ts";
import type { LimitHit, Limits } from "../contracts/limits.ts";

/** How long a command has between SIGTERM and the end of its tree. */
export const graceMs = 2000;
const tailBytes = 4096;

export interface StreamSummary {
  readonly bytes: number;
  /** The last 4 KiB, for the encrypted part of the record. */
  readonly tail: Uint8Array;
}

export interface SupervisionReport {
  readonly exit: ExitReport;
  readonly limitHits: readonly LimitHit[];
  /** True when the caller's signal ended it. */
  readonly isCancelled: boolean;
  readonly stdout: StreamSummary;
  readonly stderr: StreamSummary;
  readonly durationMs: number;
}

export interface SupervisionParts {
  readonly execution: Execution;
  readonly limits: Limits;
  readonly io: RunIo;
  readonly monotonicNs: () => bigint;
  /** Sees every byte the command produced, before any cut. */
  readonly observe: (chunk: OutputChunk) => void;
}

class Tail {
  #bytes = 0;
  #tail: Buffer = Buffer.alloc(0);

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#tail =
      bytes.length >= tailBytes ? Buffer.from(bytes.subarray(-tailBytes)) : Buffer.concat([this.#tail, bytes]).subarray(-tailBytes);
  }

  summary(): StreamSummary {
    return { bytes: this.#bytes, tail: this.#tail };
  }
}

function elapsedMs(since: bigint, now: bigint): number {
  return Number((now - since) / 1_000_000n);
}

async function feedStdin(execution: Execution, stdin: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  try {
    for await (const bytes of stdin ?? []) await execution.writeStdin(bytes);
  } catch {
    return; // the command no longer reads (or the caller's input broke off): its own end says the rest
  }
  execution.endStdin();
}

/** Ends the command once, politely first when asked to. */
function ender(execution: Execution): { end(politely: boolean): void; settle(): void } {
  let timer: NodeJS.Timeout | undefined;
  const kill = (): void => void execution.killTree();
  return {
    end(politely) {
      if (timer !== undefined) return;
      if (politely) execution.signal("SIGTERM");
      timer = setTimeout(kill, politely ? graceMs : 0);
    },
    settle() {
      clearTimeout(timer);
    },
  };
}

/** Runs the command to its end, whatever happens; when it resolves no process of the command is left. */
export async function supervise(parts: SupervisionParts): Promise<SupervisionReport> {
  const { execution, limits, io, monotonicNs } = parts;
  const started = monotonicNs();
  const hits: LimitHit[] = [];
  const tails = { stdout: new Tail(), stderr: new Tail() };
  const end = ender(execution);
  let isCancelled = false;
  let produced = 0;

  const onWall = (): void => {
    hits.push({ limit: "wall", allowed: limits.wallMs, observed: elapsedMs(started, monotonicNs()) });
    end.end(true);
  };
  const wall = setTimeout(onWall, limits.wallMs);
  const onAbort = (): void => {
    isCancelled = true;
    end.end(true);
  };
  io.signal.addEventListener("abort", onAbort, { once: true });
  if (io.signal.aborted) onAbort();

  // What still holds the output open after the command itself has ended does not outlive it: a run owns its daemons. INVARIANT I-03
  const exited = execution.exit.then(async (exit) => {
    await execution.killTree();
    return exit;
  });
  void feedStdin(execution, io.stdin);
  try {
    for await (const chunk of execution.output) {
      parts.observe(chunk);
      tails[chunk.channel].add(chunk.bytes);
      const allowed = Math.max(0, limits.outputBytes - produced);
      produced += chunk.bytes.length;
      if (produced > limits.outputBytes && !hits.some((hit) => hit.limit === "output")) {
        hits.push({ limit: "output", allowed: limits.outputBytes, observed: produced });
        end.end(false);
      }
      if (allowed > 0) await io.onOutput({ channel: chunk.channel, bytes: chunk.bytes.subarray(0, allowed) });
    }
    const exit = await exited;
    return {
      exit,
      limitHits: hits,
      isCancelled,
      stdout: tails.stdout.summary(),
      stderr: tails.stderr.summary(),
      durationMs: elapsedMs(started, monotonicNs()),
    };
  } catch (error) {
    await execution.killTree(); // fails closed: a caller that cannot take the output does not leave a command running
    throw error;
  } finally {
    clearTimeout(wall);
    end.settle();
    io.signal.removeEventListener("abort", onAbort);
  }
}

// Watches one running command: pumps and counts its output, holds wall time and output to their limits, ends the tree in time.
import { constants } from "node:os";
import type { Execution, ExitReport, OutputChunk, RefusedCalls } from "../contracts/boundary.ts";
import type { RunIo } from "../contracts/door.ts";
import type { Pauses } from "./pauses.ts";
import { Leave, pumpOutput, type StreamSummary, Tail } from "./pump-output.ts";
import { allowedOf, type LimitHit, type LimitName, type Limits, type UsageEvidence } from "../contracts/limits.ts";

/** How long a command has between SIGTERM and the end of its tree. */
export const graceMs = 2000;

/** How soon a command whose time is nearly over is looked at again while it is paused. */
const pausedLookMs = 50;

export interface SupervisionReport {
  readonly exit: ExitReport;
  readonly limitHits: readonly LimitHit[];
  /** True when the caller's signal ended it. */
  readonly isCancelled: boolean;
  readonly stdout: StreamSummary;
  readonly stderr: StreamSummary;
  readonly durationMs: number;
  readonly refusedCalls: RefusedCalls;
  /** Undefined where the boundary cannot see it. */
  readonly usage: UsageEvidence | undefined;
  /** Processes of the command are still there: see `onLaterOutput`. */
  readonly isLeftRunning: boolean;
}

export interface SupervisionParts {
  readonly execution: Execution;
  readonly limits: Limits;
  /** The first limit that the boundary saw used up. */
  readonly exhausted: Promise<LimitHit>;
  /** What the command leaves running stays, and its later output goes here. Absent: its tree ends with it. */
  readonly onLaterOutput?: (chunk: OutputChunk) => void;
  /** What was used until now; a limit that is found used up resolves `exhausted` first. */
  readonly look: () => Promise<UsageEvidence | undefined>;
  readonly io: RunIo;
  readonly monotonicNs: () => bigint;
  /** While its sandbox is paused, its wall time does not run. */
  readonly pauses: Pick<Pauses, "totalNs" | "isPaused">;
  /** Sees every byte the command produced, before any cut. */
  readonly observe: (chunk: OutputChunk) => void;
}

/** A millisecond that has begun counts: a timer may fire a part of one early, and a limit that was reached was not missed by it. */
export function elapsedMs(since: bigint, now: bigint): number {
  return Number((now - since + 999_999n) / 1_000_000n);
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
      if (timer !== undefined && politely) return;
      clearTimeout(timer);
      if (politely) execution.signal("SIGTERM");
      timer = setTimeout(kill, politely ? graceMs : 0);
    },
    settle() {
      clearTimeout(timer);
    },
  };
}

/** A process that the kernel ended at its own limit says so. */
const limitSignals: ReadonlyMap<number, LimitName> = new Map([
  [constants.signals.SIGXCPU, "cpuTime"],
  [constants.signals.SIGXFSZ, "disk"],
]);

/** What ends a command before it ends itself: its time, its output, its caller. */
class Watch {
  readonly #parts: SupervisionParts;
  readonly #started: bigint;
  readonly #end: ReturnType<typeof ender>;
  readonly #pausedBeforeNs: bigint;
  #wall: NodeJS.Timeout;
  readonly #hits: LimitHit[] = [];
  #produced = 0;
  #isCancelled = false;
  #isOver = false;

  constructor(parts: SupervisionParts) {
    this.#parts = parts;
    this.#started = parts.monotonicNs();
    this.#pausedBeforeNs = parts.pauses.totalNs;
    this.#end = ender(parts.execution);
    this.#wall = setTimeout(this.#onWall, parts.limits.wallMs);
    parts.io.signal.addEventListener("abort", this.#onAbort, { once: true });
    if (parts.io.signal.aborted) this.#onAbort();
    void parts.exhausted.then((hit) => this.#hit(hit, false));
  }

  /** The first is the one that ended the command: what a dying tree does afterwards is its own consequence. */
  #hit(hit: LimitHit, politely: boolean): void {
    if (this.#isOver || this.#hits.length > 0) return;
    this.#hits.push(hit);
    this.#end.end(politely);
  }

  get durationMs(): number {
    return elapsedMs(this.#started, this.#parts.monotonicNs());
  }

  get ending(): { readonly limitHits: readonly LimitHit[]; readonly isCancelled: boolean } {
    return { limitHits: this.#hits, isCancelled: this.#isCancelled };
  }

  /** What was used up by then is what ended it: a command that takes every processor keeps us from looking, too. */
  readonly #onWall = (): void => {
    const { pauses, limits } = this.#parts;
    const pausedMs = Number((pauses.totalNs - this.#pausedBeforeNs) / 1_000_000n);
    const observed = this.durationMs - pausedMs;
    const leftMs = limits.wallMs - observed;
    if (pausedMs > 0 && leftMs > 0) {
      this.#wall = setTimeout(this.#onWall, pauses.isPaused ? Math.max(leftMs, pausedLookMs) : leftMs);
      return;
    }
    const hit: LimitHit = { limit: "wall", allowed: limits.wallMs, observed };
    const end = (): void => this.#hit(hit, true);
    void this.#parts.look().then(end, end); // fails closed because the time is over, whatever a look says
  };

  readonly #onAbort = (): void => {
    this.#isCancelled = true;
    this.#end.end(true);
  };

  get isEnding(): boolean {
    return this.#isCancelled || this.#hits.length > 0;
  }

  /** @returns how many of the next `bytes` may still be handed on */
  admit(bytes: number): number {
    const { outputBytes } = this.#parts.limits;
    const allowed = Math.max(0, outputBytes - this.#produced);
    this.#produced += bytes;
    if (this.#produced > outputBytes) this.#hit({ limit: "output", allowed: outputBytes, observed: this.#produced }, false);
    return allowed;
  }

  /** Of what the command left running: it counts on, and over the limit its tree ends. */
  admitLater(bytes: number): number {
    const allowed = this.admit(bytes);
    if (this.#produced > this.#parts.limits.outputBytes) void this.#parts.execution.killTree();
    return allowed;
  }

  /** What the kernel ended the command for. */
  readSignal(exit: ExitReport): void {
    const limit = exit.kind === "signalled" ? limitSignals.get(exit.signal) : undefined;
    const allowed = limit === undefined ? 0 : allowedOf(this.#parts.limits)[limit];
    if (limit !== undefined) this.#hit({ limit, allowed, observed: allowed }, false);
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#wall);
    this.#end.settle();
    this.#parts.io.signal.removeEventListener("abort", this.#onAbort);
  }
}

async function pump(parts: SupervisionParts, watch: Watch, leave: Leave): Promise<Pick<SupervisionReport, "stdout" | "stderr">> {
  const { execution, observe, io, onLaterOutput } = parts;
  const tails = { stdout: new Tail(), stderr: new Tail() };
  await pumpOutput(execution, {
    leave,
    later: ({ channel, bytes }) => {
      const allowed = watch.admitLater(bytes.length);
      if (allowed > 0) onLaterOutput?.({ channel, bytes: bytes.subarray(0, allowed) });
    },
    take: async (chunk) => {
      observe(chunk);
      tails[chunk.channel].add(chunk.bytes);
      const allowed = watch.admit(chunk.bytes.length);
      if (allowed > 0) await io.onOutput({ channel: chunk.channel, bytes: chunk.bytes.subarray(0, allowed) });
    },
  });
  return { stdout: tails.stdout.summary(), stderr: tails.stderr.summary() };
}

/** After the command's own end: its tree goes with it, or what it leaves running is left alone. @returns whether something is */
async function endTree({ execution, onLaterOutput }: SupervisionParts, watch: Watch, leave: Leave): Promise<boolean> {
  if (onLaterOutput === undefined || watch.isEnding) {
    // What still holds the output open after the command itself has ended does not outlive it: a run owns its daemons. INVARIANT I-03
    await execution.killTree();
    return false;
  }
  leave.begin();
  return (await Promise.race([execution.gone, leave.left])) === "left";
}

/** Runs the command to its end, whatever happens; when it resolves no process of the command is left but what may stay. */
export async function supervise(parts: SupervisionParts): Promise<SupervisionReport> {
  const { execution, io } = parts;
  const watch = new Watch(parts);
  const leave = new Leave();
  const exited = execution.exit.then(async (exit) => {
    const usage = await parts.look();
    return { exit, usage, isLeftRunning: await endTree(parts, watch, leave) };
  });
  void feedStdin(execution, io.stdin);
  try {
    const streams = await pump(parts, watch, leave);
    const { exit, usage, isLeftRunning } = await exited;
    watch.readSignal(exit);
    const { refusedCalls } = execution;
    return { exit, usage, isLeftRunning, ...watch.ending, ...streams, durationMs: watch.durationMs, refusedCalls };
  } catch (error) {
    await execution.killTree(); // fails closed: a caller that cannot take the output does not leave a command running
    throw error;
  } finally {
    leave.stop();
    watch.stop();
  }
}

// The output of one command on its way to its caller, counted and bounded; and what comes of it after the command has ended but something that it
// started has not.
import type { Execution, OutputChunk } from "../contracts/boundary.ts";

const tailBytes = 4096;
/** How long what a command left running may be silent before its result is handed out, and how long it may talk. */
const quietMs = 100;
const talkMs = 2000;

export interface StreamSummary {
  readonly bytes: number;
  /** The last 4 KiB, for the encrypted part of the record. */
  readonly tail: Uint8Array;
}

export class Tail {
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

/** The moment from which nobody waits for more: the command has ended, and what it left running has been silent. */
export class Leave {
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #talkUntilMs = 0;
  #isLeft = false;
  readonly #left = Promise.withResolvers<"left">();

  get left(): Promise<"left"> {
    return this.#left.promise;
  }

  /** The command has ended. */
  begin(): void {
    this.#talkUntilMs = performance.now() + talkMs;
    this.heard();
  }

  /** Something came. */
  heard(): void {
    if (this.#talkUntilMs === 0 || this.#isLeft) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#leave(), Math.max(0, Math.min(quietMs, this.#talkUntilMs - performance.now())));
  }

  #leave(): void {
    this.#isLeft = true;
    this.#left.resolve("left");
    this.#wake?.();
  }

  /** What was asked for, or undefined when nobody waits any more. */
  orLeft<T>(asked: Promise<T>): Promise<T | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
    this.#wake = () => resolve(undefined);
    asked.then(resolve, reject);
    if (this.#isLeft) resolve(undefined);
    return promise;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

type Reader = AsyncIterator<OutputChunk, unknown>;

async function readOn(reader: Reader, pending: Promise<IteratorResult<OutputChunk, unknown>>, later: (chunk: OutputChunk) => void) {
  for (let next = await pending; next.done !== true; next = await reader.next()) later(next.value);
}

export interface PumpParts {
  /** Takes one chunk; whoever is slow here holds the command back. */
  readonly take: (chunk: OutputChunk) => Promise<void>;
  /** Takes what comes when nobody waits any more. */
  readonly later: (chunk: OutputChunk) => void;
  readonly leave: Leave;
}

/** Resolves when the output has ended, or when nobody waits for more of it: then `later` has the rest, so that nothing inside is held. */
export async function pumpOutput(execution: Execution, { take, later, leave }: PumpParts): Promise<void> {
  const reader: Reader = execution.output[Symbol.asyncIterator]();
  for (;;) {
    const pending = reader.next();
    const next = await leave.orLeft(pending);
    if (next === undefined) {
      void readOn(reader, pending, later);
      return;
    }
    if (next.done === true) return;
    leave.heard();
    await take(next.value);
  }
}

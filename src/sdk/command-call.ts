// One command's call: its caller's input, output and signal joined to the broker's, so that neither can leave the other hanging.
import type { OutputChunk } from "../contracts/boundary.ts";
import type { RunIo, RunOutcome } from "../contracts/door.ts";
import { captureOutput, type CapturedChannels, capturedMax } from "./captured-output.ts";
import { type Say, told } from "./public-error.ts";

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** A string goes as UTF-8. */
export type InputBytes = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface CallOptions {
  /** What the command reads. Absent: nothing, it meets the end at once. */
  readonly stdin?: InputBytes;
  /**
   * Aborted: the command and everything that it started is ended, and once that is recorded the promise rejects with the signal's reason.
   * Aborted before: nothing starts.
   */
  readonly signal?: AbortSignal;
  /** Called for each piece of output as it comes, before the promise resolves. While its promise is pending the command waits. */
  readonly onOutput?: (chunk: OutputChunk) => void | Promise<void>;
  /** How much of both channels together the result holds. Bytes; 256 KiB when absent. Nothing else of it is kept. */
  readonly maxOutputBytes?: number;
}

export function signalOf({ signal }: Pick<CallOptions, "signal">): AbortSignal {
  return signal ?? new AbortController().signal;
}

export async function* inputChunks(input: InputBytes): AsyncGenerator<Uint8Array> {
  if (typeof input === "string") yield new TextEncoder().encode(input);
  else if (input instanceof Uint8Array) yield input;
  else yield* input;
}

/** Ends the call when its own caller breaks, whose error is then what is thrown: nobody takes the output any more. */
class BreakableCall {
  readonly #own = new AbortController();
  /** Those who wait now: one promise for all of them would keep each for as long as the call lasts. */
  readonly #waiting = new Set<() => void>();
  /** Of either. */
  readonly signal: AbortSignal;
  #failure: { readonly error: unknown } | undefined;

  constructor(theirs: AbortSignal) {
    this.signal = AbortSignal.any([theirs, this.#own.signal]);
    this.signal.addEventListener("abort", () => this.#wakeAll(), { once: true });
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Whoever is slow to take it does not hold up the end. */
  async take(work: () => void | Promise<void>): Promise<void> {
    if (this.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    // It never rejects.
    void this.guard(work).then(resolve);
    await promise;
    this.#waiting.delete(resolve);
  }

  async guard(work: () => void | Promise<void>): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      await work();
    } catch (error) {
      this.#failure = { error };
      this.#own.abort();
    }
  }

  /** @throws what broke */
  require(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Ends with the input's own error, after the command was ended. */
async function* guarded(input: AsyncIterable<Uint8Array>, call: BreakableCall): AsyncGenerator<Uint8Array> {
  const chunks = input[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<Uint8Array> | undefined;
    await call.guard(async () => void (next = await chunks.next()));
    if (next === undefined || next.done === true) return;
    yield next.value;
  }
}

export interface Performing<Result> {
  readonly say: Say;
  readonly perform: (io: RunIo) => Promise<Result>;
}

/** @throws PublicError, the reason of `options.signal`, and what the caller's input or `onOutput` threw */
export async function performCaptured<Result extends { readonly outcome: RunOutcome }>(
  { say, perform }: Performing<Result>,
  options: CallOptions,
): Promise<Result & CapturedChannels> {
  const theirs = signalOf(options);
  theirs.throwIfAborted();
  const call = new BreakableCall(theirs);
  const capture = captureOutput(options.maxOutputBytes ?? capturedMax);
  const { stdin, onOutput } = options;
  const result = await told(say, () =>
    perform({
      signal: call.signal,
      ...(stdin === undefined ? {} : { stdin: guarded(inputChunks(stdin), call) }),
      onStart: () => {},
      onOutput: async (chunk) => {
        capture.take(chunk);
        if (onOutput === undefined) return;
        // A copy: the sender may use its buffer again.
        const own = { channel: chunk.channel, bytes: Uint8Array.from(chunk.bytes) };
        await call.take(() => onOutput(own));
      },
    }),
  );
  call.require();
  if (result.outcome === "cancelled") theirs.throwIfAborted();
  return { ...result, ...capture.captured() };
}

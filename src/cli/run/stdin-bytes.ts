// Standard input as a sequence of byte chunks that is read only when somebody asks for more, and can be let go of at any moment.
import { Buffer } from "node:buffer";
import type { CliInput } from "../cli-io.ts";

export interface StdinBytes {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Nothing more is read, until what it returns is called: somebody else reads the same terminal meanwhile. */
  hold(): Promise<() => void>;
  /** Ends the sequence and leaves the stream so that it does not keep the process alive. */
  release(): void;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

class StdinReader implements StdinBytes {
  readonly #stdin: CliInput;
  #isReleased = false;
  #isOver = false;
  #isHeld = false;
  #isReading = false;
  #failure: unknown;
  #wake: () => void = () => {};

  constructor(stdin: CliInput) {
    this.#stdin = stdin;
  }

  readonly #onReadable = (): void => this.#wake();
  readonly #onEnd = (): void => {
    this.#isOver = true;
    this.#wake();
  };
  readonly #onError = (error: unknown): void => {
    this.#failure = error;
    this.#onEnd();
  };

  readonly chunks: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => this.#read() };

  async *#read(): AsyncGenerator<Uint8Array> {
    const stdin = this.#stdin;
    this.#isReading = true;
    if (!this.#isHeld) stdin.on("readable", this.#onReadable);
    stdin.on("end", this.#onEnd);
    stdin.on("close", this.#onEnd);
    stdin.on("error", this.#onError);
    while (!this.#isReleased) {
      const changed = Promise.withResolvers<void>();
      this.#wake = changed.resolve;
      const chunk: unknown = this.#isHeld ? null : stdin.read();
      if (typeof chunk === "string") yield Buffer.from(chunk);
      else if (chunk instanceof Uint8Array) yield chunk;
      else if (this.#failure !== undefined) throw this.#failure instanceof Error ? this.#failure : new Error("Cannot read standard input");
      else if (this.#isOver || stdin.readableEnded || stdin.destroyed) return;
      else await changed.promise;
    }
  }

  async hold(): Promise<() => void> {
    this.#isHeld = true;
    this.#stdin.off("readable", this.#onReadable);
    // A stream takes notice of a listener that left in the next turn; only then does a pause stop its reading.
    await nextTurn();
    this.#stdin.pause();
    await nextTurn();
    return () => {
      this.#isHeld = false;
      if (this.#isReleased || !this.#isReading) return;
      this.#stdin.on("readable", this.#onReadable);
      this.#wake();
    };
  }

  release(): void {
    this.#isReleased = true;
    this.#wake();
    this.#stdin.off("readable", this.#onReadable);
    this.#stdin.off("end", this.#onEnd);
    this.#stdin.off("close", this.#onEnd);
    // The error listener stays: an error of a stream that nobody reads any more must not end the process.
    this.#stdin.pause();
    this.#stdin.unref?.();
  }
}

/** Reads nothing before the first chunk is asked for. */
export function openStdinBytes(stdin: CliInput): StdinBytes {
  return new StdinReader(stdin);
}

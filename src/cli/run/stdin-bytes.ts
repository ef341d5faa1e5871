// Standard input as a sequence of byte chunks that is read only when somebody asks for more, and can be let go of at any moment.
import { Buffer } from "node:buffer";
import type { CliInput } from "../cli-io.ts";

export interface StdinBytes {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends the sequence and leaves the stream so that it does not keep the process alive. */
  release(): void;
}

/** Reads nothing before the first chunk is asked for. */
export function openStdinBytes(stdin: CliInput): StdinBytes {
  const state: { isReleased: boolean; isOver: boolean; failure: unknown } = { isReleased: false, isOver: false, failure: undefined };
  let wake: () => void = () => {};
  const onReadable = (): void => wake();
  const onEnd = (): void => {
    state.isOver = true;
    wake();
  };
  const onError = (error: unknown): void => {
    state.failure = error;
    onEnd();
  };
  async function* read(): AsyncGenerator<Uint8Array> {
    stdin.on("readable", onReadable);
    stdin.on("end", onEnd);
    stdin.on("close", onEnd);
    stdin.on("error", onError);
    while (!state.isReleased) {
      const changed = Promise.withResolvers<void>();
      wake = changed.resolve;
      const chunk: unknown = stdin.read();
      if (typeof chunk === "string") yield Buffer.from(chunk);
      else if (chunk instanceof Uint8Array) yield chunk;
      else if (state.failure !== undefined) throw state.failure instanceof Error ? state.failure : new Error("Cannot read standard input");
      else if (state.isOver || stdin.readableEnded || stdin.destroyed) return;
      else await changed.promise;
    }
  }
  return {
    chunks: { [Symbol.asyncIterator]: () => read() },
    release: () => {
      state.isReleased = true;
      wake();
      stdin.off("readable", onReadable);
      stdin.off("end", onEnd);
      stdin.off("close", onEnd);
      // The error listener stays: an error of a stream that nobody reads any more must not end the process.
      stdin.pause();
      stdin.unref?.();
    },
  };
}

// Writes to standard output or error: with back-pressure, and with a closed pipe (`| head`) as an ordinary end instead of a crash.
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import type { CliStream } from "./cli-io.ts";
import { createStyle, type Style, type StyleChoice } from "./style.ts";

/** Thrown by `write` when nobody reads any more. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** 128 + SIGPIPE: what a shell reports for a writer whose reader left. */
export const closedPipeExit = 141;

export class Output {
  readonly style: Style;
  readonly #stream: CliStream;
  #failure: unknown;

  constructor(stream: CliStream, choice: StyleChoice) {
    this.#stream = stream;
    this.style = createStyle({ ...choice, isTerminal: this.isTerminal });
    // The listener stays for the life of the process: an `error` event without one would end it with a stack trace.
    stream.on("error", (error: unknown) => {
      this.#failure ??= error;
    });
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Columns of the terminal; undefined when it is none, or does not know its size (0). */
  get columns(): number | undefined {
    const { columns = 0 } = this.#stream;
    return this.isTerminal && columns > 0 ? columns : undefined;
  }

  /** For a terminal inside: ours, or 24 x 80. */
  get size(): { readonly rows: number; readonly columns: number } {
    const { rows = 0, columns = 0 } = this.#stream;
    return { rows: rows > 0 ? rows : 24, columns: columns > 0 ? columns : 80 };
  }

  /** Resolves when the stream took the bytes. @throws OutputClosed when the reader is gone, RESULT_UNWRITABLE otherwise. */
  async write(data: string | Uint8Array): Promise<void> {
    if (data.length === 0) return;
    this.#checkFailure();
    if (this.#stream.destroyed || this.#stream.writableEnded) throw new OutputClosed();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#stream.write(data, (error) => resolve(error));
    const failure = await promise;
    if (failure !== null && failure !== undefined) this.#failure ??= failure;
    this.#checkFailure();
  }

  async line(text = ""): Promise<void> {
    await this.write(`${text}\n`);
  }

  async lines(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.write(`${lines.join("\n")}\n`);
  }

  /** Drops what the reader has not taken, so that it cannot keep the process alive. */
  abandon(): void {
    this.#stream.destroy();
  }

  /** Calls the listener when the terminal changes its size; returns the way to stop. */
  onResize(listener: () => void): () => void {
    this.#stream.on("resize", listener);
    return () => {
      this.#stream.off("resize", listener);
    };
  }

  #checkFailure(): void {
    if (this.#failure === undefined) return;
    const code = systemErrorCode(this.#failure);
    if (code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_DESTROYED") throw new OutputClosed();
    // EIO: the terminal went away.
    if (code === "EIO") throw new OutputClosed();
    throw new GloveboxError("RESULT_UNWRITABLE", "cli.output-unwritable", { values: { errno: code ?? "unknown" }, cause: this.#failure });
  }
}

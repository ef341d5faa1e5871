// A command that runs in an open sandbox, for a program that reads it as it goes, writes to it and sends it signals.
import type { OutputChunk, SignalName } from "../contracts/boundary.ts";
import type { RunIo } from "../contracts/door.ts";
import type { SandboxCommandResult } from "../contracts/sandbox-door.ts";
import type { TerminalSize } from "./command-call.ts";
import { HandOver } from "./hand-over.ts";
import { type Say, told } from "./public-error.ts";
import { type ToldResult, toldResult } from "./told-result.ts";

type Control = Parameters<RunIo["onStart"]>[0];

export interface CommandStart {
  readonly say: Say;
  readonly signal: AbortSignal;
  readonly perform: (io: RunIo) => Promise<SandboxCommandResult>;
}

const noControl: Control = { signal: () => {}, resize: () => {} };

export class RunningCommand {
  readonly #input = new HandOver<Uint8Array>();
  readonly #output = new HandOver<OutputChunk>();
  #control = noControl;
  /**
   * Its end, when that is on record. Rejects like `exec`. Output that nobody reads holds the command back: read `output` to its end, or leave its
   * loop, after which what comes is dropped.
   */
  readonly result: Promise<ToldResult>;

  private constructor({ say, signal, perform }: CommandStart, onLife: () => void) {
    // An aborted command needs nobody who reads it to its end.
    signal.addEventListener("abort", () => this.#output.close(), { once: true });
    const performed = told(say, () =>
      perform({
        signal,
        stdin: this.#input,
        onStart: (control) => {
          this.#control = control;
          onLife();
        },
        onOutput: ({ channel, bytes }) => {
          onLife();
          // A copy: the sender may use its buffer again.
          return this.#output.push({ channel, bytes: Uint8Array.from(bytes) });
        },
      }),
    );
    this.result = this.#endOf(
      performed.then((result) => toldResult(result, say)),
      signal,
    );
  }

  async #endOf(performed: Promise<ToldResult>, signal: AbortSignal): Promise<ToldResult> {
    try {
      const ended = await performed;
      if (ended.outcome === "cancelled") signal.throwIfAborted();
      return ended;
    } finally {
      this.#control = noControl;
      this.#input.close();
      this.#output.end();
    }
  }

  /** Resolves when it runs, or has something to say of a life that is over. @throws what kept it from running */
  static async start(start: CommandStart): Promise<RunningCommand> {
    start.signal.throwIfAborted();
    const life = Promise.withResolvers<void>();
    const command = new RunningCommand(start, life.resolve);
    command.result.then(() => life.resolve(), life.reject);
    await life.promise;
    return command;
  }

  /** Both channels in the order in which they came, to be read once. Untrusted bytes. With a terminal there is only `stdout`. */
  get output(): AsyncIterable<OutputChunk> {
    return this.#output;
  }

  /** Resolves when the command was given the bytes, or reads no more. */
  write(bytes: string | Uint8Array): Promise<void> {
    return this.#input.push(typeof bytes === "string" ? new TextEncoder().encode(bytes) : Uint8Array.from(bytes));
  }

  /** The command meets the end of its input. */
  endInput(): void {
    this.#input.end();
  }

  /** To the command's process group. */
  signal(name: SignalName): void {
    this.#control.signal(name);
  }

  /** Of its terminal. */
  resize(size: TerminalSize): void {
    this.#control.resize(size);
  }
}

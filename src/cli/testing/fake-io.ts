// Standard streams, environment and signals of a test: everything written is kept, and terminals are only claimed.
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { PromptTerminal } from "../../kit/prompt-terminal.ts";
import type { CliIo } from "../cli-io.ts";

export interface FakeIoOptions {
  readonly stdin?: string | Uint8Array;
  /** Which of the three are terminals. */
  readonly terminals?: readonly ("stdin" | "stdout" | "stderr")[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  /** stdout fails with this errno at the given write (0 = the first). */
  readonly stdoutFailure?: { readonly errno: string; readonly at: number };
  /** stdout takes nothing: its reader has stopped. */
  readonly isStdoutStalled?: boolean;
  readonly isInBackground?: boolean;
  readonly isInsideSandbox?: boolean;
  readonly isInputNull?: boolean;
  /** Answers a question: is given everything that was shown so far. Absent: there is no terminal to ask at. */
  readonly answer?: (shown: string) => string | undefined;
}

class FakeOutput extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows = 24;
  readonly chunks: Buffer[] = [];
  readonly #failure: FakeIoOptions["stdoutFailure"];
  readonly #isStalled: boolean;
  #writes = 0;

  constructor(options: {
    readonly isTTY: boolean;
    readonly columns: number;
    readonly failure?: FakeIoOptions["stdoutFailure"];
    readonly isStalled?: boolean;
  }) {
    super({ decodeStrings: true });
    this.isTTY = options.isTTY;
    this.columns = options.columns;
    this.#failure = options.failure;
    this.#isStalled = options.isStalled ?? false;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    if (this.#isStalled) return;
    const write = this.#writes;
    this.#writes += 1;
    if (this.#failure !== undefined && write >= this.#failure.at) {
      done(Object.assign(new Error(`write ${this.#failure.errno}`), { code: this.#failure.errno }));
      return;
    }
    this.chunks.push(Buffer.from(chunk));
    setImmediate(done);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

class FakeInput extends PassThrough {
  readonly isTTY: boolean;
  /** Every switch of raw mode, in order. */
  readonly rawModes: boolean[] = [];
  wasUnreferenced = false;
  /** Whether raw mode was on when the terminal was told to leave output alone; undefined when it never was. */
  outputUnchangedInRaw: boolean | undefined;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  setRawMode(raw: boolean): void {
    this.rawModes.push(raw);
  }

  noteUnchangedOutput(): void {
    this.outputUnchangedInRaw = this.rawModes.at(-1) === true;
  }

  unref(): void {
    this.wasUnreferenced = true;
  }
}

export interface FakeIo {
  readonly io: CliIo;
  readonly stdin: FakeInput;
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
  readonly events: EventEmitter;
  /** Everything that was shown at the terminal of questions. */
  prompted(): string;
  out(): string;
  err(): string;
}

export function createFakeIo(options: FakeIoOptions = {}): FakeIo {
  const isTerminal = (name: "stdin" | "stdout" | "stderr"): boolean => options.terminals?.includes(name) ?? false;
  const columns = options.columns ?? 100;
  const stdin = new FakeInput(isTerminal("stdin"));
  if (options.stdin !== undefined) stdin.end(options.stdin);
  const failure = options.stdoutFailure === undefined ? {} : { failure: options.stdoutFailure };
  const stdout = new FakeOutput({ isTTY: isTerminal("stdout"), columns, ...failure, isStalled: options.isStdoutStalled ?? false });
  const stderr = new FakeOutput({ isTTY: isTerminal("stderr"), columns });
  const events = new EventEmitter();
  let prompted = "";
  const { answer } = options;
  const prompt: PromptTerminal | undefined =
    answer === undefined
      ? undefined
      : {
          write: (text) => void (prompted += text),
          readLine: async () => answer(prompted),
          close: async () => {},
        };
  return {
    io: {
      stdin,
      stdout,
      stderr,
      env: options.env ?? {},
      events,
      isInputNull: () => options.isInputNull ?? false,
      isInBackground: () => options.isInBackground ?? false,
      readWholeInput: () => undefined,
      isInsideSandbox: () => options.isInsideSandbox ?? false,
      openPrompt: async () => prompt,
      passOutputUnchanged: () => stdin.noteUnchangedOutput(),
    },
    stdin,
    stdout,
    stderr,
    events,
    prompted: () => prompted,
    out: () => stdout.bytes.toString(),
    err: () => stderr.bytes.toString(),
  };
}

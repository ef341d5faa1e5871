// What the command line is handed instead of the global process, so that tests hold every side of it.
import type { Readable, Writable } from "node:stream";
import type { PromptTerminal } from "../kit/prompt-terminal.ts";

/** Standard input: a terminal when `isTTY` is true, and then it can switch to raw mode. */
export interface CliInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
  /** Present on sockets and terminals: lets the process end although input could still come. */
  unref?(): unknown;
}

/** Standard output or error. `columns` and `rows` are there on a terminal. */
export interface CliStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export type CliSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** The part of `process` that reports signals, and `exit` for the last moment of any way out. */
export interface CliEvents {
  on(name: CliSignal | "exit", listener: () => void): unknown;
  off(name: CliSignal | "exit", listener: () => void): unknown;
}

export interface CliIo {
  readonly stdin: CliInput;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly events: CliEvents;
  /** True when nothing can ever come from standard input: it is the null device. Asking does not open it. */
  isInputNull(): boolean;
  /** True when the terminal of stdin belongs to another job now; false without one. */
  isInBackground(): boolean;
  /** Lets the terminal of stdin pass output bytes unchanged, until raw mode is left. Nothing happens where that cannot be done. */
  passOutputUnchanged(): void;
  /** All of standard input when it is a regular file of at most 16 MiB, read now; undefined otherwise. */
  readWholeInput(): Uint8Array | undefined;
  isInsideSandbox(): boolean;
  /** The terminal at which a person can be asked; undefined where there is none, or where we are inside a sandbox ourselves. */
  openPrompt(): Promise<PromptTerminal | undefined>;
}

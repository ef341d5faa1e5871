// One running program of the memory boundary, with the contract's stdin, output, signals and end.
import type { Command, Execution, ExitReport, OutputChunk, SignalName } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { OutputQueue } from "./output-queue.ts";
import type { Program, ProgramIo } from "./programs.ts";

const creditBytes = 256 * 1024;
const noUsage = { userMs: 0, systemMs: 0, maxRssBytes: 0 };
const numbers: Record<SignalName, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGTERM: 15,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGWINCH: 28,
};
/** Signals whose default is not to end a process. */
const harmless: readonly SignalName[] = ["SIGWINCH", "SIGCONT", "SIGSTOP", "SIGTSTP"];

function gone(): GloveboxError {
  return new GloveboxError("SANDBOX_CLOSED", "wall.command-gone");
}

export class MemoryExecution implements Execution {
  readonly refusedCalls = { total: 0, first: [] };
  readonly exit: Promise<ExitReport>;
  readonly #output = new OutputQueue(creditBytes);
  readonly #input = new OutputQueue(creditBytes);
  readonly #handlers = new Map<SignalName, () => void>();
  readonly #ended = new AbortController();
  #endSignal: number | undefined;
  #lostReason: string | undefined;
  #isOver = false;

  constructor(command: Command, environment: Readonly<Record<string, string>>, program: Program | undefined) {
    this.exit = program === undefined ? this.#neverStarted() : this.#run(program, this.#ioFor(command, environment));
  }

  /** A program here starts no other. */
  get gone(): Promise<void> {
    return this.exit.then(() => {});
  }

  get output(): AsyncIterable<OutputChunk> {
    return this.#output;
  }

  async writeStdin(bytes: Uint8Array): Promise<void> {
    if (this.#isOver) throw gone();
    await this.#input.push({ channel: "stdout", bytes: Uint8Array.from(bytes) });
    if (this.#ended.signal.aborted) throw gone();
  }

  endStdin(): void {
    this.#input.end();
  }

  signal(name: SignalName): void {
    const handler = this.#handlers.get(name);
    if (handler !== undefined) handler();
    else if (!harmless.includes(name)) this.#end(numbers[name]);
  }

  /** No terminal exists here: nothing has a size. */
  resize(): void {}

  async killTree(): Promise<void> {
    this.#end(numbers.SIGKILL);
    await this.exit;
  }

  /** The sandbox is closing and takes the command with it. */
  lose(reason: string): void {
    if (this.#endSignal === undefined) this.#lostReason = reason;
    this.#end(numbers.SIGKILL);
  }

  #end(signal: number): void {
    this.#endSignal ??= signal;
    this.#input.end();
    this.#ended.abort();
  }

  async #neverStarted(): Promise<ExitReport> {
    this.#finish();
    return { kind: "not-started", code: 127, errno: "ENOENT" };
  }

  #ioFor(command: Command, environment: Readonly<Record<string, string>>): ProgramIo {
    const input = this.#input;
    return {
      argv: command.argv,
      cwd: command.cwd,
      environment,
      stdin: (async function* bytesOnly(): AsyncGenerator<Uint8Array> {
        for await (const chunk of input) yield chunk.bytes;
      })(),
      write: (channel, bytes) => this.#output.push({ channel, bytes: typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes }),
      onSignal: (name, handler) => void this.#handlers.set(name, handler),
      ended: this.#ended.signal,
    };
  }

  async #run(program: Program, io: ProgramIo): Promise<ExitReport> {
    const untilEnded = new Promise<undefined>((resolve) => {
      this.#ended.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    // An endless write must not keep the ended program: whichever comes first is its end.
    const code = await Promise.race([program(io).catch(() => 1), untilEnded]); // a script that throws is a program that failed
    this.#finish();
    if (this.#lostReason !== undefined) return { kind: "lost", reason: this.#lostReason };
    if (this.#endSignal !== undefined) return { kind: "signalled", signal: this.#endSignal, usage: noUsage };
    return { kind: "exited", code: code ?? 0, usage: noUsage };
  }

  #finish(): void {
    this.#isOver = true;
    this.#ended.abort();
    this.#input.end();
    this.#output.end();
  }
}

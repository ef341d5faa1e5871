// One command of a sandbox that outlives it, from its caller's side: who takes its output now, what is kept of it for later, and its input.
import type { AskPerson } from "../contracts/approval.ts";
import type { OutputChunk } from "../contracts/boundary.ts";
import type { RunIo } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { CommandLine, SandboxCommandResult, SandboxLog } from "../contracts/sandbox-door.ts";
import { cutArgv } from "../kit/cut-argv.ts";
import { Attachment } from "./attachment.ts";
import { KeptOutput } from "./kept-output.ts";

type Control = Parameters<RunIo["onStart"]>[0];

/** Bytes on their way to a command's stdin, handed on one by one. */
class InputPipe implements AsyncIterable<Uint8Array> {
  readonly #waiting: { readonly bytes: Uint8Array; readonly taken: () => void }[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  /** Resolves when the command was given them, or reads no more. */
  push(bytes: Uint8Array): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#isEnded) return Promise.resolve();
    this.#waiting.push({ bytes, taken: resolve });
    this.#wake?.();
    return promise;
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next.bytes;
        next.taken();
      } else if (this.#isEnded) return;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }

  /** Nobody reads any more. */
  close(): void {
    this.end();
    for (const { taken } of this.#waiting.splice(0)) taken();
  }
}

export interface LiveCommandStart {
  readonly action: string;
  readonly argv: readonly string[];
  readonly startedAtMs: number;
  /** How a person is asked about it, whether or not the caller waits; undefined: nobody can be. */
  readonly ask: AskPerson | undefined;
}

export class LiveCommand {
  readonly action: string;
  /** As a list shows it. */
  readonly argv: readonly string[];
  readonly startedAtMs: number;
  readonly #ask: AskPerson | undefined;
  readonly #abort = new AbortController();
  readonly #started = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<SandboxCommandResult>();
  readonly #input: InputPipe | undefined;
  readonly #kept = new KeptOutput();
  #caller: RunIo | undefined;
  /** Of a detached command: who has it now. */
  #attached: Attachment | undefined;
  #control: Control | undefined;
  #release: (() => void) | undefined;
  #state: CommandLine["state"] = "running";
  #result: SandboxCommandResult | undefined;
  #isGone = false;
  /** Of what it left running. */
  #killLeft: () => Promise<void> = async () => {};

  /** @param caller who takes the output; undefined for a detached command, whose output is kept */
  constructor(about: LiveCommandStart, caller: RunIo | undefined) {
    this.action = about.action;
    this.argv = cutArgv(about.argv);
    this.startedAtMs = about.startedAtMs;
    this.#ask = about.ask;
    this.#caller = caller;
    this.#input = caller === undefined ? new InputPipe() : undefined;
    this.#ended.promise.catch(() => {}); // reported to whoever waits for it
    this.#started.promise.catch(() => {}); // likewise
    if (caller?.signal.aborted === true) this.cancel();
    else caller?.signal.addEventListener("abort", this.cancel, { once: true });
  }

  /** Resolves when it runs. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  get ended(): Promise<SandboxCommandResult> {
    return this.#ended.promise;
  }

  /** How the broker reaches whoever called. */
  get io(): RunIo {
    const caller = this.#caller;
    const stdin = caller === undefined ? this.#input : caller.stdin;
    return {
      signal: this.#abort.signal,
      ...(stdin === undefined ? {} : { stdin }),
      ...(this.#ask === undefined ? {} : { ask: this.#ask }),
      ...(caller?.stdinDigest === undefined ? {} : { stdinDigest: caller.stdinDigest }),
      onOutput: (chunk) => this.#handOn(chunk),
      onStart: (control) => {
        this.#control = control;
        this.#started.resolve();
        (this.#caller ?? this.#attached?.caller)?.onStart(control);
      },
    };
  }

  readonly cancel = (): void => {
    this.#abort.abort();
    this.#input?.close();
    this.#release?.();
    this.#attached?.release();
  };

  /** Whoever is slow holds the command back, until it is ended or they go away. */
  #handOn(chunk: OutputChunk): Promise<void> {
    const caller = this.#caller;
    if (caller === undefined) this.keep(chunk);
    if (this.#abort.signal.aborted) return Promise.resolve();
    if (caller === undefined) return this.#attached?.handOn(chunk) ?? Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#release = resolve;
    caller.onOutput(chunk).then(resolve, reject);
    return promise;
  }

  /** The last of it stays for `logs`. */
  readonly keep = (chunk: OutputChunk): void => this.#kept.add(chunk);

  /** From what is kept on; the last who attached takes it. Resolves with the command's end. @throws STATE_BUSY when somebody else took it */
  async attach(caller: RunIo): Promise<SandboxCommandResult> {
    const attached = new Attachment(caller, this.#kept.pieces);
    if (this.#input !== undefined && this.#result === undefined) this.#handOver(attached);
    const ended = await Promise.race([attached.over, this.#endFor(attached)]);
    if (this.#attached === attached) this.#attached = undefined;
    attached.leave();
    if (ended === "taken") throw new GloveboxError("STATE_BUSY", "sandbox.attached-elsewhere", { values: { action: this.action } });
    return ended === "left" ? this.snapshot() : ended;
  }

  async #endFor(attached: Attachment): Promise<SandboxCommandResult> {
    const result = await this.#ended.promise;
    await attached.caughtUp;
    return result;
  }

  #handOver(attached: Attachment): void {
    this.#attached?.take();
    this.#attached = attached;
    if (this.#control !== undefined) attached.caller.onStart(this.#control);
    void this.#feed(attached);
  }

  async #feed(attached: Attachment): Promise<void> {
    for await (const bytes of attached.caller.stdin ?? []) {
      if (this.#attached !== attached) return;
      await this.#input?.push(bytes);
    }
  }

  /** Of a command that goes on. */
  snapshot(): SandboxCommandResult {
    if (this.#result !== undefined) return this.#result;
    const nothing = { stdoutBytes: 0, stderrBytes: 0, durationMs: 0, ledger: { firstSeq: 0, lastSeq: 0 }, limitHits: [], notes: [] };
    return { task: "", action: this.action, exitCode: 0, outcome: "ok", child: undefined, ...nothing, isLeftRunning: true };
  }

  end(result: SandboxCommandResult): void {
    this.#result = result;
    this.#state = result.isLeftRunning && !this.#isGone ? "left-running" : "ended";
    this.#finish();
    this.#ended.resolve(result);
  }

  fail(error: unknown): void {
    this.#state = "ended";
    this.#finish();
    this.#started.reject(error);
    this.#ended.reject(error);
  }

  #finish(): void {
    this.#caller?.signal.removeEventListener("abort", this.cancel);
    this.#caller = undefined;
    this.#control = undefined;
    this.#input?.close();
  }

  /** @param kill ends what it left running */
  leave(kill: () => Promise<void>): void {
    this.#killLeft = kill;
  }

  /** With all that it started. @param record called when there is something of it to end */
  async endAll(record: () => Promise<void>): Promise<void> {
    if (this.#state === "ended") return;
    await record();
    this.cancel();
    await this.#ended.promise.catch(() => {}); // told to its caller
    await this.#killLeft();
  }

  /** None of its processes is left; its result may still be on its way. */
  settle(): void {
    this.#isGone = true;
    if (this.#state === "left-running") this.#state = "ended";
  }

  get state(): CommandLine["state"] {
    return this.#state;
  }

  get line(): CommandLine {
    const { action, argv, startedAtMs } = this;
    const ended = this.#result === undefined ? {} : { outcome: this.#result.outcome, exitCode: this.#result.exitCode };
    return { action, argv, startedAtMs, state: this.#state, ...ended };
  }

  /** Undefined when nothing was kept of it. */
  get log(): SandboxLog | undefined {
    const { bytes, droppedBytes } = this.#kept;
    if (bytes.length === 0 && this.#input === undefined) return undefined;
    return { action: this.action, state: this.#state, bytes, droppedBytes };
  }
}

// One command in the guard, as the Boundary port shows it. Order of its life: started | not-started | wall-missing, then output and
// exited in any order, output-end, tree-gone.
import { constants } from "node:os";
import type { Execution, ExitReport, OutputChunk, RefusedCall, RefusedCalls, SignalName } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { CommandOptions } from "./command-frames.ts";
import { errnoName } from "./errno-name.ts";
import { violation } from "./frame-decoder.ts";
import type { CommandMessage, RefusalMessage } from "./guard-message.ts";
import { creditFrame, killTreeFrame, resizeFrame, signalFrame, stdinEndFrame, stdinFrame } from "./host-frames.ts";
import { InputWindow } from "./input-window.ts";
import { OutputQueue } from "./output-queue.ts";
import { sizes } from "./protocol.ts";

function notStarted(message: CommandMessage & { kind: "not-started" }): ExitReport {
  const errno = errnoName(message.errno);
  const isAbsent = message.stage === "exec" && (errno === "ENOENT" || errno === "ENOTDIR");
  const report = { kind: "not-started", code: isAbsent ? 127 : 126, errno } as const;
  if (message.stage === "cwd") return { ...report, stage: "directory" };
  if (message.stage === "output") return { ...report, stage: "output" };
  // fork(2), and execve(2) after a change of user: the user, or the sandbox, has as many processes as it may have.
  return errno === "EAGAIN" && message.stage !== "terminal" ? { ...report, stage: "processes" } : report;
}

function exited(message: CommandMessage & { kind: "exited" }): ExitReport {
  const { userMs, systemMs, maxRssBytes } = message;
  const usage = { userMs, systemMs, maxRssBytes };
  return message.how === "code" ? { kind: "exited", code: message.value, usage } : { kind: "signalled", signal: message.value, usage };
}

interface ExecutionOptions extends Pick<CommandOptions, "onFileLimit" | "onRefused"> {
  /** False: the guard was told that its input has ended. */
  readonly hasInput?: boolean | undefined;
}

export class GuardExecution implements Execution {
  readonly stream: number;
  readonly #send: (frame: Buffer) => void;
  readonly #output: OutputQueue;
  readonly #input: InputWindow;
  readonly #start = Promise.withResolvers<void>();
  readonly #exit = Promise.withResolvers<ExitReport>();
  readonly #gone = Promise.withResolvers<void>();
  #phase: "starting" | "running" | "over" = "starting";
  #hasOutputEnded = false;
  #isTreeGone = false;
  #isKilling = false;
  readonly #refused: RefusedCall[] = [];
  #refusedTotal: number | undefined;
  readonly #told: ExecutionOptions;
  #hasMetFileLimit = false;

  constructor(stream: number, send: (frame: Buffer) => void, told: ExecutionOptions = {}) {
    this.stream = stream;
    this.#told = told;
    this.#send = (frame) => {
      if (!this.#isTreeGone) send(frame);
    };
    this.#output = new OutputQueue((channel, bytes) => send(creditFrame(stream, channel, bytes)));
    this.#input = new InputWindow(
      (bytes) => this.#send(stdinFrame(stream, bytes)),
      () => this.#send(stdinEndFrame(stream)),
      told.hasInput === false,
    );
    this.#start.promise.catch(() => {}); // reported to whoever waits for `started`
  }

  /** Resolves when the command runs or could not be started; rejects with WALL_UNAVAILABLE when it was refused for a missing wall. */
  get started(): Promise<void> {
    return this.#start.promise;
  }

  get output(): AsyncIterable<OutputChunk> {
    return this.#output;
  }

  get exit(): Promise<ExitReport> {
    return this.#exit.promise;
  }

  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Nothing of it is left in the guard. */
  get isOver(): boolean {
    return this.#hasOutputEnded && this.#isTreeGone;
  }

  get refusedCalls(): RefusedCalls {
    return { total: this.#refusedTotal ?? this.#refused.length, first: this.#refused };
  }

  async writeStdin(bytes: Uint8Array): Promise<void> {
    return this.#input.write(bytes);
  }

  endStdin(): void {
    this.#input.end();
  }

  signal(name: SignalName): void {
    if (this.#phase === "running") this.#send(signalFrame(this.stream, constants.signals[name]));
  }

  resize(size: { readonly rows: number; readonly columns: number }): void {
    if (this.#phase === "running") this.#send(resizeFrame(this.stream, size));
  }

  async killTree(): Promise<void> {
    if (!this.#isKilling) this.#send(killTreeFrame(this.stream));
    this.#isKilling = true;
    return this.#gone.promise;
  }

  /** @throws GUARD_PROTOCOL for a message that cannot come now */
  accept(message: CommandMessage): void {
    switch (message.kind) {
      case "started":
      case "not-started":
      case "wall-missing":
        this.#acceptStart(message);
        return;
      case "output":
        this.#output.push({ channel: message.channel, bytes: message.bytes });
        return;
      case "output-end":
        if (this.#hasOutputEnded) throw violation("output-end-twice");
        this.#hasOutputEnded = true;
        this.#output.end();
        return;
      case "exited":
        if (this.#phase !== "running") throw violation("exited-order");
        this.#finish(exited(message));
        return;
      case "tree-gone":
        this.#acceptGone();
        return;
      case "refused":
        this.#acceptRefusal(message.refusal);
        return;
      case "refused-total":
        if (this.#refusedTotal !== undefined || message.total < this.#refused.length) throw violation("refused-total");
        this.#refusedTotal = message.total;
        return;
      case "file-limit":
        this.#acceptFileLimit(message.bytes);
        return;
      case "credit":
        this.#input.addCredit(message.bytes);
    }
  }

  #acceptStart(message: CommandMessage & { kind: "started" | "not-started" | "wall-missing" }): void {
    if (this.#phase !== "starting") throw violation("start-twice");
    if (message.kind === "started") this.#phase = "running";
    if (message.kind === "not-started") this.#finish(notStarted(message));
    if (message.kind === "wall-missing") {
      const { wall } = message;
      const errno = errnoName(message.errno);
      this.#finish({ kind: "lost", reason: `wall-missing: ${wall} ${errno}` });
      this.#start.reject(new GloveboxError("WALL_UNAVAILABLE", "guard.wall-missing", { values: { wall, errno } }));
      return;
    }
    this.#start.resolve();
  }

  #acceptRefusal({ call, errno, rule, path }: RefusalMessage): void {
    if (this.#isTreeGone || this.#refused.length === sizes.refusedMax) throw violation("refused-order");
    this.#refused.push({ call, errno: errnoName(errno), rule, path: path.toString("utf8") });
    this.#told.onRefused?.();
  }

  #acceptFileLimit(bytes: number): void {
    if (this.#isTreeGone || this.#hasMetFileLimit) throw violation("file-limit-order");
    this.#hasMetFileLimit = true;
    this.#told.onFileLimit?.(bytes);
  }

  #acceptGone(): void {
    if (this.#phase !== "over" || this.#isTreeGone) throw violation("tree-gone-order");
    this.#isTreeGone = true;
    this.#gone.resolve();
  }

  #finish(report: ExitReport): void {
    this.#phase = "over";
    this.#exit.resolve(report);
    this.#input.close();
  }

  /** The guard is gone, and everything in its namespace with it. */
  lose(error: GloveboxError): void {
    this.#isTreeGone = true;
    this.#hasOutputEnded = true;
    this.#start.reject(error);
    this.#finish({ kind: "lost", reason: error.situation });
    this.#output.end();
    this.#gone.resolve();
  }
}

// The host's end of one guard: sets the walls once, then runs commands, until either side ends it. INVARIANT I-02, I-03
import { constants } from "node:os";
import type { Duplex } from "node:stream";
import type { Execution, SignalName } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { commandFrames, type CommandOptions, type GuardCommand } from "./command-frames.ts";
import { guardFrameDecoder, violation } from "./frame-decoder.ts";
import { GuardExecution } from "./guard-execution.ts";
import { type GuardMessage, parseGuardMessage, type SessionMessage } from "./guard-message.ts";
import { type GuardReady, Handshake } from "./handshake.ts";
import { type GuardMediation, type GuardRule, signalFrame } from "./host-frames.ts";
import { type LayerName, sizes } from "./protocol.ts";

export interface GuardSessionOptions {
  /** Accept a test build, which may leave layers out. Never set in a product. */
  readonly allowTestBuild?: boolean;
  /** The form of the guard that is expected: see HandshakeOptions. */
  readonly leftOut?: readonly LayerName[] | undefined;
  /** How long the guard may take to answer `configure`, milliseconds. Default 10,000. */
  readonly readyTimeoutMs?: number;
}

export class GuardSession {
  readonly #channel: Duplex;
  readonly #decoder = guardFrameDecoder();
  readonly #handshake: Handshake;
  readonly #executions = new Map<number, GuardExecution>();
  readonly #greeted = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<GloveboxError>();
  #idle: (() => void) | undefined;
  #lastStream = 0;
  #end: GloveboxError | undefined;
  #isClosing = false;

  constructor(channel: Duplex, options: GuardSessionOptions) {
    this.#channel = channel;
    this.#greeted.promise.catch(() => {}); // reported to whoever waits for it
    this.#handshake = new Handshake((frame) => this.#send(frame), options);
    channel.on("data", (chunk: Buffer) => this.#receive(chunk));
    channel.on("error", () => this.#finish(closed("guard.lost")));
    channel.on("end", () => this.#finish(closed("guard.lost")));
    channel.on("close", () => this.#finish(closed("guard.lost")));
  }

  /** Resolves, once, with why the session is over: SANDBOX_CLOSED (closed or lost) or GUARD_PROTOCOL. */
  get ended(): Promise<GloveboxError> {
    return this.#ended.promise;
  }

  /** Resolves when the guard has said HELLO: its sandbox is built. Rejects with why it never will. */
  get greeted(): Promise<void> {
    return this.#greeted.promise;
  }

  /** Ends the session for a reason of the host's: every command is lost with it, and the guard ends. */
  fail(reason: GloveboxError): void {
    this.#finish(reason);
  }

  /** Commands of which something is left: a process, or output that nobody has read. */
  get openCommands(): number {
    return this.#executions.size;
  }

  /**
   * Sends the rules, and what is mediated, and seals them. Rejects with WALL_UNAVAILABLE when a layer is missing or a rule cannot be set, and then the guard
   * ends; with GUARD_PROTOCOL or SANDBOX_CLOSED when it does not answer as a guard.
   */
  async configure(
    rules: readonly GuardRule[],
    mediation: GuardMediation = { writeRoots: [], listedNames: [], listedPaths: [] },
  ): Promise<GuardReady> {
    if (this.#end !== undefined) throw this.#end;
    try {
      return await this.#handshake.run(rules, mediation);
    } catch (error) {
      this.#finish(error instanceof GloveboxError ? error : closed("guard.lost"));
      throw error;
    }
  }

  /**
   * Resolves when the command runs, or when the report that it could not be started is in `exit`. Rejects with WALL_UNAVAILABLE (nothing
   * was executed), SANDBOX_CLOSED, GUARD_PROTOCOL, USAGE_INVALID (arguments), LIMIT_REACHED (256 commands are open).
   */
  async exec(command: GuardCommand, options: CommandOptions = {}): Promise<Execution> {
    if (this.#end !== undefined) throw this.#end;
    if (this.#isClosing || !this.#handshake.isReady) throw closed("guard.closed");
    if (this.#executions.size >= sizes.streamsMax) {
      throw new GloveboxError("LIMIT_REACHED", "guard.too-many-commands", { values: { maximum: sizes.streamsMax } });
    }
    const stream = this.#lastStream + 1;
    const frames = commandFrames(stream, command, options);
    this.#lastStream = stream;
    const execution = new GuardExecution(stream, (frame) => this.#send(frame), { ...options, hasInput: command.hasInput });
    this.#executions.set(stream, execution);
    this.#send(Buffer.concat(frames)); // one wake for the guard
    await execution.started;
    return execution;
  }

  /** To every process in the sandbox but the guard; SIGKILL is `close`'s business. */
  signalAll(name: Exclude<SignalName, "SIGKILL">): void {
    if (this.#handshake.isReady) this.#send(signalFrame(0, constants.signals[name]));
  }

  /** SIGTERM to everything, up to `graceMs` (default 2,000; with 0 nothing is asked), then the guard ends, and every process of its namespace with it. Idempotent. */
  async close(graceMs = 2000): Promise<void> {
    if (graceMs > 0 && this.#end === undefined && !this.#isClosing && this.#executions.size > 0) {
      this.#isClosing = true;
      this.signalAll("SIGTERM");
      this.signalAll("SIGCONT"); // a stopped process takes its SIGTERM only now
      await this.#untilIdle(graceMs);
    }
    this.#isClosing = true;
    this.#finish(closed("guard.closed"));
  }

  async #untilIdle(limitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs);
    this.#idle = resolve;
    await promise;
    clearTimeout(timer);
  }

  #send(frame: Buffer): void {
    if (this.#end === undefined) this.#channel.write(frame);
  }

  #receive(chunk: Buffer): void {
    if (this.#end !== undefined) return;
    try {
      for (const frame of this.#decoder.push(chunk)) this.#dispatch(parseGuardMessage(frame));
    } catch (error) {
      // Fails closed because a guard that breaks the protocol is no guard: the sandbox ends.
      this.#finish(error instanceof GloveboxError ? error : violation("internal"));
    }
  }

  #dispatch(parsed: GuardMessage): void {
    if (isForSession(parsed)) {
      this.#handshake.accept(parsed.message);
      if (parsed.message.kind === "hello") this.#greeted.resolve();
      return;
    }
    const execution = this.#executions.get(parsed.stream);
    if (execution === undefined) throw violation("stream-unknown");
    execution.accept(parsed.message);
    if (!execution.isOver) return;
    this.#executions.delete(parsed.stream);
    if (this.#executions.size === 0) this.#idle?.();
  }

  #finish(reason: GloveboxError): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#channel.destroy();
    this.#handshake.lose(reason);
    this.#greeted.reject(reason);
    for (const execution of this.#executions.values()) execution.lose(reason);
    this.#executions.clear();
    this.#idle?.();
    this.#ended.resolve(reason);
  }
}

function closed(situation: string): GloveboxError {
  return new GloveboxError("SANDBOX_CLOSED", situation);
}

function isForSession(parsed: GuardMessage): parsed is { readonly stream: 0; readonly message: SessionMessage } {
  return parsed.stream === 0;
}

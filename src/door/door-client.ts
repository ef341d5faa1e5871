// A connection to a running broker: the same door as the broker's own, at the other end of its socket.
import { connect, type Socket } from "node:net";
import * as z from "zod";
import type { RunIo } from "../contracts/door.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import type { ReloadedRules } from "../contracts/reached-broker.ts";
import type {
  OpenedSandbox,
  PortConnection,
  PrunedSandbox,
  RescuedFiles,
  SandboxAccess,
  SandboxCheckpoint,
  SandboxCommand,
  SandboxCommandResult,
  SandboxDoor,
  SandboxEnd,
  SandboxLine,
  SandboxLog,
  SandboxOpening,
  SandboxUse,
} from "../contracts/sandbox-door.ts";
import { version as software } from "../contracts/version.ts";
import { type Frame, FrameDecoder } from "../kit/frame-codec.ts";
import { AskedRequest } from "./asked-request.ts";
import { parseError } from "./door-errors.ts";
import { emptyFrame, execFrames, helloFrame, parseHello, partFrames } from "./door-frames.ts";
import type { DoorKeys } from "./door-host.ts";
import {
  type Ask,
  checkpointSchema,
  endSchema,
  listSchema,
  logsSchema,
  openedSchema,
  prunedSchema,
  reloadedSchema,
  rescuedSchema,
  statsSchema,
} from "./door-requests.ts";
import { frameTypes, longestFrom, sizes } from "./protocol.ts";
import { Turns } from "./turns.ts";
import { violation } from "./violation.ts";

/** How long the broker may take to say its version. */
const greetingMs = 10_000;

/** Of the requests that may be under way on one connection. */
const questionsAtOnce = 8;

const lastTypes: ReadonlySet<number> = new Set([frameTypes.result, frameTypes.refused, frameTypes.end]);

const lost = (): GloveboxError => new GloveboxError("BROKER_UNAVAILABLE", "door.lost");

/** Whatever else a caller keeps beside them stays here. */
const proofOf = ({ sandbox, token }: SandboxAccess): SandboxAccess => ({ sandbox, token });

async function dial(socketPath: string): Promise<Socket | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket | undefined>();
  const socket = connect(socketPath);
  socket.once("connect", () => resolve(socket));
  socket.once("error", (error) => {
    // Nobody listens there: no broker runs, or the last one was killed.
    if (["ENOENT", "ECONNREFUSED"].includes(systemErrorCode(error) ?? "")) resolve(undefined);
    else
      reject(
        new GloveboxError("BROKER_UNAVAILABLE", "door.unreachable", {
          values: { socket: socketPath, errno: systemErrorCode(error) ?? "unknown" },
          cause: error,
        }),
      );
  });
  return promise;
}

export class DoorClient implements SandboxDoor {
  readonly #socket: Socket;
  readonly #keys: DoorKeys;
  readonly #decoder = new FrameDecoder(longestFrom("broker"), violation);
  readonly #requests = new Map<number, AskedRequest>();
  /** What lasts as long as a command or a connection leaves room for questions, to close a sandbox for one. */
  readonly #lasting = new Turns(sizes.streamsMax - questionsAtOnce);
  readonly #questions = new Turns(questionsAtOnce);
  readonly #greeted = Promise.withResolvers<void>();
  #parts: Buffer = Buffer.alloc(0);
  #lastStream = 0;
  #end: Error | undefined;

  private constructor(socket: Socket, keys: DoorKeys) {
    this.#socket = socket;
    this.#keys = keys;
    this.#greeted.promise.catch(() => {}); // reported to whoever waits for it
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    for (const event of ["error", "end", "close"]) socket.on(event, () => this.#finish(lost()));
    socket.write(helloFrame(software));
  }

  /** Undefined when no broker listens. @throws BROKER_UNAVAILABLE, BROKER_VERSION */
  static async connect(socketPath: string, keys: () => Promise<DoorKeys | undefined>): Promise<DoorClient | undefined> {
    const socket = await dial(socketPath);
    if (socket === undefined) return undefined;
    // Written before the broker listened.
    const found = await keys();
    if (found === undefined) {
      socket.destroy();
      return undefined;
    }
    const client = new DoorClient(socket, found);
    const timer = setTimeout(() => client.#finish(lost()), greetingMs);
    try {
      await client.#greeted.promise;
      return client;
    } finally {
      clearTimeout(timer);
    }
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#decoder.push(chunk)) this.#dispatch(frame);
    } catch (error) {
      this.#finish(error instanceof Error ? error : violation("internal"));
    }
  }

  #dispatch(frame: Frame): void {
    if (frame.type === frameTypes.hello) this.#greet(frame.payload);
    else if (frame.stream === 0) this.#hearRefusal(frame);
    else {
      this.#requests.get(frame.stream)?.accept(frame);
      const isLast = lastTypes.has(frame.type);
      if (isLast) this.#requests.delete(frame.stream);
    }
  }

  /** Of the whole connection: what we said cannot come, or we are of another version. */
  #hearRefusal({ type, payload }: Frame): void {
    if (type === frameTypes.part) this.#parts = Buffer.from(payload);
    else if (type === frameTypes.refused) throw parseError(this.#parts);
    else throw violation("stream-0");
  }

  #greet(payload: Buffer): void {
    const theirs = parseHello(payload);
    if (theirs.version !== sizes.version || theirs.software !== software)
      throw new GloveboxError("BROKER_VERSION", "door.other-version", { values: { broker: theirs.software, client: software } });
    this.#greeted.resolve();
  }

  #finish(reason: Error): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#socket.destroy();
    this.#greeted.reject(reason);
    for (const request of this.#requests.values()) request.lose(reason);
    this.#requests.clear();
  }

  /** Ends what was asked and is not over, except detached commands. Idempotent. */
  async close(): Promise<void> {
    this.#finish(lost());
  }

  #begin(frames: (stream: number) => readonly Buffer[], io?: RunIo): AskedRequest {
    if (this.#end !== undefined) throw this.#end;
    const stream = (this.#lastStream += 1);
    const request = new AskedRequest(stream, (frame) => this.#put(frame), io);
    this.#requests.set(stream, request);
    this.#put(Buffer.concat(frames(stream)));
    return request;
  }

  #put(frame: Buffer): void {
    if (this.#end === undefined) this.#socket.write(frame);
  }

  #ask(ask: Ask, io?: RunIo): AskedRequest {
    const frames = (stream: number) => [...partFrames(stream, Buffer.from(JSON.stringify(ask))), emptyFrame(frameTypes.ask, stream)];
    return this.#begin(frames, io);
  }

  /** @throws BROKER_PROTOCOL, and what is thrown by what was asked */
  answerTo<Value>(ask: Ask, schema: z.ZodType<Value>, signal?: AbortSignal): Promise<Value> {
    return this.#questions.take(() => this.#answerTo(ask, schema, signal), signal);
  }

  async #answerTo<Value>(ask: Ask, schema: z.ZodType<Value>, signal?: AbortSignal): Promise<Value> {
    const request = this.#ask(ask);
    signal?.addEventListener("abort", request.cancel, { once: true });
    try {
      const answer = await request.answer;
      const found = answer.kind === "answer" ? schema.safeParse(answer.value) : undefined;
      if (found?.success !== true) throw violation("answer");
      return found.data;
    } finally {
      signal?.removeEventListener("abort", request.cancel);
    }
  }

  #resultOf(begin: () => AskedRequest, io: RunIo): Promise<SandboxCommandResult> {
    return this.#lasting.take(() => this.#endOf(begin(), io), io.signal);
  }

  async #endOf(request: AskedRequest, io: RunIo): Promise<SandboxCommandResult> {
    io.signal.addEventListener("abort", request.cancel, { once: true });
    if (io.signal.aborted) request.cancel();
    try {
      void request.feed().catch(() => {}); // our own input broke off: the command's end says the rest
      const pumped = request.pump();
      const answer = await request.answer;
      await pumped;
      if (answer.kind !== "result") throw violation("result");
      return answer.result;
    } finally {
      io.signal.removeEventListener("abort", request.cancel);
    }
  }

  open(opening: SandboxOpening, io: { readonly signal: AbortSignal }): Promise<OpenedSandbox> {
    const variables = Object.entries(opening.callerEnvironment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const asked = { ...opening, callerEnvironment: Object.fromEntries(variables) };
    return this.answerTo({ ask: "open", key: this.#keys.open, opening: asked }, openedSchema(), io.signal);
  }

  exec(access: SandboxAccess, command: SandboxCommand, io: RunIo): Promise<SandboxCommandResult> {
    const given = { ...command, hasInput: io.stdin !== undefined, hearsAsked: true };
    return this.#resultOf(() => this.#begin((stream) => execFrames(stream, access, given), io), io);
  }

  attach(access: SandboxAccess, action: string, io: RunIo): Promise<SandboxCommandResult> {
    return this.#resultOf(() => this.#ask({ ask: "attach", ...proofOf(access), action }, io), io);
  }

  async logs(access: SandboxAccess, action: string | undefined): Promise<readonly SandboxLog[]> {
    const found = await this.answerTo({ ask: "logs", ...proofOf(access), ...(action === undefined ? {} : { action }) }, logsSchema());
    return found.map(({ base64, ...log }) => ({ ...log, bytes: Buffer.from(base64, "base64") }));
  }

  async connect(access: SandboxAccess, port: number): Promise<PortConnection> {
    const { promise, resolve, reject } = Promise.withResolvers<PortConnection>();
    this.#lasting
      .take(async () => {
        const request = this.#ask({ ask: "connect", ...proofOf(access), port });
        await request.answer;
        resolve({
          received: request.received,
          send: (bytes) => request.send(bytes),
          end: () => request.endInput(),
          close: () => request.cancel(),
          ended: request.ended,
        });
        await request.ended;
      })
      .catch(reject);
    return promise;
  }

  async endCommand(access: SandboxAccess, action: string): Promise<void> {
    await this.answerTo({ ask: "end-command", ...proofOf(access), action }, z.null());
  }

  checkpoint(access: SandboxAccess): Promise<SandboxCheckpoint> {
    return this.answerTo({ ask: "checkpoint", ...proofOf(access) }, checkpointSchema());
  }

  stats(access: SandboxAccess): Promise<SandboxUse> {
    return this.answerTo({ ask: "stats", ...proofOf(access) }, statsSchema());
  }

  rescue(access: SandboxAccess, paths: readonly string[]): Promise<RescuedFiles> {
    return this.answerTo({ ask: "rescue", ...proofOf(access), paths: [...paths] }, rescuedSchema());
  }

  async pause(access: SandboxAccess): Promise<void> {
    await this.answerTo({ ask: "pause", ...proofOf(access) }, z.null());
  }

  async resume(access: SandboxAccess): Promise<void> {
    await this.answerTo({ ask: "resume", ...proofOf(access) }, z.null());
  }

  list(): Promise<readonly SandboxLine[]> {
    return this.answerTo({ ask: "list", key: this.#keys.admin }, listSchema());
  }

  prune({ isDry }: { readonly isDry: boolean }): Promise<readonly PrunedSandbox[]> {
    return this.answerTo({ ask: "prune", key: this.#keys.admin, isDry }, prunedSchema());
  }

  reload(sandbox: string): Promise<ReloadedRules> {
    return this.answerTo({ ask: "reload", key: this.#keys.admin, sandbox }, reloadedSchema());
  }

  /** Of a sandbox that has no token. @throws SANDBOX_CLOSED with the reason, SANDBOX_UNKNOWN */
  async refuseEnded(sandbox: string): Promise<void> {
    await this.answerTo({ ask: "ended", key: this.#keys.admin, sandbox }, z.never());
  }

  async stop(): Promise<void> {
    await this.answerTo({ ask: "stop", key: this.#keys.admin }, z.null());
  }

  untilEnded(access: SandboxAccess, signal: AbortSignal): Promise<void> {
    const ask = async (): Promise<void> => void (await this.#answerTo({ ask: "untilEnded", ...proofOf(access) }, z.null(), signal));
    return this.#lasting.take(ask, signal);
  }

  async end(access: SandboxAccess): Promise<SandboxEnd> {
    return this.answerTo({ ask: "close", ...proofOf(access) }, endSchema());
  }

  async kill(access: SandboxAccess): Promise<SandboxEnd> {
    return this.answerTo({ ask: "kill", ...proofOf(access) }, endSchema());
  }
}

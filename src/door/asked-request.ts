// One request of ours, from its first frame to its answer; the client's side.
import { constants } from "node:os";
import type { RunIo } from "../contracts/door.ts";
import type { SandboxCommandResult } from "../contracts/sandbox-door.ts";
import type { Frame } from "../kit/frame-codec.ts";
import { WaitingBytes } from "../kit/waiting-bytes.ts";
import { parseError } from "./door-errors.ts";
import { creditFrame, dataFrame, emptyFrame, parseAsked, parseCredit, parseResult, resizeFrame, signalFrame } from "./door-frames.ts";
import { resultDetailSchema } from "./door-requests.ts";
import { channels, frameTypes, sizes } from "./protocol.ts";
import { ReceiveQueue } from "./receive-queue.ts";
import { SendWindow } from "./send-window.ts";
import { violation } from "./violation.ts";

export type Answer =
  | { readonly kind: "answer"; readonly value: unknown }
  | { readonly kind: "result"; readonly result: SandboxCommandResult };

export class AskedRequest {
  readonly #stream: number;
  readonly #send: (frame: Buffer) => void;
  readonly #io: RunIo | undefined;
  readonly #window = new SendWindow();
  readonly #queues: { readonly stdout: ReceiveQueue; readonly stderr: ReceiveQueue };
  readonly #answer = Promise.withResolvers<Answer>();
  readonly #end = Promise.withResolvers<void>();
  readonly #parts = new WaitingBytes<"part">();
  #partsBytes = 0;

  /** @param io of a command; absent for a question */
  constructor(stream: number, send: (frame: Buffer) => void, io: RunIo | undefined) {
    this.#stream = stream;
    this.#send = send;
    this.#io = io;
    const queue = (channel: "stdout" | "stderr") => new ReceiveQueue((bytes) => send(creditFrame(stream, channel, bytes)));
    this.#queues = { stdout: queue("stdout"), stderr: queue("stderr") };
    this.#answer.promise.catch(() => {}); // reported to whoever waits for it
  }

  /** Resolves with what was asked for; rejects with why it was refused. */
  get answer(): Promise<Answer> {
    return this.#answer.promise;
  }

  /** Bytes of a port, which come after its answer. */
  get received(): AsyncIterable<Uint8Array> {
    return this.#queues.stdout;
  }

  /** Resolves when the broker says no more of it. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Hands a command's output to its caller, in order within a channel; resolves when both have ended. */
  async pump(): Promise<void> {
    const io = this.#io;
    if (io === undefined) return;
    const one = async (channel: "stdout" | "stderr"): Promise<void> => {
      for await (const bytes of this.#queues[channel]) await io.onOutput({ channel, bytes });
    };
    await Promise.all([one("stdout"), one("stderr")]);
  }

  async feed(): Promise<void> {
    for await (const bytes of this.#io?.stdin ?? []) await this.send(bytes);
    this.endInput();
  }

  send(bytes: Uint8Array): Promise<void> {
    return this.#window.send(bytes, (part) => this.#send(dataFrame(frameTypes.stdin, this.#stream, part)));
  }

  endInput(): void {
    this.#send(emptyFrame(frameTypes.stdinEnd, this.#stream));
  }

  readonly cancel = (): void => {
    this.#send(emptyFrame(frameTypes.cancel, this.#stream));
  };

  /** @throws BROKER_PROTOCOL for a frame that cannot come */
  accept({ type, payload }: Frame): void {
    if (type === frameTypes.part) this.#addPart(payload);
    else if (type === frameTypes.stdout) this.#queues.stdout.push(payload);
    else if (type === frameTypes.stderr) this.#queues.stderr.push(payload);
    else if (type === frameTypes.credit) this.#addCredit(payload);
    else if (type === frameTypes.started) this.#start();
    else if (type === frameTypes.asked) this.#io?.onAsked?.(parseAsked(payload));
    else if (type === frameTypes.answer) this.#answer.resolve({ kind: "answer", value: this.#json() });
    else if (type === frameTypes.outputEnd) this.#queues.stdout.end();
    else if (type === frameTypes.end) this.#close();
    else if (type === frameTypes.result) this.#acceptResult(payload);
    else if (type === frameTypes.refused) this.lose(parseError(this.#takeParts()));
    else throw violation("order");
  }

  #addPart(payload: Buffer): void {
    this.#partsBytes += payload.length;
    if (this.#partsBytes > sizes.partsMax) throw violation("parts");
    this.#parts.push("part", Buffer.from(payload));
  }

  #takeParts(): Buffer {
    this.#partsBytes = 0;
    return this.#parts.shiftAll();
  }

  #json(): unknown {
    try {
      return JSON.parse(this.#takeParts().toString("utf8"));
    } catch {
      throw violation("answer");
    }
  }

  #addCredit(payload: Buffer): void {
    const { channel, bytes } = parseCredit(payload);
    if (channel !== channels.stdin) throw violation("credit");
    this.#window.add(bytes);
  }

  #start(): void {
    this.#io?.onStart({
      signal: (name) => this.#send(signalFrame(this.#stream, constants.signals[name])),
      resize: (size) => this.#send(resizeFrame(this.#stream, size)),
    });
  }

  #acceptResult(payload: Buffer): void {
    const detail = resultDetailSchema().safeParse(this.#json());
    if (!detail.success) throw violation("result");
    this.#answer.resolve({ kind: "result", result: { ...parseResult(payload), ...detail.data } });
    this.#close();
  }

  /** It was refused, or the broker is gone. */
  lose(error: Error): void {
    this.#answer.reject(error);
    this.#close();
  }

  #close(): void {
    this.#window.close();
    this.#queues.stdout.end();
    this.#queues.stderr.end();
    this.#end.resolve();
  }
}

// One request of one client, from its first frame to its answer; the broker's side.
import { constants } from "node:os";
import type { AskPerson } from "../contracts/approval.ts";
import type { Standing } from "../contracts/approval-door.ts";
import type { SignalName } from "../contracts/boundary.ts";
import type { RunIo } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { SandboxCommandResult } from "../contracts/sandbox-door.ts";
import { escapeText } from "../kit/escape-text.ts";
import type { Frame } from "../kit/frame-codec.ts";
import { WaitingBytes } from "../kit/waiting-bytes.ts";
import { createTexts, type Language } from "../texts/texts.ts";
import { answerAsk, type AskIo } from "./answer-ask.ts";
import { errorFrames } from "./door-errors.ts";
import { askedFrame, creditFrame, dataFrame, emptyFrame, parseCredit, parseExec, partFrames, resultFrame } from "./door-frames.ts";
import type { DoorHost } from "./door-host.ts";
import { channels, frameTypes, sizes } from "./protocol.ts";
import { ReceiveQueue } from "./receive-queue.ts";
import { SendWindow } from "./send-window.ts";
import { violation } from "./violation.ts";

const signalNames: readonly SignalName[] = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGTERM",
  "SIGKILL",
  "SIGUSR1",
  "SIGUSR2",
  "SIGWINCH",
  "SIGCONT",
  "SIGTSTP",
  "SIGSTOP",
];

type Control = Parameters<RunIo["onStart"]>[0];

/** What a request has of its connection. */
export interface RequestSurroundings {
  send(frames: readonly Buffer[]): void;
  /** It was answered. */
  over(): void;
  /** Resolves when the connection is closed. */
  readonly gone: Promise<void>;
  /** Where the client stands. */
  standing(): Promise<Standing>;
}

export class ServedRequest {
  readonly #stream: number;
  readonly #host: DoorHost;
  readonly #about: RequestSurroundings;
  readonly #abort = new AbortController();
  readonly #windows = { stdout: new SendWindow(), stderr: new SendWindow() };
  readonly #input: ReceiveQueue;
  readonly #parts = new WaitingBytes<"part">();
  #partsBytes = 0;
  #phase: "parts" | "running" | "over" = "parts";
  #control: Control | undefined;
  #language: Language = "en";

  constructor(stream: number, host: DoorHost, about: RequestSurroundings) {
    this.#stream = stream;
    this.#host = host;
    this.#about = about;
    this.#input = new ReceiveQueue((bytes) => this.#put([creditFrame(stream, "stdin", bytes)]));
  }

  /** Nobody is there any more who wants it. */
  cancel(): void {
    this.#abort.abort();
    this.#input.end();
    this.#windows.stdout.close();
    this.#windows.stderr.close();
  }

  #put(frames: readonly Buffer[]): void {
    if (this.#phase !== "over") this.#about.send(frames);
  }

  /** @throws BROKER_PROTOCOL for a frame that cannot come now */
  accept({ type, payload }: Frame): void {
    if (this.#phase === "parts") this.#begin(type, payload);
    else this.#hear(type, payload);
  }

  #begin(type: number, payload: Buffer): void {
    if (type === frameTypes.part) {
      this.#partsBytes += payload.length;
      if (this.#partsBytes > sizes.partsMax) throw violation("parts");
      this.#parts.push("part", Buffer.from(payload));
      return;
    }
    const block = this.#parts.shiftAll();
    if (type === frameTypes.exec) this.#exec(payload, block);
    else if (type === frameTypes.ask) this.#run(() => answerAsk(this.#host, block, this.#askIo()));
    else throw violation("order");
  }

  #askIo(): AskIo {
    return {
      io: this.#io(true),
      callerGone: this.#about.gone,
      answer: (value) => this.#answer(value),
      endOutput: () => this.#put([emptyFrame(frameTypes.outputEnd, this.#stream)]),
      standing: () => this.#about.standing(),
    };
  }

  #exec(payload: Buffer, block: Buffer): void {
    const { access, command, hasInput, isChinese, hearsAsked } = parseExec(payload, block);
    this.#language = isChinese ? "zh" : "en";
    this.#run(() =>
      this.#host.sandboxes.exec(access, command, { ...this.#io(hasInput), ask: this.#ask(hearsAsked, command.isDetached === true) }),
    );
  }

  /** Of somebody at another terminal. @param hearsAsked the client is told of it @param leaves the client may be gone when it comes to that */
  #ask(hearsAsked: boolean, leaves: boolean): AskPerson {
    const before = leaves ? this.#about.standing() : undefined;
    return async (question, signal) => {
      const asker = await (before ?? this.#about.standing());
      if (hearsAsked) this.#put([askedFrame(this.#stream, question.id)]);
      return this.#host.approvals.ask(question, { asker, signal });
    };
  }

  #answer(value: unknown): void {
    const bytes = Buffer.from(JSON.stringify(value));
    if (bytes.length > sizes.partsMax)
      throw new GloveboxError("LIMIT_REACHED", "door.answer-too-large", { values: { bytes: bytes.length } });
    this.#put([...partFrames(this.#stream, bytes), emptyFrame(frameTypes.answer, this.#stream)]);
  }

  /** @param work resolves with a command's result, or when the answer was given */
  #run(work: () => Promise<SandboxCommandResult | undefined>): void {
    this.#phase = "running";
    work().then(
      (result) => {
        if (result !== undefined) this.#finish(this.#resultFrames(result));
        else this.#finish([emptyFrame(frameTypes.end, this.#stream)]);
      },
      (error: unknown) => this.#finish(errorFrames(this.#stream, error, this.#language)),
    );
  }

  #resultFrames(result: SandboxCommandResult): Buffer[] {
    const { task, limitHits, notes, leftBehind } = result;
    const text = createTexts(this.#language, escapeText);
    const detail = Buffer.from(JSON.stringify({ task, limitHits, notes, leftBehind }));
    return [...partFrames(this.#stream, detail), resultFrame(this.#stream, result, notes.map(text))];
  }

  #finish(frames: readonly Buffer[]): void {
    this.#put(frames);
    this.#phase = "over";
    this.cancel();
    this.#about.over();
  }

  #io(hasInput: boolean): RunIo {
    const types = { stdout: frameTypes.stdout, stderr: frameTypes.stderr };
    return {
      signal: this.#abort.signal,
      ...(hasInput ? { stdin: this.#input } : {}),
      onOutput: ({ channel, bytes }) =>
        this.#windows[channel].send(bytes, (part) => this.#put([dataFrame(types[channel], this.#stream, part)])),
      onStart: (control) => {
        this.#control = control;
        this.#put([emptyFrame(frameTypes.started, this.#stream)]);
      },
    };
  }

  #hear(type: number, payload: Buffer): void {
    if (type === frameTypes.stdin) this.#input.push(payload);
    else if (type === frameTypes.stdinEnd) this.#input.end();
    else if (type === frameTypes.cancel) this.cancel();
    else if (type === frameTypes.credit) this.#addCredit(payload);
    else if (type === frameTypes.signal) this.#signal(payload);
    else if (type === frameTypes.resize) this.#resize(payload);
    else throw violation("order");
  }

  #addCredit(payload: Buffer): void {
    const { channel, bytes } = parseCredit(payload);
    if (channel === channels.stdout) this.#windows.stdout.add(bytes);
    else if (channel === channels.stderr) this.#windows.stderr.add(bytes);
    else throw violation("credit");
  }

  #signal(payload: Buffer): void {
    const number = payload.length === 4 ? payload.readUInt32LE(0) : -1;
    const name = signalNames.find((candidate) => constants.signals[candidate] === number);
    if (name === undefined) throw violation("signal");
    this.#control?.signal(name);
  }

  #resize(payload: Buffer): void {
    if (payload.length !== 4) throw violation("resize");
    this.#control?.resize({ rows: payload.readUInt16LE(0), columns: payload.readUInt16LE(2) });
  }
}

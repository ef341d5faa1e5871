// One connection of the door, the broker's side: greets, then serves requests until either side ends it.
import type { Duplex } from "node:stream";
import type { Standing } from "../contracts/approval-door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { version as software } from "../contracts/version.ts";
import { type Frame, FrameDecoder } from "../kit/frame-codec.ts";
import { errorFrames } from "./door-errors.ts";
import { helloFrame, parseHello } from "./door-frames.ts";
import type { DoorHost } from "./door-host.ts";
import { frameTypes, longestFrom, sizes } from "./protocol.ts";
import { ServedRequest } from "./served-request.ts";
import { violation } from "./violation.ts";

/** How long a peer may take to say its version. */
const greetingMs = 10_000;
/** How long it may take to read the last words. */
const partingMs = 2_000;
/** Answers that nobody reads: beyond this nothing more is heard. */
const unreadMax = 4 * 1024 * 1024;

export class DoorConnection {
  readonly #socket: Duplex;
  readonly #host: DoorHost;
  readonly #standing: () => Promise<Standing>;
  readonly #decoder = new FrameDecoder(longestFrom("client"), violation);
  readonly #requests = new Map<number, ServedRequest>();
  readonly #greeting: NodeJS.Timeout;
  readonly #closed = Promise.withResolvers<void>();
  #lastStream = 0;
  #isGreeted = false;
  #isClosed = false;

  /** @param standing where the client stands */
  constructor(socket: Duplex, host: DoorHost, standing: () => Promise<Standing>) {
    this.#socket = socket;
    this.#host = host;
    this.#standing = standing;
    this.#greeting = setTimeout(() => this.close(), greetingMs);
    socket.on("data", this.#receive);
    for (const event of ["error", "end", "close"]) socket.on(event, () => this.close());
    this.#send([helloFrame(software)]);
  }

  /** Resolves when it is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  #send(frames: readonly Buffer[]): void {
    if (this.#isClosed || this.#socket.destroyed || frames.length === 0) return;
    this.#socket.write(Buffer.concat(frames));
    if (this.#socket.writableLength <= unreadMax || this.#socket.isPaused()) return;
    this.#socket.pause();
    this.#socket.once("drain", () => this.#socket.resume());
  }

  readonly #receive = (chunk: Buffer): void => {
    try {
      for (const frame of this.#decoder.push(chunk)) this.#dispatch(frame);
    } catch (error) {
      // Fails closed because whoever breaks the protocol is no client of ours.
      this.#send(errorFrames(0, error, "en"));
      this.close();
    }
  };

  #dispatch(frame: Frame): void {
    if (!this.#isGreeted) this.#greet(frame);
    else if (frame.stream === 0) throw violation("stream-0");
    else this.#requestOf(frame.stream)?.accept(frame);
  }

  #greet({ type, payload }: Frame): void {
    if (type !== frameTypes.hello) throw violation("hello");
    const theirs = parseHello(payload);
    if (theirs.version !== sizes.version || theirs.software !== software)
      throw new GloveboxError("BROKER_VERSION", "door.other-version", { values: { broker: software, client: theirs.software } });
    clearTimeout(this.#greeting);
    this.#isGreeted = true;
  }

  /** Undefined for a stream that is free again: what still comes for it is late. */
  #requestOf(stream: number): ServedRequest | undefined {
    const known = this.#requests.get(stream);
    if (known !== undefined || stream <= this.#lastStream) return known;
    if (this.#requests.size >= sizes.streamsMax) throw violation("streams");
    this.#lastStream = stream;
    const request = new ServedRequest(stream, this.#host, {
      send: (frames) => this.#send(frames),
      over: () => void this.#requests.delete(stream),
      gone: this.closed,
      standing: this.#standing,
    });
    this.#requests.set(stream, request);
    return request;
  }

  /** Cancels what was asked and is not over, and hears nothing more. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.off("data", this.#receive);
    clearTimeout(this.#greeting);
    for (const request of this.#requests.values()) request.cancel();
    this.#requests.clear();
    this.#part();
    this.#closed.resolve();
  }

  /** Who does not read the last words does not keep the connection either. */
  #part(): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const deadline = setTimeout(() => socket.destroy(), partingMs);
    socket.once("close", () => clearTimeout(deadline));
    socket.end(() => socket.destroy());
  }
}

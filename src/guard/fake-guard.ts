// For unit tests: frames as a guard sends them, and a channel whose other end is the test.
import { duplexPair, type Duplex } from "node:stream";
import { frameTypes, layers, sizes } from "./protocol.ts";

export function guardFrame(type: number, stream: number, ...numbers: readonly number[]): Buffer {
  const payload = Buffer.alloc(numbers.length * 4);
  for (const [index, value] of numbers.entries()) payload.writeUInt32LE(value, index * 4);
  return guardData(type, stream, payload);
}

export function guardData(type: number, stream: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(sizes.header);
  header.writeUInt32LE(payload.length, 0);
  header.writeUInt8(type, 4);
  header.writeUInt32LE(stream, 8);
  return Buffer.concat([header, payload]);
}

export const guardHello = guardFrame(frameTypes.hello, 0, sizes.version, 0, 1);
export const guardReady = guardFrame(frameTypes.ready, 0, 7, layers.all, 0xffff, 0, 3, 0);
export const guardStarted = (stream: number): Buffer => guardFrame(frameTypes.started, stream, 5);
export const guardExited = (stream: number, how: number, value: number): Buffer =>
  guardFrame(frameTypes.exited, stream, how, value, 1500, 0, 2500, 0, 4096, 0);

/** A whole life of one command. */
export function guardConversation(stream: number, text: string): readonly Buffer[] {
  return [
    guardStarted(stream),
    guardData(frameTypes.stdout, stream, Buffer.from(text)),
    guardExited(stream, 0, 3),
    guardFrame(frameTypes.outputEnd, stream),
    guardFrame(frameTypes.treeGone, stream),
  ];
}

export interface SentFrame {
  readonly type: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The guard's end of a channel: what the host sent, frame by frame. */
export class FakeGuard {
  readonly host: Duplex;
  readonly #end: Duplex;
  #bytes: Buffer = Buffer.alloc(0);
  #wake: (() => void) | undefined;

  constructor() {
    const [host, end] = duplexPair();
    this.host = host;
    this.#end = end;
    end.on("error", () => {});
    end.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake?.();
    });
  }

  send(...parts: readonly Buffer[]): void {
    this.#end.write(Buffer.concat(parts));
  }

  hangUp(): void {
    this.#end.end();
  }

  get sent(): readonly SentFrame[] {
    const found: SentFrame[] = [];
    for (let at = 0; at + sizes.header <= this.#bytes.length;) {
      const end = at + sizes.header + this.#bytes.readUInt32LE(at);
      if (end > this.#bytes.length) break;
      found.push({
        type: this.#bytes.readUInt8(at + 4),
        stream: this.#bytes.readUInt32LE(at + 8),
        payload: this.#bytes.subarray(at + sizes.header, end),
      });
      at = end;
    }
    return found;
  }

  /** Resolves with the first frame of that type once it has come. */
  async until(type: number): Promise<SentFrame> {
    for (;;) {
      const found = this.sent.find((frame) => frame.type === type);
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}

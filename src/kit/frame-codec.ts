// Frames as guard, masker and door speak them: `u32le length | u8 type | u8 0 | u16le 0 | u32le stream | payload`. Every byte is hostile: header, type and
// length are checked before a payload is waited for.

export const frameHeader = 12;

export interface Frame {
  readonly type: number;
  readonly stream: number;
  /** A view into what was pushed: copy what is kept long. */
  readonly payload: Buffer;
}

export function encodeFrame(type: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(frameHeader + payload.length);
  bytes.writeUInt32LE(payload.length, 0);
  bytes.writeUInt8(type, 4);
  bytes.fill(0, 5, 8);
  bytes.writeUInt32LE(stream, 8);
  bytes.set(payload, frameHeader);
  return bytes;
}

/** Keeps at most one unfinished frame. After it has thrown it must not be used again. */
export class FrameDecoder {
  readonly #longest: (type: number) => number | undefined;
  readonly #violation: (what: string) => Error;
  #rest: Buffer = Buffer.alloc(0);

  /** @param longest the longest payload of a type; undefined for one that the other side never sends */
  constructor(longest: (type: number) => number | undefined, violation: (what: string) => Error) {
    this.#longest = longest;
    this.#violation = violation;
  }

  #payloadLength(bytes: Buffer, at: number): number {
    const length = bytes.readUInt32LE(at);
    const longest = this.#longest(bytes.readUInt8(at + 4));
    if (longest === undefined) throw this.#violation("frame-type");
    if (length > longest) throw this.#violation("frame-length");
    if (bytes.readUInt8(at + 5) !== 0 || bytes.readUInt16LE(at + 6) !== 0) throw this.#violation("frame-reserved");
    return length;
  }

  /** @throws the violation at the first byte that cannot come */
  *push(chunk: Buffer): Generator<Frame, void, undefined> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= frameHeader) {
      const end = at + frameHeader + this.#payloadLength(bytes, at);
      if (bytes.length < end) break;
      const frame = { type: bytes.readUInt8(at + 4), stream: bytes.readUInt32LE(at + 8), payload: bytes.subarray(at + frameHeader, end) };
      at = end;
      yield frame;
    }
    this.#rest = at === bytes.length ? Buffer.alloc(0) : bytes.subarray(at);
  }

  /** Bytes of an unfinished frame. */
  get pendingBytes(): number {
    return this.#rest.length;
  }
}

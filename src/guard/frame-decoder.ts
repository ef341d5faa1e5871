// Bytes from the guard -> frames. Every byte is hostile: header, type and length are checked before a payload is waited for.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { frameTypes, sizes } from "./protocol.ts";

export interface Frame {
  readonly type: number;
  readonly stream: number;
  /** A view into what was pushed: copy what is kept long. */
  readonly payload: Buffer;
}

const {
  stdout,
  stderr,
  hello,
  credit,
  ready,
  failed,
  started,
  notStarted,
  wallMissing,
  outputEnd,
  exited,
  treeGone,
  refused,
  refusedTotal,
  fileLimit,
} = frameTypes;
const fromGuard: ReadonlySet<number> = new Set([
  hello,
  credit,
  ready,
  failed,
  started,
  notStarted,
  wallMissing,
  stdout,
  stderr,
  outputEnd,
  exited,
  treeGone,
  refused,
  refusedTotal,
  fileLimit,
]);

export function violation(what: string): GloveboxError {
  return new GloveboxError("GUARD_PROTOCOL", "guard.protocol", { values: { what } });
}

function payloadLength(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32LE(at);
  const type = bytes.readUInt8(at + 4);
  if (!fromGuard.has(type)) throw violation("frame-type");
  if (length > (type === stdout || type === stderr ? sizes.dataMax : sizes.controlMax)) throw violation("frame-length");
  if (bytes.readUInt8(at + 5) !== 0 || bytes.readUInt16LE(at + 6) !== 0) throw violation("frame-reserved");
  return length;
}

/** Keeps at most one unfinished frame. After it has thrown it must not be used again. */
export class FrameDecoder {
  #rest: Buffer = Buffer.alloc(0);

  /** @throws GUARD_PROTOCOL at the first byte that no guard would send */
  *push(chunk: Buffer): Generator<Frame, void, undefined> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= sizes.header) {
      const length = payloadLength(bytes, at);
      const end = at + sizes.header + length;
      if (bytes.length < end) break;
      const frame = { type: bytes.readUInt8(at + 4), stream: bytes.readUInt32LE(at + 8), payload: bytes.subarray(at + sizes.header, end) };
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

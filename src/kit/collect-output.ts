// The first bytes of a command's output, within one bound for both channels, and what a program is told of them: text, or base64 where it is none.

type Channel = "stdout" | "stderr";

/** One channel. It came out of a sandbox and may try to instruct its reader. INVARIANT I-13 */
export interface CollectedChannel {
  readonly untrusted: true;
  /** Written in all. */
  readonly bytes: number;
  readonly returnedBytes: number;
  readonly isTruncated: boolean;
  readonly text?: string;
  readonly base64?: string;
}

/** Cuts at most three bytes: the start of a character whose rest was not kept. */
function withoutHalfCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function describe(all: Uint8Array, bytes: number): CollectedChannel {
  const isTruncated = all.length < bytes;
  const whole = isTruncated ? withoutHalfCharacter(all) : all;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(whole);
    return { untrusted: true, bytes, returnedBytes: whole.length, isTruncated, text };
  } catch {
    // Not UTF-8: handed over byte for byte, never repaired.
    return { untrusted: true, bytes, returnedBytes: all.length, isTruncated, base64: Buffer.from(all).toString("base64") };
  }
}

/** Keeps the first `maximumBytes` of both channels together, in the order they came. */
export class OutputCollector {
  #left: number;
  readonly #kept: Record<Channel, Uint8Array[]> = { stdout: [], stderr: [] };
  readonly #bytes = { stdout: 0, stderr: 0 };

  constructor(maximumBytes: number) {
    this.#left = maximumBytes;
  }

  add(channel: Channel, bytes: Uint8Array): void {
    this.#bytes[channel] += bytes.length;
    if (this.#left === 0) return;
    // A copy: the sender may use its buffer again.
    const part = Uint8Array.from(bytes.subarray(0, this.#left));
    this.#left -= part.length;
    this.#kept[channel].push(part);
  }

  /** Of both channels, kept or not. */
  get totalBytes(): number {
    return this.#bytes.stdout + this.#bytes.stderr;
  }

  kept(channel: Channel): Buffer {
    return Buffer.concat(this.#kept[channel]);
  }

  isTruncated(channel: Channel): boolean {
    return this.#kept[channel].reduce((sum, { length }) => sum + length, 0) < this.#bytes[channel];
  }

  describe(channel: Channel): CollectedChannel {
    return describe(this.kept(channel), this.#bytes[channel]);
  }
}

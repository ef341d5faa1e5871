// The last of the output of a detached command, for `logs` and for whoever attaches. Bounded in bytes, and in pieces, each of which takes more memory
// than a byte does: those of one channel are joined while they are short.
import type { OutputChunk } from "../contracts/boundary.ts";

const bytesMax = 64 * 1024;
const piecesMax = 4096;
const joinedMax = 4096;

export class KeptOutput {
  readonly #pieces: OutputChunk[] = [];
  #bytes = 0;
  #dropped = 0;

  add({ channel, bytes }: OutputChunk): void {
    const last = this.#pieces.at(-1);
    const isJoined = last?.channel === channel && last.bytes.length + bytes.length <= joinedMax;
    // A copy: the sender may use its buffer again.
    if (isJoined) this.#pieces.splice(-1, 1, { channel, bytes: Uint8Array.from(Buffer.concat([last.bytes, bytes])) });
    else this.#pieces.push({ channel, bytes: Uint8Array.from(bytes) });
    this.#bytes += bytes.length;
    while (this.#bytes > bytesMax || this.#pieces.length > piecesMax) this.#dropFirst();
  }

  #dropFirst(): void {
    const first = this.#pieces.shift();
    if (first === undefined) return;
    const excess = this.#pieces.length < piecesMax ? this.#bytes - bytesMax : first.bytes.length;
    const rest = first.bytes.length > excess ? first.bytes.subarray(excess) : undefined;
    const dropped = rest === undefined ? first.bytes.length : excess;
    if (rest !== undefined) this.#pieces.unshift({ channel: first.channel, bytes: rest });
    this.#bytes -= dropped;
    this.#dropped += dropped;
  }

  /** In the order in which they came. */
  get pieces(): readonly OutputChunk[] {
    return this.#pieces.slice();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces.map(({ bytes }) => bytes));
  }

  get droppedBytes(): number {
    return this.#dropped;
  }
}

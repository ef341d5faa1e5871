// Memory that one connection reads into again and again: more while bytes come fast, little while they do not, and together never more than
// its sandbox may have. For each 64 KiB of an ordinary socket Node makes a buffer, which costs more than copying what is in it.

const leastBytes = 16 << 10;
const mostBytes = 1 << 20;
/** Four times more, or less. */
const step = 2;
/** A read that fills no more than this part shows that less would do. */
const littleUsed = 16;

/** What the connections of one sandbox may have beside the least: 16 of the fastest. */
export const extraBytesOfSandbox = 16 << 20;

/** Counts what is taken beyond the least. */
export class ExtraMemory {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

export class ReadingMemory {
  readonly #extra: ExtraMemory;
  #bytes = Buffer.allocUnsafeSlow(leastBytes);

  constructor(extra: ExtraMemory) {
    this.#extra = extra;
  }

  /** What the next read fills. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** After a read whose bytes nobody needs any more. @param most a power of four times the least */
  adapt(readBytes: number, most = mostBytes): void {
    const size = this.#bytes.length;
    if (readBytes === size && size < most) this.#resize(size << step);
    else if (readBytes * littleUsed <= size && size > leastBytes) this.#resize(size >> step);
  }

  #resize(size: number): void {
    const more = size - this.#bytes.length;
    if (more > 0 && !this.#extra.take(more)) return;
    if (more < 0) this.#extra.giveBack(-more);
    this.#bytes = Buffer.allocUnsafeSlow(size);
  }

  /** The connection is over. Idempotent. */
  release(): void {
    this.#extra.giveBack(this.#bytes.length - leastBytes);
    this.#bytes = Buffer.allocUnsafeSlow(leastBytes);
  }
}

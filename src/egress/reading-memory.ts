// Memory that connections read into again and again: more while bytes come fast, little while they do not, and together never more than their
// sandbox may have. For each 64 KiB of an ordinary socket Node makes a buffer, which costs more than copying what is in it. What one connection has
// done with serves the next of the same sandbox: memory outside the heap that is made for each would keep the collector busy.

const leastBytes = 16 << 10;
const mostBytes = 1 << 20;
/** Four times more, or less. */
const step = 2;
/** A read that fills no more than this part shows that less would do. */
const littleUsed = 16;
/** Of the least size, kept for connections to come. */
const mostSpare = 64;

/** What the connections of one sandbox may have beside the least: 16 of the fastest. */
export const extraBytesOfSandbox = 16 << 20;

/** Of one sandbox: what is taken beyond the least, and what waits to be used again. */
export class SandboxMemory {
  readonly #spare: Buffer[] = [];
  #extraLeft: number;

  constructor(extraBytes: number) {
    this.#extraLeft = extraBytes;
  }

  takeExtra(bytes: number): boolean {
    if (bytes > this.#extraLeft) return false;
    this.#extraLeft -= bytes;
    return true;
  }

  giveExtraBack(bytes: number): void {
    this.#extraLeft += bytes;
  }

  takeLeast(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(leastBytes);
  }

  /** @param bytes in which nobody reads or writes any more */
  giveLeastBack(bytes: Buffer): void {
    if (bytes.length === leastBytes && this.#spare.length < mostSpare) this.#spare.push(bytes);
  }
}

const nothing = Buffer.alloc(0);

export class ReadingMemory {
  readonly #sandbox: SandboxMemory;
  #bytes: Buffer;

  constructor(sandbox: SandboxMemory) {
    this.#sandbox = sandbox;
    this.#bytes = sandbox.takeLeast();
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
    if (more > 0 && !this.#sandbox.takeExtra(more)) return;
    if (more < 0) this.#sandbox.giveExtraBack(-more);
    this.#sandbox.giveLeastBack(this.#bytes);
    this.#bytes = size === leastBytes ? this.#sandbox.takeLeast() : Buffer.allocUnsafeSlow(size);
  }

  /** The connection is over: it reads no more. Idempotent. @param isLent what was read last is still being sent, and nobody else may overwrite it */
  release(isLent: boolean): void {
    if (this.#bytes === nothing) return;
    this.#sandbox.giveExtraBack(this.#bytes.length - leastBytes);
    if (!isLent) this.#sandbox.giveLeastBack(this.#bytes);
    this.#bytes = nothing;
  }
}

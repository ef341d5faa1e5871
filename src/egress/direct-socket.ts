// A connection to the outside that nothing stands between. Like any socket it can be listened to; when all that is left to do is to carry its bytes
// on, `carry` hands them over in memory that is read into again.
import { type OnReadOpts, Socket } from "node:net";
import { ReadingMemory, type SandboxMemory } from "./reading-memory.ts";

/**
 * Takes bytes before it returns, or later: then it returns false and calls `taken` once they are. Until then nothing more is read.
 * @param bytes overwritten as soon as they are taken
 */
export type TakeBytes = (bytes: Uint8Array, taken: () => void) => boolean;

/** For whoever listens, as much at once as from any socket. */
const mostCopied = 64 << 10;

interface Reading extends OnReadOpts {
  read: (length: number) => boolean;
}

/** Before the socket there is nobody to read for. */
function readingFrom(memory: ReadingMemory): Reading {
  const reading: Reading = {
    buffer: () => memory.bytes,
    callback: (length) => reading.read(length),
    read: () => false,
  };
  return reading;
}

export class DirectSocket extends Socket {
  readonly #memory: ReadingMemory;
  #take: TakeBytes | undefined;
  /** The memory holds bytes that are not taken yet. */
  #isLent = false;

  constructor(sandbox: SandboxMemory) {
    const memory = new ReadingMemory(sandbox);
    const reading = readingFrom(memory);
    super({ allowHalfOpen: true, onread: reading });
    this.#memory = memory;
    reading.read = (length) => this.#onRead(length);
    this.once("close", () => memory.release(this.#isLent));
  }

  /** From now on, bytes go to `take` alone, in order, those first that have come already. */
  carry(take: TakeBytes): void {
    const early: unknown = this.read();
    this.#take = take;
    if (early instanceof Uint8Array && !this.#give(take, early)) this.pause();
    else this.resume();
  }

  #onRead(length: number): boolean {
    // What is not taken yet has just been overwritten: nobody may get it.
    if (this.#isLent) {
      this.destroy(new Error("read into memory in use"));
      return false;
    }
    const bytes = this.#memory.bytes.subarray(0, length);
    if (this.#take === undefined) return this.#pushCopy(bytes);
    const isTaken = this.#give(this.#take, bytes);
    if (isTaken) this.#memory.adapt(length);
    return isTaken;
  }

  #pushCopy(bytes: Uint8Array): boolean {
    const copy = Buffer.from(bytes);
    this.#memory.adapt(copy.length, mostCopied);
    return this.push(copy);
  }

  #give(take: TakeBytes, bytes: Uint8Array): boolean {
    this.#isLent = !take(bytes, () => this.#onTaken());
    return !this.#isLent;
  }

  #onTaken(): void {
    if (!this.#isLent) return;
    this.#isLent = false;
    if (!this.destroyed) this.resume();
  }
}

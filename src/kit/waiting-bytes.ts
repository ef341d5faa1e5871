// Bytes of channels that wait for their one reader: as they came while they are few pieces, and behind these joined, channel by channel. So memory
// follows the bytes that wait and not the number of their pieces: a program that writes single bytes costs a reader's memory some hundred times as much.

/** Kept as they came, in their order. */
const loosePieces = 32;
const blockBytes = { least: 4096, most: 64 * 1024 };

interface Piece<Channel> {
  readonly channel: Channel;
  readonly bytes: Uint8Array;
}

interface Block {
  bytes: Uint8Array;
  used: number;
}

function fill(block: Block, bytes: Uint8Array): number {
  const { length } = block.bytes;
  if (block.used + bytes.length > length && length < blockBytes.most) {
    const more = new Uint8Array(Math.min(blockBytes.most, Math.max(2 * length, block.used + bytes.length)));
    more.set(block.bytes.subarray(0, block.used));
    block.bytes = more;
  }
  const taken = bytes.subarray(0, block.bytes.length - block.used);
  block.bytes.set(taken, block.used);
  block.used += taken.length;
  return taken.length;
}

export class WaitingBytes<Channel> {
  readonly #loose: Piece<Channel>[] = [];
  /** The channel that waits longest comes first. */
  readonly #joined = new Map<Channel, Block[]>();

  /** @param bytes kept as they are, and not to be used again by whoever hands them over */
  push(channel: Channel, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#joined.size === 0 && this.#loose.length < loosePieces) this.#loose.push({ channel, bytes });
    else this.#join(channel, bytes);
  }

  #join(channel: Channel, bytes: Uint8Array): void {
    const blocks = this.#joined.get(channel) ?? [];
    this.#joined.set(channel, blocks);
    for (let rest = bytes; rest.length > 0;) {
      const last = blocks.at(-1);
      const taken = last === undefined ? 0 : fill(last, rest);
      rest = rest.subarray(taken);
      if (taken === 0) blocks.push({ bytes: new Uint8Array(blockBytes.least), used: 0 });
    }
  }

  /** All that wait, channel by channel where they were joined. */
  shiftAll(): Buffer {
    const pieces: Uint8Array[] = [];
    for (let next = this.shift(); next !== undefined; next = this.shift()) pieces.push(next.bytes);
    return Buffer.concat(pieces);
  }

  /** The next bytes; undefined when none wait. Of one channel they come in order. */
  shift(): Piece<Channel> | undefined {
    const piece = this.#loose.shift();
    if (piece !== undefined) return piece;
    for (const [channel, blocks] of this.#joined) {
      const block = blocks.shift();
      this.#joined.delete(channel);
      if (blocks.length > 0) this.#joined.set(channel, blocks);
      if (block !== undefined) return { channel, bytes: block.bytes.subarray(0, block.used) };
    }
    return undefined;
  }
}

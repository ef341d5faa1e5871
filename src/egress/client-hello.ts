// The server name of a TLS ClientHello, read without trusting a byte of it (RFC 8446, RFC 6066). It reads nothing else and changes nothing.

export type HelloReading =
  | { readonly kind: "more" }
  | { readonly kind: "invalid" }
  /** `undefined`: the client names no server. */
  | { readonly kind: "hello"; readonly serverName: string | undefined };

/** Larger than any honest one: with post-quantum key shares they have some 2 KiB. */
export const longestHello = 32 * 1024;

const handshakeRecord = 22;
const clientHello = 1;
const serverNameExtension = 0;

class Malformed extends Error {}

/** Reads forwards within its bounds or throws. */
class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Malformed();
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }

  number(size: 1 | 2 | 3): number {
    return this.take(size).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#at);
  }

  /** A vector: its length in `size` bytes, then its content. */
  vector(size: 1 | 2 | 3): Cursor {
    return new Cursor(this.take(this.number(size)));
  }
}

/** Honest clients use one, or a few where they split on purpose. */
const mostRecords = 8;

/** The content of the first handshake message; undefined when it is not whole yet. */
function handshakeMessage(bytes: Uint8Array): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  for (let at = 0; at + 5 <= bytes.length;) {
    const [type, major, , high = 0, low = 0] = bytes.subarray(at, at + 5);
    const size = high * 256 + low;
    if (type !== handshakeRecord || major !== 3 || size === 0 || size > 16_384 || parts.length === mostRecords) throw new Malformed();
    if (at + 5 + size > bytes.length) return undefined;
    parts.push(bytes.subarray(at + 5, at + 5 + size));
    at += 5 + size;
    const joined = Buffer.concat(parts);
    if (joined[0] !== clientHello) throw new Malformed();
    if (joined.length < 4) continue;
    const length = joined.readUIntBE(1, 3);
    // Nothing but the hello may come before the server has spoken.
    if (length > longestHello || joined.length > 4 + length) throw new Malformed();
    if (joined.length === 4 + length) return joined.subarray(4);
  }
  return undefined;
}

/** Exactly one name, of the only kind there is. */
function serverNameOf(extension: Cursor): string {
  const list = extension.vector(2);
  if (list.number(1) !== 0) throw new Malformed();
  const name = list.vector(2).rest();
  if (name.length === 0 || !list.isAtEnd || !extension.isAtEnd || name.some((byte) => byte <= 0x20 || byte >= 0x7f)) throw new Malformed();
  return Buffer.from(name).toString("latin1");
}

function readExtensions(extensions: Cursor): string | undefined {
  const seen = new Set<number>();
  let serverName: string | undefined;
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const content = extensions.vector(2);
    // Two of a kind: which one the server takes, nobody knows.
    if (seen.has(type)) throw new Malformed();
    seen.add(type);
    if (type === serverNameExtension) serverName = serverNameOf(content);
  }
  return serverName;
}

function readHello(hello: Cursor): string | undefined {
  hello.take(2 + 32); // version, random
  if (hello.vector(1).rest().length > 32) throw new Malformed(); // session id
  const suites = hello.vector(2).rest().length;
  const compressions = hello.vector(1).rest().length;
  if (suites < 2 || suites % 2 !== 0 || compressions === 0) throw new Malformed();
  const serverName = hello.isAtEnd ? undefined : readExtensions(hello.vector(2));
  if (!hello.isAtEnd) throw new Malformed();
  return serverName;
}

/** @param bytes everything that the client has sent so far */
export function readClientHello(bytes: Uint8Array): HelloReading {
  try {
    const message = handshakeMessage(bytes);
    if (message !== undefined) return { kind: "hello", serverName: readHello(new Cursor(message)) };
    return { kind: bytes.length > longestHello ? "invalid" : "more" };
  } catch (error) {
    if (error instanceof Malformed) return { kind: "invalid" };
    throw error;
  }
}

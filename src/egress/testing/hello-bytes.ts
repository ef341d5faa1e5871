// Writes ClientHello messages for tests, honest ones and others.

export interface HelloParts {
  readonly serverName?: string;
  /** Type of the entry in the list of names. */
  readonly nameType?: number;
  readonly extensions?: readonly (readonly [number, Uint8Array])[];
  readonly suites?: number;
  /** Bytes behind the extensions. */
  readonly trailing?: number;
  /** Sizes of the records that the message is cut into; the rest follows in one. */
  readonly cuts?: readonly number[];
}

function sized(size: 1 | 2 | 3, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(size);
  length.writeUIntBE(content.length, 0, size);
  return Buffer.concat([length, content]);
}

function extension(type: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([type >> 8, type & 255]), sized(2, content)]);
}

function record(content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([22, 3, 1]), sized(2, content)]);
}

export function helloBytes({ serverName, nameType = 0, extensions = [], suites = 2, trailing = 0, cuts = [] }: HelloParts = {}): Buffer {
  const names =
    serverName === undefined ? [] : [extension(0, sized(2, Buffer.from([nameType]), sized(2, Buffer.from(serverName, "latin1"))))];
  const others = extensions.map(([type, content]) => extension(type, content));
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    sized(1, Buffer.alloc(32, 9)),
    sized(2, Buffer.alloc(2 * suites, 0x13)),
    sized(1, Buffer.from([0])),
    sized(2, ...others.slice(0, 1), ...names, ...others.slice(1)),
    Buffer.alloc(trailing),
  ]);
  const message = Buffer.concat([Buffer.from([1]), sized(3, body)]);
  const ends = cuts.reduce<readonly number[]>((list, cut) => [...list, (list.at(-1) ?? 0) + cut], []);
  return Buffer.concat([0, ...ends].map((start, index) => record(message.subarray(start, ends[index] ?? message.length))));
}

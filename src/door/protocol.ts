// The numbers of the door's protocol: docs/door-protocol.md.

export const sizes = {
  version: 4,
  dataMax: 65_536,
  controlMax: 16_384,
  /** Of the PARTs of one request. */
  partsMax: 2_097_152,
  streamsMax: 64,
  credit: 262_144,
  idBytes: 32,
  tokenBytes: 32,
  execBytes: 88,
  /** The fixed part. */
  resultBytes: 96,
} as const;

export const frameTypes = {
  hello: 0x01,
  credit: 0x02,
  part: 0x10,
  exec: 0x11,
  ask: 0x12,
  stdin: 0x14,
  stdinEnd: 0x15,
  signal: 0x16,
  resize: 0x17,
  cancel: 0x18,
  started: 0x40,
  stdout: 0x41,
  stderr: 0x42,
  result: 0x43,
  answer: 0x44,
  refused: 0x45,
  end: 0x46,
  asked: 0x47,
  outputEnd: 0x48,
} as const;

export const execFlags = { pty: 1, detached: 2, noInput: 4, chinese: 8, tellsAsked: 16 } as const;
export const channels = { stdin: 0, stdout: 1, stderr: 2 } as const;
export const outcomes = ["ok", "failed", "denied", "limit", "timeout", "cancelled", "lost"] as const;
export const childKinds = ["none", "exited", "signalled", "not-started", "lost"] as const;

const { part, stdin, stdout, stderr } = frameTypes;
const dataTypes: ReadonlySet<number> = new Set([part, stdin, stdout, stderr]);
const both = [frameTypes.hello, frameTypes.credit, part];
const fromClient: ReadonlySet<number> = new Set([
  ...both,
  frameTypes.exec,
  frameTypes.ask,
  stdin,
  frameTypes.stdinEnd,
  frameTypes.signal,
  frameTypes.resize,
  frameTypes.cancel,
]);
const fromBroker: ReadonlySet<number> = new Set([
  ...both,
  frameTypes.started,
  stdout,
  stderr,
  frameTypes.result,
  frameTypes.answer,
  frameTypes.refused,
  frameTypes.end,
  frameTypes.asked,
  frameTypes.outputEnd,
]);

/** The longest payload of a type that this side may send; undefined for any other type. */
export function longestFrom(side: "client" | "broker"): (type: number) => number | undefined {
  const known = side === "client" ? fromClient : fromBroker;
  return (type) => (known.has(type) ? (dataTypes.has(type) ? sizes.dataMax : sizes.controlMax) : undefined);
}

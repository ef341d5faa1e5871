// The numbers of the guard's protocol, as native/protocol.h defines them; protocol.test.ts proves that the two are equal.

export const sizes = {
  version: 1,
  header: 12,
  dataMax: 65_536,
  controlMax: 16_384,
  streamsMax: 256,
  credit: 262_144,
  argumentsMax: 2_097_152,
  rlimitsMax: 16,
  rootsMax: 32,
  namesMax: 256,
  pathsMax: 4096,
  nameMax: 63,
  touchHeader: 32,
  touchListedMax: 134_217_728,
  rootFailed: 0x8000_0000,
  readRulesMax: 1024,
  segmentsMax: 62,
  refusedMax: 100,
  landlockAbiMin: 6,
} as const;

export const frameTypes = {
  hello: 0x01,
  credit: 0x02,
  landlockRule: 0x10,
  seal: 0x11,
  args: 0x12,
  exec: 0x13,
  stdin: 0x14,
  stdinEnd: 0x15,
  signal: 0x16,
  resize: 0x17,
  killTree: 0x18,
  writeRoot: 0x19,
  listedName: 0x1a,
  listedPath: 0x1b,
  touchLog: 0x1f,
  readRule: 0x1c,
  readExempt: 0x1d,
  strict: 0x1e,
  nested: 0x21,
  sharedLock: 0x20,
  ready: 0x40,
  failed: 0x41,
  started: 0x42,
  notStarted: 0x43,
  wallMissing: 0x44,
  stdout: 0x45,
  stderr: 0x46,
  outputEnd: 0x47,
  exited: 0x48,
  treeGone: 0x49,
  refused: 0x4a,
  refusedTotal: 0x4b,
  fileLimit: 0x4c,
} as const;

export const channels = { stdin: 0, stdout: 1, stderr: 2 } as const;
export const features = { testBuild: 0x1 } as const;
export const execFlags = { pty: 0x1, output: 0x2 } as const;
/** Frames of the programs that read files inside; see collected-frames.ts. */
export const collected = { entry: 0x60, bytes: 0x61, content: 0x62, end: 0x63 } as const;
export const contents = { whole: 0, changed: 1, unreadable: 2, tooLarge: 3 } as const;
export const domains = { both: 0, command: 1, session: 2 } as const;
export const exitedHow = { code: 0, signal: 1 } as const;
export const stages = { fork: 1, terminal: 2, cwd: 3, exec: 4, output: 5 } as const;

/** Bits of READY. */
export const layers = {
  descriptors: 0x1,
  noNewPrivs: 0x2,
  capabilities: 0x4,
  rlimits: 0x8,
  landlock: 0x10,
  seccomp: 0x20,
  mediation: 0x40,
  all: 0x7f,
} as const;
export type LayerName = Exclude<keyof typeof layers, "all">;

/** What FAILED and WALL_MISSING name. */
export const walls = {
  descriptors: 1,
  noNewPrivs: 2,
  capabilities: 3,
  rlimits: 4,
  landlock: 5,
  seccomp: 6,
  proc: 7,
  mediation: 8,
} as const;

/** What REFUSED names: the call, by what it does. */
export const calls = {
  open: 1,
  mkdir: 2,
  mknod: 3,
  rename: 4,
  link: 5,
  symlink: 6,
  truncate: 7,
  bind: 8,
  connect: 9,
  attributes: 10,
  remove: 11,
} as const;

/** What REFUSED names: why. */
export const rules = {
  listedName: 1,
  gitConfig: 2,
  gitHook: 3,
  gitPointer: 4,
  gitPointerUnwritten: 13,
  gitStructure: 5,
  device: 6,
  folding: 7,
  listedPath: 8,
  hostSocket: 9,
  crowded: 10,
  deniedRead: 11,
  outside: 12,
  noNetwork: 14,
} as const;

/** Records of the touch log. */
export const touchRecords = { path: 1, content: 2, again: 3 } as const;
/** Whether a content is in it. */
export const touchKept = { kept: 0, tooLarge: 1, noRoom: 2, unreadable: 3 } as const;
/** What a READ_RULE does. */
export const reads = { denyLiteral: 1, denyGlob: 2, allowLiteral: 3 } as const;

/** Parts of a READ_RULE between slashes. */
export const segments = { literal: 1, glob: 2, any: 3 } as const;

/** How the guard's process ends. */
export const exitStatus = { closed: 0, usage: 70, testOption: 71, protocol: 72, wall: 73, internal: 74 } as const;

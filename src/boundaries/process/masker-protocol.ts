// The numbers of native/masker-protocol.h. A unit test compares the two.

export const maskerSizes = {
  header: 5,
  frameMax: 16_384,
  rulesMax: 1024,
  placesMax: 4096,
  segmentsMax: 62,
  pathMax: 4095,
  targetsMax: 256,
  watchesMax: 524_288,
} as const;

export const maskerTypes = {
  place: 1,
  rule: 2,
  exempt: 3,
  go: 4,
  settle: 5,
  untold: 6,
  found: 0x41,
  ready: 0x42,
  late: 0x43,
  trouble: 0x44,
  behind: 0x45,
  settled: 0x46,
} as const;
export const maskerKinds = { literal: 1, glob: 2 } as const;
export const maskerSegments = { literal: 1, glob: 2, any: 3 } as const;
export const maskerMarks = { directory: 1, linked: 2, cut: 4, target: 8, names: 16 } as const;

export const troubleNames = [
  "usage",
  "join",
  "seal",
  "instances",
  "watches",
  "unwatchable",
  "closed",
  "mask",
  "targets",
  "memory",
  "scan",
] as const;
export type MaskerTrouble = (typeof troubleNames)[number];
export const maskerTroubles = {
  usage: 1,
  join: 2,
  seal: 3,
  instances: 4,
  watches: 5,
  unwatchable: 6,
  closed: 7,
  mask: 9,
  targets: 10,
  memory: 11,
  scan: 12,
} as const satisfies Record<MaskerTrouble, number>;

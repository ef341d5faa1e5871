// Landlock's file system rights by name, and the sets that rules are made of.

/** Bits of linux/landlock.h, LANDLOCK_ACCESS_FS_*. */
export const landlockRights = {
  execute: 1n << 0n,
  writeFile: 1n << 1n,
  readFile: 1n << 2n,
  readDir: 1n << 3n,
  removeDir: 1n << 4n,
  removeFile: 1n << 5n,
  makeChar: 1n << 6n,
  makeDir: 1n << 7n,
  makeReg: 1n << 8n,
  makeSock: 1n << 9n,
  makeFifo: 1n << 10n,
  makeBlock: 1n << 11n,
  makeSym: 1n << 12n,
  refer: 1n << 13n,
  truncate: 1n << 14n,
  ioctlDev: 1n << 15n,
} as const;
export type LandlockRight = keyof typeof landlockRights;

export function combineRights(names: readonly LandlockRight[]): bigint {
  return names.reduce((rights, name) => rights | landlockRights[name], 0n);
}

/** The names in a set of rights, lowest bit first. */
export function nameRights(rights: bigint): readonly LandlockRight[] {
  const names: LandlockRight[] = [];
  for (const [name, bit] of Object.entries(landlockRights)) if ((rights & bit) !== 0n && isRight(name)) names.push(name);
  return names;
}

function isRight(name: string): name is LandlockRight {
  return name in landlockRights;
}

const read: readonly LandlockRight[] = ["execute", "readFile", "readDir"];

/** Sets for rules. What is not a directory keeps only the rights that files have: the guard masks the rest. */
export const rightsFor = {
  /** Names of entries, no content. */
  list: combineRights(["readDir"]),
  read: combineRights(read),
  /** Everything below a write root, except devices: there is no right to make one. */
  write: combineRights([
    ...read,
    "writeFile",
    "removeDir",
    "removeFile",
    "makeDir",
    "makeReg",
    "makeSock",
    "makeFifo",
    "makeSym",
    "refer",
    "truncate",
  ]),
  /** A write root as commands see it: what writes, makes or removes a name is the mediator's. */
  mediated: combineRights(read),
  /** A device file such as /dev/null: `>` truncates as well. */
  device: combineRights(["readFile", "writeFile", "truncate", "ioctlDev"]),
  /** /dev/pts: terminals are opened, never made by name. */
  terminal: combineRights(["readFile", "writeFile", "readDir", "ioctlDev"]),
  /** /proc: the links of /proc/self/exe and fd are followed, oom_score_adj and the like are written. */
  processFiles: combineRights([...read, "writeFile", "truncate"]),
} as const;

// What a sandbox keeps: how full its private places are, and by how much the file systems of its write roots have filled since it opened.
import { readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { leastFileBytes } from "../kit/measure-tree.ts";

export interface Fill {
  readonly sizeBytes: number;
  readonly usedBytes: number;
  readonly files: number;
  readonly isFull: boolean;
}

/** Of a private place, which is a file system of its own; undefined when it is gone. */
export function fillOf(place: string): Fill | undefined {
  try {
    const { bsize, blocks, bfree, files, ffree } = statfsSync(place);
    const sizeBytes = bsize * blocks;
    const usedFiles = files - ffree;
    const isFull = blocks > 0 && (bfree === 0 || usedFiles * leastFileBytes >= sizeBytes || ffree === 0);
    return { sizeBytes, usedBytes: bsize * (blocks - bfree), files: usedFiles, isFull };
  } catch {
    return undefined; // the sandbox is gone
  }
}

interface Free {
  readonly bytes: number;
  readonly files: number;
}

function freeOf(root: string): Free | undefined {
  try {
    const { bsize, bavail, ffree } = statfsSync(root);
    return { bytes: bsize * bavail, files: ffree };
  } catch {
    return undefined; // the root is gone, and nothing can be added to it
  }
}

/** One root for each file system, by its device. */
function byFileSystem(roots: readonly string[]): ReadonlyMap<number, string> {
  const devices = new Map<number, string>();
  for (const root of roots) {
    try {
      const { dev } = statSync(root);
      if (!devices.has(dev)) devices.set(dev, root);
    } catch {
      continue; // as above
    }
  }
  return devices;
}

/** Bytes that processes had written to devices when the kernel was asked, their reaped children's included. */
export function writtenBytes(proc: string, pids: readonly string[]): number {
  let written = 0;
  for (const pid of pids) {
    try {
      const io = readFileSync(`${proc}/${pid}/io`, "latin1");
      written += Number(/^write_bytes: (\d+)$/mu.exec(io)?.[1] ?? 0);
    } catch {
      continue; // it ended between two looks
    }
  }
  return written;
}

/** Files of the roots' devices that have no name any more and that a process holds open. */
export function namelessBytes(proc: string, pids: readonly string[], roots: readonly string[]): number {
  const devices = byFileSystem(roots);
  const files = new Map<string, number>();
  for (const directory of pids.map((pid) => `${proc}/${pid}/fd`)) {
    try {
      for (const name of readdirSync(directory)) {
        const { nlink, dev, ino, blocks } = statSync(`${directory}/${name}`);
        if (nlink === 0 && devices.has(dev)) files.set(`${dev}:${ino}`, blocks * 512);
      }
    } catch {
      continue; // it ended between two looks
    }
  }
  return files.values().reduce((sum, bytes) => sum + bytes, 0);
}

/** Never more than nine tenths of what was free: the host's disk is not the sandbox's to fill. */
const hostShare = 0.9;

export interface Growth {
  readonly grownBytes: number;
  /** What was free at the start is nearly used up, whoever used it. */
  readonly isHostNearlyFull: boolean;
}

/** The write roots' file systems since it was made. Cheap: asks for free space only. */
export class RootGrowth {
  readonly #atOpen: readonly { readonly root: string; readonly free: Free }[];
  readonly #limitBytes: number;

  constructor(roots: readonly string[], limitBytes: number) {
    this.#limitBytes = limitBytes;
    this.#atOpen = [...byFileSystem(roots).values()].flatMap((root) => {
      const free = freeOf(root);
      return free === undefined ? [] : [{ root, free }];
    });
  }

  /** The smaller of the policy's limit and the share of what was free. */
  get allowedBytes(): number {
    return Math.min(this.#limitBytes, ...this.#atOpen.map(({ free }) => Math.floor(free.bytes * hostShare)));
  }

  look(): Growth {
    let grownBytes = 0;
    let isHostNearlyFull = false;
    for (const { root, free } of this.#atOpen) {
      const now = freeOf(root);
      if (now === undefined) continue;
      const files = Math.max(0, free.files - now.files) * leastFileBytes;
      grownBytes += Math.max(0, free.bytes - now.bytes, files);
      isHostNearlyFull ||= free.bytes - now.bytes > free.bytes * hostShare;
    }
    return { grownBytes, isHostNearlyFull };
  }
}

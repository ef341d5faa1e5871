// For tests: durable files that can forget what was never synced, as a device does when the power goes.
// Names (directory entries) are taken to last once made; contents only when synced.
import { fstatSync, readFileSync, statSync, truncateSync, unlinkSync } from "node:fs";
import { type DurableFiles, durableFiles } from "../ledger.ts";
import { unsyncedFiles } from "./ledger-fixture.ts";

export interface PowerCutFiles {
  readonly files: DurableFiles;
  count(): number;
  /** Cuts every file back to what was synced of it; files of which nothing was vanish. */
  lose(): void;
}

const identity = (stats: { readonly dev: number; readonly ino: number }): string => `${stats.dev}:${stats.ino}`;

/** @param at the change from which on the power is off */
export function powerCutFiles(at: number): PowerCutFiles {
  let count = 0;
  /** Synced size by file, and every name a file ever got. */
  const synced = new Map<string, number>();
  const names = new Map<string, string>();
  const step = (): void => {
    count += 1;
    if (count >= at) throw Object.assign(new Error("EIO: the power is off"), { code: "EIO" });
  };
  const name = (file: string): void => {
    names.set(file, identity(statSync(file)));
  };
  const files: DurableFiles = {
    ...unsyncedFiles,
    create: (file, bytes) => {
      step();
      durableFiles.create(file, bytes);
      name(file);
    },
    openLog: (file) => {
      step();
      const descriptor = durableFiles.openLog(file);
      name(file);
      return descriptor;
    },
    append: (descriptor, bytes) => {
      step();
      durableFiles.append(descriptor, bytes);
    },
    rename: (from, to) => {
      step();
      durableFiles.rename(from, to);
      names.delete(from);
      name(to);
    },
    link: (from, to) => {
      step();
      durableFiles.link(from, to);
      name(to);
    },
    sync: async (descriptor) => {
      step();
      const stats = fstatSync(descriptor);
      synced.set(identity(stats), stats.size);
    },
    syncPath: async (file) => {
      step();
      const stats = statSync(file);
      if (stats.isFile()) synced.set(identity(stats), stats.size);
    },
  };
  const lose = (): void => {
    for (const [file, id] of names) {
      const found = statSync(file, { throwIfNoEntry: false });
      if (found === undefined || identity(found) !== id) continue;
      const kept = synced.get(id) ?? 0;
      if (kept === 0 && readFileSync(file).length > 0 && !file.endsWith(".log")) unlinkSync(file);
      else if (kept < found.size) truncateSync(file, kept);
    }
  };
  return { files, count: () => count, lose };
}

// For tests: durable files whose n-th change fails as on a full disk, having done half of it.
import type { DurableFiles } from "../ledger.ts";
import { unsyncedFiles } from "./ledger-fixture.ts";

export interface FailingFiles {
  readonly files: DurableFiles;
  /** Changes asked for so far. */
  count(): number;
}

function fullDisk(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
}

/** @param options.at the first change that fails, from 1; @param options.forever whether all later ones fail too */
export function failingFiles(options: { readonly at: number; readonly forever: boolean }): FailingFiles {
  let count = 0;
  const due = (): boolean => {
    count += 1;
    return options.forever ? count >= options.at : count === options.at;
  };
  const check = (): void => {
    if (due()) throw fullDisk();
  };
  const real = unsyncedFiles;
  const files: DurableFiles = {
    makeDirectory: (directory) => {
      check();
      real.makeDirectory(directory);
    },
    create: (file, bytes) => {
      if (!due()) return void real.create(file, bytes);
      real.create(file, bytes.subarray(0, bytes.length / 2));
      throw fullDisk();
    },
    openLog: (file) => {
      check();
      return real.openLog(file);
    },
    append: (descriptor, bytes) => {
      if (!due()) return void real.append(descriptor, bytes);
      real.append(descriptor, bytes.subarray(0, bytes.length / 2));
      throw fullDisk();
    },
    truncate: (descriptor, size) => {
      check();
      real.truncate(descriptor, size);
    },
    rename: (from, to) => {
      check();
      real.rename(from, to);
    },
    link: (from, to) => {
      check();
      real.link(from, to);
    },
    unlink: (file) => {
      check();
      real.unlink(file);
    },
    sync: async (descriptor) => {
      check();
      await real.sync(descriptor);
    },
    syncPath: async (file) => {
      check();
      await real.syncPath(file);
    },
  };
  return { files, count: () => count };
}

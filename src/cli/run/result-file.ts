// `--result-file`: its directory is opened before anything starts and held, so that a command that swaps the directory for a link cannot choose
// where we write; the file is written atomically when everything is over, also when the run was refused. INVARIANT I-04
import { constants } from "node:fs";
import { access, type FileHandle, lstat, open } from "node:fs/promises";
import path from "node:path";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import type { RunResultFile } from "../../contracts/run-result-file.ts";
import { writeFileAtomically } from "../../kit/atomic-file.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { usageError } from "../usage-error.ts";

export interface ResultFile {
  /** @throws RESULT_UNWRITABLE when it cannot be written any more (the disk is full) */
  write(document: RunResultFile): Promise<void>;
  close(): Promise<void>;
}

async function openDirectory(file: string): Promise<FileHandle> {
  const directory = path.dirname(file);
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY).catch((error: unknown) => {
    const isClosed = ["EACCES", "EPERM"].includes(systemErrorCode(error) ?? "");
    throw usageError(isClosed ? "usage.result-directory-closed" : "usage.result-directory-missing", { file, directory });
  });
  const isWritable = await access(`/proc/self/fd/${handle.fd}`, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isWritable) return handle;
  await handle.close();
  throw usageError("usage.result-directory-closed", { file, directory });
}

/**
 * @param file absolute
 * @throws USAGE_INVALID when its directory is missing or not writable, or something that is no regular file has its name
 */
export async function openResultFile(file: string): Promise<ResultFile> {
  const handle = await openDirectory(file);
  const place = `/proc/self/fd/${handle.fd}/${path.basename(file)}`;
  const present = await lstat(place).catch(() => undefined);
  // The write ends in a rename: it must not replace a device, a pipe or a link that somebody else may have placed.
  if (present !== undefined && !present.isFile()) {
    await handle.close();
    throw usageError("usage.result-file-special", { file });
  }
  return {
    write: async (document) => {
      try {
        await writeFileAtomically(place, printableJson(document), 0o600);
      } catch (error) {
        const errno = systemErrorCode(error) ?? "unknown";
        throw new GloveboxError("RESULT_UNWRITABLE", "cli.result-file-unwritable", { values: { file, errno }, cause: error });
      }
    },
    close: () => handle.close(),
  };
}

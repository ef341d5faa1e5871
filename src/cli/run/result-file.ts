// `--result-file`: checked before anything starts, written atomically when everything is over, also when the run was refused.
import { constants } from "node:fs";
import { access, lstat, stat } from "node:fs/promises";
import path from "node:path";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import type { RunResultFile } from "../../contracts/run-result-file.ts";
import { writeFileAtomically } from "../../kit/atomic-file.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { usageError } from "../usage-error.ts";

/**
 * @param file absolute
 * @throws USAGE_INVALID when its directory is missing or not writable, or something that is no regular file has its name
 */
export async function checkResultFile(file: string): Promise<void> {
  const directory = path.dirname(file);
  const place = await stat(directory).catch(() => undefined);
  if (place?.isDirectory() !== true) throw usageError("usage.result-directory-missing", { file, directory });
  const isWritable = await access(directory, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) throw usageError("usage.result-directory-closed", { file, directory });
  const present = await lstat(file).catch(() => undefined);
  // The write ends in a rename: it must not replace a device, a pipe or a link that somebody else may have placed.
  if (present !== undefined && !present.isFile()) throw usageError("usage.result-file-special", { file });
}

/** @throws INTERNAL when it cannot be written any more (the disk is full, the directory is gone) */
export async function writeResultFile(file: string, document: RunResultFile): Promise<void> {
  try {
    await writeFileAtomically(file, printableJson(document), 0o600);
  } catch (error) {
    const errno = systemErrorCode(error) ?? "unknown";
    throw new GloveboxError("INTERNAL", "cli.result-file-unwritable", { values: { file, errno }, cause: error });
  }
}

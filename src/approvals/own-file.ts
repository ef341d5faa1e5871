// One small file that this user keeps for the places which a policy names: opened once, and believed only when nobody else could have made it.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { systemErrorCode } from "../contracts/glovebox-error.ts";

export interface OwnFile {
  readonly owners: readonly number[];
  /** Bits of the mode that may not be set. */
  readonly closedTo: number;
  readonly maximumBytes: number;
}

async function readOpened(handle: FileHandle, { owners, closedTo, maximumBytes }: OwnFile): Promise<Uint8Array | string> {
  const found = await handle.stat();
  if (!found.isFile()) return "no-file";
  if (!owners.includes(found.uid) || (found.mode & closedTo) !== 0) return "open-mode";
  return found.size > maximumBytes ? "too-long" : handle.readFile();
}

/** Its bytes, or the word for what is wrong with it. */
export async function readOwnBytes(file: string, own: OwnFile): Promise<Uint8Array | string> {
  try {
    // Nothing here follows a link or waits for a writer.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readOpened(handle, own);
  } catch (error) {
    return systemErrorCode(error) ?? "unknown";
  }
}

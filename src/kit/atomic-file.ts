// Writes a small file so that a reader sees the old content or the new one, on the device, never a mixture.
import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Syncs a directory's entries to the device. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * @param mode permission bits of the file, e.g. 0o600, whatever the umask
 * @param owner of the file; the caller's where absent
 */
export async function writeFileAtomically(file: string, content: string | Uint8Array, mode: number, owner?: FileOwner): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString("hex")}`);
  const handle = await open(temporary, "wx", 0o600);
  try {
    try {
      if (owner !== undefined) await handle.chown(owner.uid, owner.gid);
      await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(path.dirname(file));
}

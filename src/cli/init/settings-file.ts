// Finds, writes and takes away one settings file of another tool, below a directory that it never leaves: a link that leads out is refused, the
// file is replaced whole, and it keeps its mode and owner.
import { lstat, mkdir, readFile, realpath, rm, rmdir, stat } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "../../contracts/glovebox-error.ts";
import { type FileOwner, writeFileAtomically } from "../../kit/atomic-file.ts";
import { holdsDirectory } from "../../kit/holds-directory.ts";
import { realDirectory } from "../run/real-directory.ts";
import { usageError } from "../usage-error.ts";

const maximumBytes = 2 ** 20;

export interface FoundSettings {
  /** Absolute, without links. */
  readonly file: string;
  /** Undefined: there is none yet. */
  readonly bytes: Buffer | undefined;
  readonly text: string;
  readonly mode: number;
  readonly owner: FileOwner | undefined;
  /** What has to be made first, the outermost first. */
  readonly missing: readonly string[];
}

async function resolveBelow(base: string, place: string): Promise<string> {
  const target = await realpath(place).catch((error: unknown) => {
    throw usageError("usage.init-unreadable", { file: place, errno: systemErrorCode(error) ?? "unknown" });
  });
  if (!holdsDirectory(base, target)) throw usageError("usage.init-outside", { file: place, target, directory: base });
  return target;
}

/** What a link leads to must have a name that no command may write either, in whatever project it lies. INVARIANT I-15 */
function requireProtectedName(file: string, target: string): void {
  const nameOf = (place: string): string => path.join(path.basename(path.dirname(place)), path.basename(place));
  if (file !== target && nameOf(file) !== nameOf(target)) throw usageError("usage.init-renamed", { file, target, name: nameOf(file) });
}

const isAbsent = async (place: string): Promise<boolean> => (await lstat(place).catch(() => undefined)) === undefined;

function decode(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError("usage.init-syntax", { file, line: 1 });
  }
}

async function readSettings(file: string): Promise<FoundSettings> {
  const found = await stat(file);
  if (!found.isFile() || found.size > maximumBytes) throw usageError("usage.init-not-file", { file, maximum: maximumBytes });
  const bytes = await readFile(file).catch((error: unknown) => {
    throw usageError("usage.init-unreadable", { file, errno: systemErrorCode(error) ?? "unknown" });
  });
  const owner = { uid: found.uid, gid: found.gid };
  return { file, bytes, text: decode(file, bytes), mode: found.mode & 0o7777, owner, missing: [] };
}

/** @param base absolute @param relative below it @throws USAGE_INVALID for a file that is not to be touched */
export async function findSettings(base: string, relative: string): Promise<FoundSettings> {
  const home = await realDirectory(base);
  const names = relative.split("/");
  let place = home;
  for (const [index, name] of names.entries()) {
    const next = path.join(place, name);
    if (await isAbsent(next)) {
      const above = names.slice(index, -1).map((_name, depth, all) => path.join(place, ...all.slice(0, depth + 1)));
      const file = path.join(place, ...names.slice(index));
      const { uid, gid } = await stat(place);
      return { file, bytes: undefined, text: "{}\n", mode: 0o644, owner: { uid, gid }, missing: above };
    }
    place = await resolveBelow(home, next);
  }
  requireProtectedName(path.join(home, relative), place);
  return readSettings(place);
}

export const isSame = (found: FoundSettings, bytes: Uint8Array | undefined): boolean =>
  found.bytes === undefined || bytes === undefined ? found.bytes === bytes : found.bytes.equals(bytes);

/** @throws USAGE_INVALID when the file system refuses */
export async function writeSettings({ file, mode, owner, missing }: FoundSettings, content: string | Uint8Array): Promise<void> {
  try {
    for (const directory of missing) await mkdir(directory);
    await writeFileAtomically(file, content, mode, owner);
  } catch (error) {
    throw usageError("usage.init-unwritable", { file, errno: systemErrorCode(error) ?? "unknown" });
  }
}

/** With the directories that were made for it, where nothing else lies in them. */
export async function removeSettings(file: string, directories: readonly string[]): Promise<void> {
  await rm(file, { force: true });
  for (const directory of directories.toReversed()) {
    const isLeft = await rmdir(directory).then(
      () => false,
      () => true, // something else lies there by now
    );
    if (isLeft) return;
  }
}

// Gives a task the package caches that its policy names: those of its project, and no other's. INVARIANT I-16
import { chmodSync, closeSync, constants, mkdirSync, openSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import type { ProjectCaches } from "../../contracts/boundary.ts";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { type CacheName, type CachePlace, cachePlaces } from "../../contracts/package-caches.ts";
import { canonicalPath } from "../../kit/canonical-path.ts";
import type { TaskJournal } from "../task-journal.ts";
import { cacheIdOf, type CacheParts, useCache, withCacheLock } from "./cache-store.ts";

/** overlayfs, linux/magic.h: the kernel gives no idmapped mount of one, which root's sandboxes need. */
const overlayMagic = 0x794c7630;

/** Whether a sandbox of this user could be given what lies there, or will when it has been made. */
export function canKeepCaches(directory: string, uid: number): boolean {
  if (uid !== 0) return true;
  const found = statSync(directory, { throwIfNoEntry: false });
  return found === undefined ? canKeepCaches(path.dirname(directory), uid) : statfsSync(directory).type !== overlayMagic;
}

/** One that is there is not opened: its mode may allow nobody that. */
function createFile(file: string): void {
  try {
    closeSync(openSync(file, constants.O_RDONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
}

/** What is mounted: a sandbox can neither move nor replace it, but close it to the next one. */
function preparePlace(places: string, { path: inside, kind }: CachePlace): ProjectCaches["places"][number] {
  const source = path.join(places, inside);
  const isDirectory = kind === "directory";
  mkdirSync(isDirectory ? source : path.dirname(source), { recursive: true, mode: 0o700 });
  if (!isDirectory) createFile(source);
  chmodSync(source, isDirectory ? 0o700 : 0o600);
  return { source, inside };
}

/** @throws STATE_BUSY, LEDGER_UNWRITABLE when they cannot be made */
export async function openProjectCaches(
  parts: CacheParts,
  about: { readonly project: string; readonly names: readonly CacheName[]; readonly journal: TaskJournal },
): Promise<ProjectCaches | undefined> {
  const { project, names, journal } = about;
  if (names.length === 0) return undefined;
  const id = cacheIdOf(project);
  try {
    return await withCacheLock(parts, async () => {
      await journal.use(id);
      const places = canonicalPath(useCache(parts, id, project));
      return { id, names, places: names.flatMap((name) => cachePlaces[name].map((place) => preparePlace(places, place))) };
    });
  } catch (error) {
    const errno = systemErrorCode(error);
    if (errno === undefined) throw error;
    throw new GloveboxError("LEDGER_UNWRITABLE", "state.unwritable", { values: { directory: parts.layout.cache, errno }, cause: error });
  }
}

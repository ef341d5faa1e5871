// The package caches of projects, in the state directory: <cache>/<id>/{about.json,places/}. One process at a time gives one out or takes one away; which
// tasks have one stands in their journals. Nothing here reads what lies in `places`: hostile programs wrote it. INVARIANT I-10, I-16
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import type { CacheEntry } from "../../contracts/cache-door.ts";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { canonicalJson } from "../../kit/canonical-json.ts";
import { canonicalPath } from "../../kit/canonical-path.ts";
import { sha256Hex } from "../../kit/digest.ts";
import { lazily } from "../../kit/lazily.ts";
import { measureTrees } from "../../kit/measure-tree.ts";
import { ProcessLock } from "../../kit/process-lock.ts";
import { removeTree } from "../../kit/remove-tree.ts";
import type { StateLayout } from "../state-layout.ts";
import { readTaskJournals } from "../task-journal.ts";

export interface CacheParts {
  readonly layout: Pick<StateLayout, "cache" | "tasks">;
  readonly nowMs: () => number;
}

const lockWaitMs = 10_000;
const dayMs = 86_400_000;
/** Without a task that uses it. */
export const cacheDaysMax = 30;
/** Of one project, looked at when a task ends. */
export const cacheBytesMax = 8 * 2 ** 30;

const idPattern = /^c-[0-9a-f]{32}$/u;
const aboutFile = "about.json";
const aboutSchema = lazily(() => z.strictObject({ format: z.literal(1), project: z.string() }));

/**
 * Another directory at the same path is another project: whoever removes one and puts somebody else's there shares nothing with it. The device is
 * left out, which for some file systems is a new number at each mount.
 */
export function cacheIdOf(project: string): string {
  const place = canonicalPath(project);
  const { ino, birthtimeNs } = statSync(place, { bigint: true });
  return `c-${sha256Hex(canonicalJson({ place, inode: String(ino), made: String(birthtimeNs) })).slice(0, 32)}`;
}

/** Holds while one is given out or taken away; whoever waits too long gives up. @throws STATE_BUSY */
export async function withCacheLock<Result>({ layout }: CacheParts, act: () => Promise<Result>): Promise<Result> {
  const file = path.join(layout.cache, "lock");
  const lock = new ProcessLock(file);
  try {
    const release = await lock.take(lockWaitMs);
    if (release === undefined) {
      throw new GloveboxError("STATE_BUSY", "cache.locked", { values: { path: file, seconds: lockWaitMs / 1000 } });
    }
    try {
      return await act();
    } finally {
      release();
    }
  } finally {
    lock.close();
  }
}

const aboutOf = ({ layout }: CacheParts, id: string): string => path.join(layout.cache, id, aboutFile);

/** Makes one, whole or not at all, or marks it as used now. Under the lock. @returns the directory for its places */
export function useCache(parts: CacheParts, id: string, project: string): string {
  const { cache } = parts.layout;
  const directory = path.join(cache, id);
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) {
    const unfinished = path.join(cache, `.new.${id}`);
    mkdirSync(path.join(unfinished, "places"), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(unfinished, aboutFile), `${JSON.stringify({ format: 1, project })}\n`, { mode: 0o600 });
    renameSync(unfinished, directory);
  }
  const now = new Date(parts.nowMs());
  utimesSync(aboutOf(parts, id), now, now);
  return path.join(directory, "places");
}

function namesIn({ layout }: CacheParts): readonly string[] {
  try {
    return readdirSync(layout.cache);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** All that there are. */
export const cacheIds = (parts: CacheParts): readonly string[] => namesIn(parts).filter((name) => idPattern.test(name));

/** Of tasks that have not ended, dead brokers' included. */
export async function cachesInUse({ layout }: CacheParts): Promise<ReadonlySet<string>> {
  const journals = await readTaskJournals(layout.tasks);
  return new Set(journals.flatMap(({ cache }) => cache ?? []));
}

/** Takes away those that no task has: first from everybody's reach, then from the disk. @returns those */
async function discard(parts: CacheParts, ids: readonly string[]): Promise<readonly string[]> {
  const { cache } = parts.layout;
  if (ids.length === 0) return [];
  const gone = await withCacheLock(parts, async () => {
    const used = await cachesInUse(parts);
    const free = ids.filter((id) => !used.has(id) && statSync(path.join(cache, id), { throwIfNoEntry: false }) !== undefined);
    for (const id of free) renameSync(path.join(cache, id), path.join(cache, `.old.${process.pid}.${id}`));
    return free;
  });
  for (const id of gone) await removeTree(path.join(cache, `.old.${process.pid}.${id}`), { parent: cache });
  return gone;
}

/** After a task with it has left: one that has grown too large, or that nobody can look through, is begun anew. */
export async function trimCache(parts: CacheParts, id: string, bytesMax = cacheBytesMax): Promise<void> {
  const { bytes, isWhole } = await measureTrees([path.join(parts.layout.cache, id)], { enough: bytesMax });
  if (bytes > bytesMax || !isWhole) await discard(parts, [id]);
}

const lastUsedMs = (parts: CacheParts, id: string): number => statSync(aboutOf(parts, id), { throwIfNoEntry: false })?.mtimeMs ?? 0;

function projectOf(parts: CacheParts, id: string): string | undefined {
  try {
    return aboutSchema().parse(JSON.parse(readFileSync(aboutOf(parts, id), "utf8"))).project;
  } catch {
    return undefined; // shown without a name; it can be removed all the same
  }
}

/** No task can have it any more: another directory has another. What cannot be looked at may still be there. */
function isProjectGone(parts: CacheParts, id: string): boolean {
  const project = projectOf(parts, id);
  if (project === undefined) return false;
  try {
    return cacheIdOf(project) !== id;
  } catch (error) {
    return systemErrorCode(error) === "ENOENT";
  }
}

/** Removes what nobody used for long or can use, and what a crash left half made or half removed. @returns how many projects' */
export async function expireCaches(parts: CacheParts): Promise<number> {
  const { cache } = parts.layout;
  const oldestMs = parts.nowMs() - cacheDaysMax * dayMs;
  const gone = await discard(
    parts,
    cacheIds(parts).filter((id) => lastUsedMs(parts, id) < oldestMs || isProjectGone(parts, id)),
  );
  for (const name of namesIn(parts)) {
    const isLeft = /^\.(?:new|old)\./u.test(name) && statSync(path.join(cache, name)).ctimeMs < oldestMs;
    if (isLeft) await removeTree(path.join(cache, name), { parent: cache });
  }
  return gone.length;
}

/** Last used first. */
export async function listCaches(parts: CacheParts): Promise<readonly CacheEntry[]> {
  const used = await cachesInUse(parts);
  const entries = cacheIds(parts).map(async (id): Promise<CacheEntry> => {
    const { bytes } = await measureTrees([path.join(parts.layout.cache, id, "places")], { enough: Number.POSITIVE_INFINITY });
    return { id, project: projectOf(parts, id), bytes, lastUsed: new Date(lastUsedMs(parts, id)).toISOString(), isInUse: used.has(id) };
  });
  return (await Promise.all(entries)).toSorted((left, right) => (left.lastUsed < right.lastUsed ? 1 : -1));
}

/** @throws USAGE_INVALID for one that there is not, STATE_BUSY for one that a task has; then none is removed */
export async function removeCaches(parts: CacheParts, ids: readonly string[]): Promise<readonly string[]> {
  const [known, used] = [cacheIds(parts), await cachesInUse(parts)];
  for (const id of ids) {
    if (!known.includes(id)) throw new GloveboxError("USAGE_INVALID", "cache.unknown", { values: { cache: id } });
    if (used.has(id)) throw new GloveboxError("STATE_BUSY", "cache.in-use", { values: { cache: id } });
  }
  const gone = await discard(parts, ids);
  const taken = ids.find((id) => !gone.includes(id));
  // A task took it meanwhile.
  if (taken !== undefined && cacheIds(parts).includes(taken))
    throw new GloveboxError("STATE_BUSY", "cache.in-use", { values: { cache: taken } });
  return gone;
}

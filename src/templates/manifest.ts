// What a tree holds, as text: one line for each place, sorted, with the SHA-256 of every file. The digest of this text is the id of a template, and
// whoever trusts the id trusts the tree. Owners are left out, because a container shows none; modes are those of programs and of files, no others.
import { createHash } from "node:crypto";
import { chmodSync, closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync, readSync, unlinkSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as z from "zod";
import type { TemplateDifference } from "../contracts/template-door.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { lazily } from "../kit/lazily.ts";

const headSchema = lazily(() => z.strictObject({ format: z.literal(1), architecture: z.string() }));
const seconds = z.int().min(0);
const entrySchema = lazily(() =>
  z.union([
    z.tuple([z.literal("d"), z.string(), seconds]),
    z.tuple([z.literal("f"), z.string(), seconds, z.int().min(0), z.boolean(), z.string()]),
    z.tuple([z.literal("l"), z.string(), z.string()]),
  ]),
);

/** `d`: path, time of change; `f`: path, time of change, bytes, whether it can be executed, SHA-256; `l`: path, target. Paths from the top. */
export type ManifestEntry = z.infer<ReturnType<typeof entrySchema>>;

export interface Manifest {
  readonly architecture: string;
  readonly entries: readonly ManifestEntry[];
}

const pathOf = (entry: ManifestEntry): string => entry[1];
const byPath = (left: string, right: string): number => (left < right ? -1 : 1);

export function manifestText({ architecture, entries }: Manifest): string {
  return [{ format: 1, architecture }, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Undefined where it is none. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    const [head, ...rest] = text
      .split("\n")
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
    return { architecture: headSchema().parse(head).architecture, entries: entrySchema().array().parse(rest) };
  } catch {
    return undefined; // fails closed because the caller refuses what it cannot read
  }
}

const chunkBytes = 1 << 20;

function digestOf(file: string, chunk: Buffer): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const hash = createHash("sha256");
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) hash.update(chunk.subarray(0, read));
    return hash.digest("hex");
  } finally {
    closeSync(descriptor);
  }
}

const changedAt = (mtimeMs: number): number => Math.max(0, Math.floor(mtimeMs / 1000));

/**
 * Looks at a whole tree.
 * @param isMade modes are set to what is kept, and what is neither file, directory nor link is removed
 * @throws TEMPLATE_UNREADABLE
 */
export async function lookThrough(root: string, isMade: boolean): Promise<readonly ManifestEntry[]> {
  const entries: ManifestEntry[] = [];
  const chunk = Buffer.alloc(chunkBytes);
  const directories: string[] = [];
  const look = (place: string): void => {
    const full = path.join(root, place);
    const found = lstatSync(full);
    if (found.isSymbolicLink()) entries.push(["l", place, readlinkSync(full)]);
    else if (found.isDirectory()) {
      if (isMade) chmodSync(full, 0o755);
      directories.push(place);
    } else if (found.isFile()) {
      const isProgram = (found.mode & 0o111) !== 0;
      if (isMade) chmodSync(full, isProgram ? 0o755 : 0o644);
      entries.push(["f", place, changedAt(found.mtimeMs), found.size, isProgram, digestOf(full, chunk)]);
    } else if (isMade) unlinkSync(full);
    else entries.push(["l", place, ""]);
  };
  for (let next: string | undefined = ""; next !== undefined; next = directories.shift()) {
    const directory = next;
    try {
      for (const name of readdirSync(path.join(root, directory))) look(path.join(directory, name));
      // After what was removed from it.
      if (directory !== "") entries.push(["d", directory, changedAt(lstatSync(path.join(root, directory)).mtimeMs)]);
    } catch (error) {
      const values = { file: directory, errno: systemErrorCode(error) ?? "unknown" };
      throw new GloveboxError("TEMPLATE_UNREADABLE", "template.unreadable", { values, cause: error });
    }
    await nextTurn();
  }
  return entries.toSorted((left, right) => byPath(pathOf(left), pathOf(right)));
}

const differencesMax = 100;

/** Both sorted. */
export function compareEntries(promised: readonly ManifestEntry[], found: readonly ManifestEntry[]): readonly TemplateDifference[] {
  const there = new Map(found.map((entry) => [pathOf(entry), entry]));
  const expected = new Set(promised.map(pathOf));
  const changed = promised.flatMap((entry): readonly TemplateDifference[] => {
    const now = there.get(pathOf(entry));
    if (now === undefined) return [{ path: pathOf(entry), state: "missing" }];
    return JSON.stringify(now) === JSON.stringify(entry) ? [] : [{ path: pathOf(entry), state: "altered" }];
  });
  const added = found.filter((entry) => !expected.has(pathOf(entry))).map((entry) => ({ path: pathOf(entry), state: "added" as const }));
  return [...changed, ...added].slice(0, differencesMax);
}

function isAsPromised(root: string, entry: ManifestEntry): boolean {
  const full = path.join(root, pathOf(entry));
  const found = lstatSync(full, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (entry[0] === "l") return found.isSymbolicLink() && readlinkSync(full) === entry[2];
  if (changedAt(found.mtimeMs) !== entry[2]) return false;
  return entry[0] === "d" ? found.isDirectory() : found.isFile() && found.size === entry[3];
}

/**
 * Without reading: kind, size and time of change of every place, of directories too, which a new name in them changes.
 * @returns the first place that is not as it was
 */
export function glanceAt(root: string, { entries }: Manifest): string | undefined {
  const wrong = entries.find((entry) => !isAsPromised(root, entry));
  return wrong === undefined ? undefined : pathOf(wrong);
}

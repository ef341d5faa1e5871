// Looks through every file of a tree for secrets, and says where they stand, never what they are. What cannot be looked through is refused: a tree
// with a part that nobody saw is not known to be clean. INVARIANT I-07
import { constants, type Dirent } from "node:fs";
import { type FileHandle, open, opendir } from "node:fs/promises";
import path from "node:path";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { isPublishedKey } from "./published-keys.ts";
import { linesIn } from "./secret-files.ts";
import { type SecretAt, type SecretKind, shapesIn } from "./secret-shapes.ts";

export interface FoundSecret {
  /** From the top of the tree. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly kind: SecretKind;
}

export interface SecretScan {
  /** In the order of the names, and of the lines; the first ones. */
  readonly found: readonly FoundSecret[];
  readonly files: number;
  readonly bytes: number;
}

export interface ScanBounds {
  readonly files: number;
  readonly bytes: number;
  /** Of what is found. */
  readonly found: number;
}

/** A Debian system with a data stack has some 100,000 files and 2 GiB. */
export const usualBounds: ScanBounds = { files: 500_000, bytes: 16 * 1024 ** 3, found: 100 };

/** A secret that begins in one window and ends in the next lies whole in one of them. */
const windowBytes = 4 * 1024 * 1024;
const overlapBytes = 64 * 1024;

interface Scan {
  readonly bounds: ScanBounds;
  readonly found: FoundSecret[];
  /** Of one file after the other. */
  readonly buffer: Buffer;
  files: number;
  bytes: number;
}

const unreadable = (file: string, cause: unknown): GloveboxError =>
  new GloveboxError("TEMPLATE_UNREADABLE", "template.unreadable", { values: { file, errno: systemErrorCode(cause) ?? "unknown" }, cause });

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Bytes as characters of the same number: a secret is ASCII, whatever lies around it. */
function note(
  scan: Scan,
  file: string,
  { text, line, seen }: { readonly text: string; readonly line: number; readonly seen: Set<string> },
): void {
  const all: SecretAt[] = [...shapesIn(text), ...linesIn(file, text)];
  for (const { kind, offset } of all.toSorted((left, right) => left.offset - right.offset)) {
    if (isPublishedKey(file, kind)) continue;
    const found: FoundSecret = { file, line: line + countLines(text.slice(0, offset)), kind };
    const identity = `${found.line}`;
    if (seen.has(identity) || scan.found.length >= scan.bounds.found) continue;
    seen.add(identity);
    scan.found.push(found);
  }
}

async function scanOpened(scan: Scan, file: string, handle: FileHandle): Promise<void> {
  const { buffer } = scan;
  const seen = new Set<string>();
  let line = 1;
  let kept = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, kept, windowBytes - kept);
    scan.bytes += bytesRead;
    if (scan.bytes > scan.bounds.bytes)
      throw new GloveboxError("TEMPLATE_UNREADABLE", "template.too-large", { values: { maximum: scan.bounds.bytes } });
    const text = buffer.toString("latin1", 0, kept + bytesRead);
    if (bytesRead > 0 || kept === 0) note(scan, file, { text, line, seen });
    if (bytesRead === 0 || kept + bytesRead < windowBytes) return;
    line += countLines(text.slice(0, windowBytes - overlapBytes));
    buffer.copy(buffer, 0, windowBytes - overlapBytes, windowBytes);
    kept = overlapBytes;
  }
}

async function scanFile(scan: Scan, root: string, file: string): Promise<void> {
  scan.files += 1;
  if (scan.files > scan.bounds.files)
    throw new GloveboxError("TEMPLATE_UNREADABLE", "template.too-many-files", { values: { maximum: scan.bounds.files } });
  try {
    await using handle = await open(path.join(root, file), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    await scanOpened(scan, file, handle);
  } catch (error) {
    throw error instanceof GloveboxError ? error : unreadable(file, error);
  }
}

async function entriesOf(root: string, directory: string): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(path.join(root, directory))) entries.push(entry);
  } catch (error) {
    throw unreadable(directory, error);
  }
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** Links are not followed: what they lead to is in the tree itself or not a part of it. @throws TEMPLATE_UNREADABLE */
export async function scanForSecrets(root: string, bounds: ScanBounds = usualBounds): Promise<SecretScan> {
  const scan: Scan = { bounds, found: [], buffer: Buffer.alloc(windowBytes), files: 0, bytes: 0 };
  const waiting = [""];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const below: string[] = [];
    for (const entry of await entriesOf(root, directory)) {
      const place = path.join(directory, entry.name);
      if (entry.isDirectory()) below.push(place);
      else if (entry.isFile()) await scanFile(scan, root, place);
    }
    waiting.push(...below.toReversed());
  }
  const { found, files, bytes } = scan;
  return { found, files, bytes };
}

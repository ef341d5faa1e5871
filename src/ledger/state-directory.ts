// The state directory: made private, refused when anybody else could have touched it, and marked with its format's number.
import { type Stats, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { DurableFiles } from "./durable-files.ts";
import type { Layout } from "./layout.ts";

export const stateFormat = 1;

function insecure(situation: string, path: string, values: Readonly<Record<string, string | number>> = {}): GloveboxError {
  return new GloveboxError("STATE_INSECURE", situation, { values: { path, ...values } });
}

/** Throws STATE_INSECURE unless `path` belongs to us and nobody else can reach it. */
function checkPrivate(path: string, found: Stats): void {
  const uid = process.geteuid?.() ?? 0;
  if (found.uid !== uid) throw insecure("ledger.state-foreign", path, { owner: found.uid, user: uid });
  if ((found.mode & 0o077) !== 0) throw insecure("ledger.state-open", path, { mode: (found.mode & 0o777).toString(8) });
}

/** @throws STATE_INSECURE unless `directory` is a directory (no link), ours and closed to others */
export function checkPrivateDirectory(directory: string): void {
  const found = lstatSync(directory);
  if (!found.isDirectory()) throw insecure("ledger.state-not-directory", directory);
  checkPrivate(directory, found);
}

/** The bytes of a key file; undefined when it is missing. @throws STATE_INSECURE */
export function readPrivateFile(file: string): Buffer | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw insecure("ledger.state-not-file", file);
  checkPrivate(file, found);
  return readFileSync(file);
}

/** Replaces a small file so that it is there whole or not at all, and stays. Only under the lock: the temporary name is fixed. */
export async function placeFile(files: DurableFiles, file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.new`;
  files.unlink(temporary);
  files.create(temporary, Buffer.from(content));
  await files.syncPath(temporary);
  files.rename(temporary, file);
}

/** Makes and checks the directory itself, before the lock in it can be taken. @throws STATE_INSECURE or what mkdir says */
export function prepareStateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  checkPrivateDirectory(directory);
}

/** Whether the mark is still missing: no log was ever completely made here. @throws STATE_VERSION when it is another format's */
function isFresh(layout: Layout): boolean {
  const stored = readPrivateFile(layout.version)?.toString("utf8").trim();
  if (stored !== undefined && stored !== String(stateFormat)) {
    const values = { path: layout.state, found: stored.slice(0, 40), supported: stateFormat };
    throw new GloveboxError("STATE_VERSION", "ledger.version-unknown", { values });
  }
  return stored === undefined;
}

/** The format's mark. Placed last: where it stands, a log with a signed head stood too. */
export async function placeVersion(layout: Layout, files: DurableFiles): Promise<void> {
  await placeFile(files, layout.version, `${stateFormat}\n`);
  await files.syncPath(layout.state);
}

/**
 * Makes what is missing below the state directory and checks what is there. Under the lock. Of a state that is not fresh the caller syncs the
 * directory before anything in it counts as synced.
 * @returns `fresh`: see `placeVersion`. @throws STATE_INSECURE, STATE_VERSION
 */
export async function prepareStateContents(layout: Layout, files: DurableFiles): Promise<{ readonly fresh: boolean }> {
  const fresh = isFresh(layout);
  for (const directory of [layout.ledger, layout.blobs, layout.keys, layout.quarantine]) {
    files.makeDirectory(directory);
    checkPrivateDirectory(directory);
  }
  if (fresh) await files.syncPath(layout.state);
  return { fresh };
}

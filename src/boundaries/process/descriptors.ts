// Descriptors for bubblewrap: texts whose files have no name any more, and places held as they were planned.
import { closeSync, constants, fstatSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { GloveboxError } from "../../contracts/glovebox-error.ts";

export interface HeldPlace {
  readonly path: string;
  /** `device:inode` when the plan was made. */
  readonly identity: string;
}

export interface Descriptors {
  readonly numbers: readonly number[];
  close(): void;
}

/** O_PATH of open(2), which Node does not name: a place, without the right to read it. */
const O_PATH = 0o10000000;

function openPlace({ path: place, identity }: HeldPlace): number {
  const descriptor = openSync(place, O_PATH | constants.O_NOFOLLOW);
  const found = fstatSync(descriptor);
  if (`${found.dev}:${found.ino}` === identity) return descriptor;
  closeSync(descriptor);
  throw new GloveboxError("SANDBOX_OPEN_FAILED", "wall.changed-while-opening", { values: { path: place } });
}

function openText(text: string, file: string): number {
  writeFileSync(file, text, { flag: "wx", mode: 0o600 });
  const descriptor = openSync(file, "r");
  unlinkSync(file);
  return descriptor;
}

/**
 * First the texts, then the places. Synchronous: a few kilobytes, and a descriptor must not leak between two turns.
 * @param directory private to the sandbox
 * @throws SANDBOX_OPEN_FAILED when a place is not what was planned
 */
export function openDescriptors(texts: readonly string[], places: readonly HeldPlace[], directory: string): Descriptors {
  const numbers: number[] = [];
  const close = (): void => {
    for (const descriptor of numbers.splice(0)) closeSync(descriptor);
  };
  try {
    for (const [index, text] of texts.entries()) numbers.push(openText(text, path.join(directory, `data-${index}`)));
    for (const place of places) numbers.push(openPlace(place));
  } catch (error) {
    close();
    throw error;
  }
  return { numbers, close };
}

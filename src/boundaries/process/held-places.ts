// Places of the host as descriptors for bubblewrap: held as they were planned, whatever gets their names meanwhile.
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";

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

function changed(place: string): GloveboxError {
  return new GloveboxError("SANDBOX_OPEN_FAILED", "wall.changed-while-opening", { values: { path: place } });
}

/** A step at a time from an open directory, because Node has no openat2(2): a link on the way is an error, not a detour. */
function openWithoutLinks(place: string): number {
  const names = place.split("/").filter(Boolean);
  let at = openSync("/", O_PATH | constants.O_DIRECTORY);
  for (const [index, name] of names.entries()) {
    const above = at;
    const kind = index < names.length - 1 ? constants.O_DIRECTORY : 0;
    try {
      at = openSync(`/proc/self/fd/${above}/${name}`, O_PATH | constants.O_NOFOLLOW | kind);
    } catch (error) {
      throw ["ENOENT", "ENOTDIR", "ELOOP"].includes(systemErrorCode(error) ?? "") ? changed(place) : error;
    } finally {
      closeSync(above);
    }
  }
  return at;
}

function openPlace({ path: place, identity }: HeldPlace): number {
  const descriptor = openWithoutLinks(place);
  const found = fstatSync(descriptor, { bigint: true });
  if (`${found.dev}:${found.ino}` === identity) return descriptor;
  closeSync(descriptor);
  throw changed(place);
}

/**
 * Synchronous: a descriptor must not leak between two turns.
 * @throws SANDBOX_OPEN_FAILED when a place is not what was planned
 */
export function openPlaces(places: readonly HeldPlace[]): Descriptors {
  const numbers: number[] = [];
  const close = (): void => {
    for (const descriptor of numbers.splice(0)) closeSync(descriptor);
  };
  try {
    for (const place of places) numbers.push(openPlace(place));
  } catch (error) {
    close();
    throw error;
  }
  return { numbers, close };
}

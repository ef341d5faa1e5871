// Puts paths back as they were, through descriptors of their directories: what lies at a name is replaced by a rename, and a link is never
// followed. Owner and group are those of what is replaced, or of the directory.
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
} from "node:fs";
import { renameSync, symlinkSync, unlinkSync, writeSync, chmodSync } from "node:fs";
import { randomBytes } from "node:crypto";
import type { PathState } from "../contracts/changes.ts";
import { below, O_PATH } from "../kit/below.ts";
import { encodeByteText } from "../kit/byte-text.ts";
import { removeDirectory } from "../kit/remove-tree.ts";
import { unlessAbsent } from "./root-tree.ts";
import type { UndoStep } from "./undo-plan.ts";

type Place = { readonly directory: number; readonly name: string };

/** Bytes from before; undefined when they are gone. */
export type ReadBefore = (offset: number, length: number) => Buffer | undefined;

const portion = 4 * 1024 * 1024;

function placeOf({ tree, change }: UndoStep): Place {
  const place = tree.parentOf(change.path);
  if (place === undefined) throw Object.assign(new Error(`Cannot restore "${change.path}": its directory is gone`), { code: "ENOENT" });
  return place;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function ownerFor({ directory, name }: Place): Owner {
  const there = unlessAbsent(() => lstatSync(below(directory, name)));
  return there ?? fstatSync(directory);
}

/** Only root may give away; anybody else owns what it makes. */
function isOwnerKept(): boolean {
  return process.geteuid?.() === 0;
}

function temporary({ directory }: Place): { readonly path: Buffer; readonly directory: number } {
  return { path: below(directory, `.glovebox-undo-${randomBytes(8).toString("hex")}`), directory };
}

function writeAll(file: number, step: UndoStep, read: ReadBefore): void {
  const { kept } = step.change;
  if (kept === undefined || typeof kept === "string") throw new Error(`Cannot restore "${step.change.path}": nothing was kept`);
  for (let at = 0; at < kept.length; at += portion) {
    const bytes = read(kept.offset + at, Math.min(portion, kept.length - at));
    if (bytes === undefined) throw new Error(`Cannot restore "${step.change.path}": what was kept is damaged`);
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
  }
}

/** The file has names that nobody listed: all of them show what is written into it. */
function rewriteFile(step: UndoStep, state: PathState, read: ReadBefore): void {
  const { directory, name } = placeOf(step);
  const file = openSync(below(directory, name), constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (fstatSync(file, { bigint: true }).ino.toString() !== step.change.inode)
      throw new Error(`Cannot restore "${step.change.path}": it is another file now`);
    ftruncateSync(file, 0);
    writeAll(file, step, read);
    fchmodSync(file, state.mode & 0o1777);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function restoreFile(step: UndoStep, state: PathState, read: ReadBefore): void {
  if (step.change.otherNames !== undefined) {
    rewriteFile(step, state, read);
    return;
  }
  const place = placeOf(step);
  const owner = ownerFor(place);
  const { path } = temporary(place);
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    writeAll(file, step, read);
    if (isOwnerKept()) fchownSync(file, owner.uid, owner.gid);
    fchmodSync(file, state.mode & 0o1777);
    fsyncSync(file);
    renameSync(path, below(place.directory, place.name));
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

function restoreLink(step: UndoStep, state: PathState): void {
  const place = placeOf(step);
  const owner = ownerFor(place);
  const { path } = temporary(place);
  symlinkSync(encodeByteText(state.target ?? ""), path);
  if (isOwnerKept()) lchownSync(path, owner.uid, owner.gid);
  renameSync(path, below(place.directory, place.name));
}

/** On a descriptor: chmod by name would follow a link. */
function setMode({ directory, name }: Place, mode: number): void {
  const node = openSync(below(directory, name), O_PATH | constants.O_NOFOLLOW);
  try {
    if (fstatSync(node).isSymbolicLink()) return;
    chmodSync(`/proc/self/fd/${node}`, mode & 0o1777);
  } finally {
    closeSync(node);
  }
}

function restoreDirectory(step: UndoStep): void {
  const place = placeOf(step);
  const owner = fstatSync(place.directory);
  mkdirSync(below(place.directory, place.name), 0o700); // its own mode comes when it is full
  if (isOwnerKept()) lchownSync(below(place.directory, place.name), owner.uid, owner.gid);
}

/** Takes away what lies there, unless a rename will replace it. */
export function removeLeft(step: UndoStep): void {
  const { after, before } = step.change;
  const isReplaced = before !== undefined && before.type !== "directory" && after?.type !== "directory";
  if (after === undefined || isReplaced || (after.type === "directory" && before?.type === "directory")) return;
  const { directory, name } = placeOf(step);
  if (after.type === "directory") removeDirectory(below(directory, name));
  else unlinkSync(below(directory, name));
}

/** Makes what was there before. */
export function restorePath(step: UndoStep, read: ReadBefore): void {
  const { before, kind, after } = step.change;
  if (before === undefined) return;
  if (kind === "mode" || (before.type === "directory" && after?.type === "directory")) setMode(placeOf(step), before.mode);
  else if (before.type === "directory") restoreDirectory(step);
  else if (before.type === "link") restoreLink(step, before);
  else restoreFile(step, before, read);
}

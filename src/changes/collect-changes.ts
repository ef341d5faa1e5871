// From what the mediator wrote down to the list of changes: each touched path is looked at once more, and what is as it was falls out.
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { Change, ChangeList, PathState } from "../contracts/changes.ts";
import { contentMax, type KeptContent, type TouchedState, type Touches } from "../guard/guard.ts";
import { BoundedReading, comparedBytesMax } from "./bounded-reading.ts";
import { isSameContent, isSameState, stateBefore, stateNow } from "./path-state.ts";
import type { RootTree } from "./root-tree.ts";
import { changesWhatRuns, isRunLater } from "./runs-later.ts";

/** More are counted as missed: the list must fit into memory, and its text into one string. */
const listMax = { changes: 100_000, textLength: 128 * 1024 * 1024 } as const;

/** What takes the bytes from before; `offset` is where the next will lie. */
export interface BytesTaker {
  readonly offset: number;
  append(bytes: Buffer): void;
}

interface Place {
  readonly tree: RootTree;
  readonly now: BigIntStats | undefined;
}

/** Bytes from before: their digest, and where they are kept or why not. */
interface Before {
  readonly sha256: string | undefined;
  readonly kept: Change["kept"];
  readonly text: string | undefined;
}

function inodeKey(inode: string, bornNs: string): string {
  return `${inode}.${bornNs}`;
}

/** The inode and birth of a touched state, in the words of the host's own look; undefined when the file system knows no birth. */
function bornKey({ inode, identity }: TouchedState): string | undefined {
  const born = BigInt(`0x${identity.split(".")[2] ?? "0"}`);
  return born === 0n ? undefined : inodeKey(inode, born.toString());
}

interface Found {
  readonly before: PathState | undefined;
  readonly after: PathState | undefined;
  readonly old: Before | undefined;
  readonly touched: TouchedState | undefined;
  readonly now: BigIntStats | undefined;
}

/** The first that fit together, sorted by path. */
export function fitting(
  changes: readonly Change[],
  most: { readonly changes: number; readonly textLength: number },
): { readonly kept: readonly Change[]; readonly left: number } {
  let textLeft = most.textLength;
  const kept = changes.filter((change, index) => {
    if (textLeft < 0) return false;
    textLeft -= JSON.stringify(change).length;
    return index < most.changes && textLeft >= 0;
  });
  return { kept: kept.toSorted((left, right) => (left.path < right.path ? -1 : 1)), left: changes.length - kept.length };
}

class Collection {
  readonly #touches: Touches;
  readonly #writer: BytesTaker;
  readonly #places = new Map<string, Place>();
  /** Where each inode is now. */
  readonly #byInode = new Map<string, string>();
  readonly #known = new Map<string, Before>();
  /** The earliest time of last change that was seen of each file. */
  readonly #changedFirst = new Map<string, string>();
  /** How many names of each file were touched. */
  readonly #names = new Map<string, number>();
  readonly #reading = new BoundedReading();
  #missed: number;

  constructor(touches: Touches, trees: readonly RootTree[], writer: BytesTaker) {
    this.#touches = touches;
    this.#writer = writer;
    this.#missed = touches.records.missed;
    for (const touched of touches.records.before.values()) {
      if (touched === undefined) continue;
      const { identity, changedNs } = touched;
      this.#names.set(identity, (this.#names.get(identity) ?? 0) + 1);
      const known = this.#changedFirst.get(identity);
      if (known === undefined || BigInt(changedNs) < BigInt(known)) this.#changedFirst.set(identity, changedNs);
    }
    for (const path of [...touches.records.before.keys()].toSorted()) {
      const tree = trees.find((candidate) => candidate.holds(path));
      if (tree === undefined) this.#missed += 1;
      else this.#place(path, tree);
    }
  }

  #place(path: string, tree: RootTree): void {
    const now = tree.lookUnlessClosed(path);
    if (now === "closed") {
      this.#missed += 1;
      return;
    }
    this.#places.set(path, { tree, now });
    if (now === undefined) return;
    for (const key of [now.ino.toString(), inodeKey(now.ino.toString(), now.birthtimeNs.toString())]) {
      if (!this.#byInode.has(key)) this.#byInode.set(key, path);
    }
  }

  list(): ChangeList {
    // What was there before comes first: names that a task makes must not push out what it took away.
    const lost: Change[] = [];
    const made: Change[] = [];
    for (const [path, place] of this.#places) {
      const change = this.#changeAt(path, place);
      if (change === undefined) continue;
      const side = change.before === undefined ? made : lost;
      if (side.length < listMax.changes) side.push(change);
      else this.#missed += 1;
    }
    const { kept: changes, left } = fitting([...lost, ...made], listMax);
    this.#missed += left;
    return { format: 1, roots: this.#touches.roots.map((root) => ({ ...root })), changes: this.#paired(changes), missed: this.#missed };
  }

  #changeAt(path: string, place: Place): Change | undefined {
    const touched = this.#touches.records.before.get(path);
    const { now } = place;
    if (touched === undefined && now === undefined) return undefined;
    const first = touched === undefined ? undefined : this.#firstSeen(touched);
    // The time of an inode's last change cannot be set back by anybody.
    if (first !== undefined && now?.ino.toString() === first.inode && now.ctimeNs.toString() === first.changedNs) return undefined;
    const after = stateNow(place.tree, path, now, (found) => this.#reading.hash(place.tree, path, found));
    const old = first === undefined ? undefined : this.#before(path, first);
    const before = first === undefined ? undefined : stateBefore(first, old?.sha256);
    if (isSameState(before, after)) return undefined;
    return this.#describe(path, { before, after, old, touched, now });
  }

  /**
   * A file with several names may have been written by another one before this was touched: then what the mediator saw when it first came to
   * the file counts, size and time, not what it saw here.
   */
  #firstSeen(touched: TouchedState): TouchedState {
    const { size } = this.#touches.records.contents.get(touched.identity) ?? {};
    return size === undefined ? touched : { ...touched, size, changedNs: this.#changedFirst.get(touched.identity) ?? touched.changedNs };
  }

  #describe(path: string, found: Found): Change {
    const { before, after, old, touched, now } = found;
    const isSameFile = touched !== undefined && now?.ino.toString() === touched.inode;
    const kind = kindOf(before, after, isSameFile || now?.nlink === 1n);
    const others = kind === "changed" && isSameFile ? touched.links - (this.#names.get(touched.identity) ?? 0) : 0;
    const isUndoneInPlace = others > 0 || (kind === "mode" && after?.type === "file" && now?.nlink !== 1n);
    return {
      path,
      kind,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(before?.type === "file" && kind !== "mode" && old?.kept !== undefined ? { kept: old.kept } : {}),
      ...(this.#runsLater(path, kind, found) ? { runsLater: true } : {}),
      ...(others > 0 ? { otherNames: others } : {}),
      ...(isUndoneInPlace && now !== undefined ? { inode: now.ino.toString() } : {}),
      commands: [...(this.#touches.records.commands.get(path) ?? [])],
    };
  }

  #runsLater(path: string, kind: Change["kind"], found: { after: PathState | undefined; old: Before | undefined }): boolean {
    if (kind === "deleted" || found.after === undefined || found.after.type === "directory" || !isRunLater(path)) return false;
    return changesWhatRuns(path, found.old?.text, found.after.type === "file" ? this.#textNow(path) : undefined);
  }

  #textNow(path: string): string | undefined {
    const place = this.#places.get(path);
    return place === undefined ? undefined : this.#reading.text(place.tree, path, place.now);
  }

  /** Two names of one file share what is kept of it. */
  #before(path: string, touched: TouchedState): Before | undefined {
    if ((touched.mode & 0o170000) !== 0o100000) return undefined;
    const known = this.#known.get(touched.identity);
    if (known !== undefined) return known;
    const content = this.#touches.records.contents.get(touched.identity);
    const before = content === undefined ? this.#unwritten(path, touched) : this.#fromLog(path, content);
    this.#known.set(touched.identity, before);
    return before;
  }

  #fromLog(path: string, content: KeptContent): Before {
    if (content.kept !== "kept") return { sha256: undefined, kept: content.kept, text: undefined };
    const bytes = this.#touches.read(content.offset, content.length);
    const offset = this.#writer.offset;
    this.#writer.append(bytes);
    const text = isRunLater(path) && bytes.length <= comparedBytesMax ? bytes.toString("utf8") : undefined;
    return { sha256: createHash("sha256").update(bytes).digest("hex"), kept: { offset, length: bytes.length }, text };
  }

  /** Nothing was written to it: it lies under one of its names with the content that it had. */
  #unwritten(path: string, touched: TouchedState): Before {
    const born = bornKey(touched);
    const there = this.#byInode.get(born ?? touched.inode);
    const place = there === undefined ? undefined : this.#places.get(there);
    if (there === undefined || place?.now === undefined) return { sha256: undefined, kept: "notFound", text: undefined };
    const offset = this.#writer.offset;
    const keeps = there !== path && touched.size <= contentMax.fileBytes && offset + touched.size <= contentMax.taskBytes;
    const keep = (bytes: Buffer): void => this.#writer.append(Buffer.from(bytes));
    const sha256 = this.#reading.hash(place.tree, there, place.now, keeps ? keep : undefined);
    const kept = keeps && sha256 !== undefined ? { offset, length: this.#writer.offset - offset } : ("noRoom" as const);
    return { sha256, kept, text: undefined };
  }

  #paired(changes: readonly Change[]): Change[] {
    const from = new Map<string, string>();
    for (const { path, kind } of changes) {
      const touched = this.#touches.records.before.get(path);
      const key = touched === undefined ? undefined : bornKey(touched);
      if (key !== undefined && (kind === "deleted" || kind === "replaced" || kind === "changed")) from.set(key, path);
    }
    return changes.map((change) => {
      const now = this.#places.get(change.path)?.now;
      if (change.kind !== "created" || now === undefined) return change;
      const source = from.get(inodeKey(now.ino.toString(), now.birthtimeNs.toString()));
      return source === undefined || source === change.path ? change : { ...change, renamedFrom: source };
    });
  }
}

/** @param isOwn whether its permissions belong to this name: another file that was linked here would lose its own by an undo */
export function kindOf(before: PathState | undefined, after: PathState | undefined, isOwn: boolean): Change["kind"] {
  if (before === undefined) return "created";
  if (after === undefined) return "deleted";
  if (before.type !== after.type) return "replaced";
  return isSameContent(before, after) && (isOwn || before.type !== "file") ? "mode" : "changed";
}

/** Looks at each path that was touched, through descriptors below the roots, and hands what must be kept to `writer`. */
export function collectChanges(touches: Touches, trees: readonly RootTree[], writer: BytesTaker): ChangeList {
  return new Collection(touches, trees, writer).list();
}

// What the program inside tells of files that were left behind, held to its bounds. Whoever tells is believed nothing but names and numbers.
import type { CollectedItem, FileKind, LeftInSandbox } from "../contracts/artifacts.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";

/** As the kernel has it, PATH_MAX. */
const pathMax = 4096;

export interface LeftFile {
  /** Absolute, inside; bytes that are not UTF-8 as in kit/byte-text.ts. */
  readonly path: string;
  readonly kind: FileKind;
  readonly bytes: number;
}

export interface GatheredLeft {
  /** The first. */
  readonly files: readonly LeftFile[];
  /** Of one command. */
  readonly count: number;
  readonly isWhole: boolean;
  /** Of all commands. */
  readonly inSandbox: LeftInSandbox;
}

/** One part of what is told, to its end; the rest stays with the iterator. */
export async function* sectionOf(items: AsyncIterator<CollectedItem>): AsyncGenerator<CollectedItem, void, undefined> {
  for (;;) {
    const next = await items.next();
    if (next.done === true) return;
    yield next.value;
    if (next.value.kind === "end") return;
  }
}

const unexpected = (what: string): GloveboxError => new GloveboxError("GUARD_PROTOCOL", "guard.protocol", { values: { what } });

async function endOf(items: AsyncIterator<CollectedItem>, take: (file: LeftFile) => void): Promise<LeftInSandbox> {
  for await (const item of sectionOf(items)) {
    if (item.kind === "end") return { count: item.total, isWhole: item.isWhole };
    if (item.kind !== "entry" || !item.name.startsWith("/") || item.name.length > pathMax) throw unexpected("left-behind");
    take({ path: item.name, kind: item.type, bytes: item.bytes });
  }
  throw unexpected("left-behind-end");
}

/** @param items behind what was handed back @param max how many are told at most */
export async function gatherLeft(items: AsyncIterator<CollectedItem>, max: number): Promise<GatheredLeft> {
  const files: LeftFile[] = [];
  try {
    const ofCommand = await endOf(items, (file) => {
      if (files.length === max) throw unexpected("left-behind-count");
      files.push(file);
    });
    const inSandbox = await endOf(items, () => {
      throw unexpected("left-behind-late");
    });
    const count = Math.max(ofCommand.count, files.length);
    return { files, count, isWhole: ofCommand.isWhole, inSandbox: { ...inSandbox, count: Math.max(inSandbox.count, count) } };
  } catch (error) {
    // What came before it is told, and that it is not all.
    if (!(error instanceof GloveboxError)) throw error;
    return { files, count: files.length, isWhole: false, inSandbox: { count: files.length, isWhole: false } };
  }
}

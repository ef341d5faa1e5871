// The diff of a task: what was there before against what lies there now, as long as that is what the task left.
import type { Change, DiffEntry, TaskDiff } from "../contracts/changes.ts";
import { countsByKind } from "./counts-by-kind.ts";
import type { LoadedChanges } from "./load-changes.ts";
import { isInState } from "./path-state.ts";
import { RootTree } from "./root-tree.ts";
import { selectChanges } from "./select-changes.ts";
import { unifiedDiff } from "../kit/unified-diff.ts";

/** Of one side of a file. */
const textBytesMax = 1024 * 1024;
const linesPerFileMax = 5000;
const linesMax = 50_000;

type Text = { readonly text: string } | { readonly absent: NonNullable<DiffEntry["absent"]> };

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): Text {
  if (bytes.includes(0)) return { absent: "binary" };
  try {
    return { text: strict.decode(bytes) };
  } catch {
    return { absent: "binary" }; // all that decode can say
  }
}

class Sides {
  readonly #loaded: LoadedChanges;
  readonly #trees: readonly RootTree[];

  constructor(loaded: LoadedChanges, trees: readonly RootTree[]) {
    this.#loaded = loaded;
    this.#trees = trees;
  }

  before(change: Change): Text {
    const source = change.renamedFrom === undefined ? change : this.#loaded.list.changes.find(({ path }) => path === change.renamedFrom);
    if (source?.before?.type !== "file") return { text: "" };
    if (source.kept === undefined || typeof source.kept === "string") return { absent: "notKept" };
    if (source.kept.length > textBytesMax) return { absent: "tooLarge" };
    const bytes = this.#loaded.before.read(source.kept.offset, source.kept.length);
    return bytes === undefined ? { absent: "notKept" } : decode(bytes);
  }

  after(change: Change): Text {
    if (change.after?.type !== "file") return { text: "" };
    const tree = this.#trees.find((candidate) => candidate.holds(change.path));
    if (tree === undefined) return { absent: "edited" };
    if ((change.after.size ?? 0) > textBytesMax) return { absent: "tooLarge" };
    if (tree.lookUnlessClosed(change.path) === "closed" || !isInState(tree, change.path, change.after)) return { absent: "edited" };
    const parts: Buffer[] = [];
    const isWhole = tree.read(change.path, textBytesMax, (bytes) => parts.push(Buffer.from(bytes)));
    return isWhole ? decode(Buffer.concat(parts)) : { absent: "edited" };
  }
}

function hasText({ kind, before, after }: Change): boolean {
  return kind !== "mode" && (before?.type === "file" || after?.type === "file");
}

function entryOf(change: Change, sides: Sides): DiffEntry {
  if (!hasText(change)) return { change, absent: "noContent" };
  const before = sides.before(change);
  const after = sides.after(change);
  if ("absent" in after) return { change, absent: after.absent };
  if ("absent" in before) return { change, absent: before.absent };
  const lines = unifiedDiff(before.text, after.text);
  return lines.length > linesPerFileMax ? { change, absent: "tooLarge" } : { change, lines };
}

/**
 * @param wanted absolute `paths`, none means all: the counts are of what they select; `isBrief` leaves the lines out
 * @throws USAGE_INVALID for a path at which nothing changed
 */
export function taskDiff(loaded: LoadedChanges, wanted: { readonly paths: readonly string[]; readonly isBrief: boolean }): TaskDiff {
  const trees = loaded.list.roots.flatMap((root) => RootTree.open(root.path, root.identity) ?? []);
  const sides = new Sides(loaded, trees);
  let lines = 0;
  try {
    const selected = selectChanges(loaded.task, loaded.list.changes, wanted.paths);
    const entries = selected.map((change): DiffEntry => {
      if (wanted.isBrief) return { change };
      if (lines > linesMax) return { change, absent: "tooLarge" };
      const entry = entryOf(change, sides);
      lines += entry.lines?.length ?? 0;
      return entry;
    });
    return { task: loaded.task, entries, counts: { ...loaded.counts, ...countsByKind(selected) } };
  } finally {
    for (const tree of trees) tree.close();
  }
}

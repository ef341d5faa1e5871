// The end of a sandbox: its touch log becomes a list of changes with the bytes from before, and what the ledger says about them.
import type { Change, ChangeList, ChangeSummary } from "../contracts/changes.ts";
import type { TaskId } from "../contracts/ids.ts";
import type { Seal, StoredPieces } from "../contracts/stored-pieces.ts";
import { readTouches, type Touches } from "../guard/guard.ts";
import { wellFormedByteText } from "../kit/byte-text.ts";
import type { PieceWriter } from "../kit/sealed-pieces.ts";
import { keptDirectory, keptUntil, openBeforeWriter } from "./before-store.ts";
import { collectChanges } from "./collect-changes.ts";
import { countsByKind } from "./counts-by-kind.ts";
import { quarantinePlanted } from "./quarantine.ts";
import { RootTree } from "./root-tree.ts";

/** Enough for a sheet; the list has all. */
const shownMax = 20;
const firstMax = 200;

export interface GatherRequest {
  readonly task: TaskId;
  /** Of the sandbox, which has ended. */
  readonly privateDirectory: string;
  /** The state's directory for bytes from before. */
  readonly beforeDirectory: string;
  /** The state's quarantine. */
  readonly quarantineDirectory: string;
  readonly seal: Seal;
  readonly nowMs: number;
  readonly retentionDays: number;
}

/** What the record and the result say. */
export interface GatheredChanges {
  readonly summary: ChangeSummary;
  readonly keptBytes: number;
  /** The bytes that the record commits to. */
  readonly list: Buffer;
  readonly detail: Readonly<Record<string, unknown>>;
}

function detailOf(
  changes: readonly Change[],
  stored: {
    readonly pieces: StoredPieces;
    readonly list: { readonly offset: number; readonly length: number };
    readonly until: string;
    readonly quarantined: readonly string[];
  },
): Readonly<Record<string, unknown>> {
  const first = changes.slice(0, firstMax).map(({ path, kind, runsLater, commands }) => ({
    path: wellFormedByteText(path),
    kind,
    commands,
    ...(runsLater === true ? { runsLater } : {}),
  }));
  return { ...stored, first };
}

/** First what should not be there goes, then the list is made of what is. */
function lookAtRoots(
  touches: Touches,
  writer: PieceWriter,
  quarantine: string,
): { readonly found: ChangeList; readonly planted: readonly string[] } {
  const trees = touches.roots.flatMap((root) => RootTree.open(root.path, root.identity) ?? []);
  try {
    const planted = quarantinePlanted(touches, trees, quarantine);
    return { planted, found: collectChanges(touches, trees, writer) };
  } finally {
    for (const tree of trees) tree.close();
  }
}

/** undefined when nothing changed. */
export async function gatherChanges(request: GatherRequest): Promise<GatheredChanges | undefined> {
  const touches = readTouches(request.privateDirectory);
  if (touches === undefined) return undefined;
  try {
    if (touches.records.before.size === 0 && touches.records.missed === 0) return undefined;
    const until = keptUntil(request.nowMs, request.retentionDays);
    const writer = await openBeforeWriter({ root: request.beforeDirectory, task: request.task, until }, request.seal);
    const { found, planted } = lookAtRoots(touches, writer, keptDirectory(request.quarantineDirectory, request.task, until));
    if (found.changes.length === 0 && found.missed === 0 && planted.length === 0) return undefined;
    const list = Buffer.from(JSON.stringify(found));
    const place = { offset: writer.offset, length: list.length };
    writer.append(list);
    const pieces = writer.finish();
    const runsLater = found.changes.filter((change) => change.runsLater === true).map(({ path }) => path);
    return {
      summary: {
        counts: { ...countsByKind(found.changes), quarantined: planted.length, missed: found.missed },
        runsLater: runsLater.slice(0, shownMax),
        quarantined: planted.slice(0, shownMax),
        keptUntil: until,
      },
      keptBytes: writer.offset,
      list,
      detail: detailOf(found.changes, { pieces, list: place, until, quarantined: planted.slice(0, firstMax).map(wellFormedByteText) }),
    };
  } finally {
    touches.close();
  }
}

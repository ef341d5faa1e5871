// A checkpoint of an open sandbox: what differs from before its task at this moment, with the bytes as they are now, so that what comes later
// can be undone alone. What a command writes meanwhile is kept as it is found, as after a power cut.
import { createHash } from "node:crypto";
import type { Change, ChangeList, PathState } from "../contracts/changes.ts";
import type { TaskId } from "../contracts/ids.ts";
import type { Seal, StoredPieces } from "../contracts/stored-pieces.ts";
import { contentMax, readTouches, type Touches } from "../guard/guard.ts";
import type { PieceWriter } from "../kit/sealed-pieces.ts";
import { keptUntil, openBeforeWriter } from "./before-store.ts";
import { collectChanges } from "./collect-changes.ts";
import { RootTree } from "./root-tree.ts";

export interface CheckpointRequest {
  readonly task: TaskId;
  /** From 1 on. */
  readonly checkpoint: number;
  /** Of the sandbox, which is open. */
  readonly privateDirectory: string;
  /** The state's directory for bytes that are kept. */
  readonly beforeDirectory: string;
  readonly seal: Seal;
  readonly nowMs: number;
  readonly retentionDays: number;
}

export interface GatheredCheckpoint {
  /** Paths that differ from before the task. */
  readonly changes: number;
  readonly missed: number;
  readonly keptBytes: number;
  readonly keptUntil: string;
  /** The bytes that the record commits to. */
  readonly list: Buffer;
  readonly detail: {
    readonly pieces: StoredPieces;
    readonly list: { readonly offset: number; readonly length: number };
    readonly until: string;
  };
}

/** The touch log has the bytes from before until the task ends. */
const takesNothing = { offset: 0, append: () => {} } as const;

type Kept = Pick<Change, "after" | "kept">;

/** The state is that of the bytes: they may have changed since they were looked at. */
function keepContent(tree: RootTree | undefined, { path, after }: Change, state: PathState, writer: PieceWriter): Kept {
  if ((state.size ?? 0) > contentMax.fileBytes) return { after, kept: "tooLarge" };
  const room = Math.min(contentMax.fileBytes, contentMax.taskBytes - writer.offset);
  if ((state.size ?? 0) > room) return { after, kept: "noRoom" };
  const parts: Buffer[] = [];
  const isWhole = tree?.read(path, room, (bytes) => parts.push(Buffer.from(bytes))) === true;
  if (!isWhole) return { after, kept: "unreadable" };
  const bytes = Buffer.concat(parts);
  const kept = { offset: writer.offset, length: bytes.length };
  writer.append(bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { after: { type: "file", mode: state.mode, size: bytes.length, sha256 }, kept };
}

function withContent(change: Change, trees: readonly RootTree[], writer: PieceWriter): Change {
  const { kept: _, ...rest } = change;
  if (change.after?.type !== "file") return rest;
  const tree = trees.find((candidate) => candidate.holds(change.path));
  return { ...rest, ...keepContent(tree, change, change.after, writer) };
}

function lookAtRoots(touches: Touches, writer: PieceWriter): ChangeList {
  const trees = touches.roots.flatMap((root) => RootTree.open(root.path, root.identity) ?? []);
  try {
    const found = collectChanges(touches, trees, takesNothing);
    return { ...found, changes: found.changes.map((change) => withContent(change, trees, writer)) };
  } finally {
    for (const tree of trees) tree.close();
  }
}

export async function gatherCheckpoint(request: CheckpointRequest): Promise<GatheredCheckpoint> {
  const { task, checkpoint, beforeDirectory, seal } = request;
  const until = keptUntil(request.nowMs, request.retentionDays);
  const writer = await openBeforeWriter({ root: beforeDirectory, task, until, checkpoint }, seal);
  const touches = readTouches(request.privateDirectory);
  try {
    const found = touches === undefined ? { format: 1 as const, roots: [], changes: [], missed: 0 } : lookAtRoots(touches, writer);
    const keptBytes = writer.offset;
    const list = Buffer.from(JSON.stringify(found));
    writer.append(list);
    const detail = { pieces: writer.finish(), list: { offset: keptBytes, length: list.length }, until };
    return { changes: found.changes.length, missed: found.missed, keptBytes, keptUntil: until, list, detail };
  } finally {
    touches?.close();
  }
}

// What one writer knows of the log on disk, and how it follows records that others wrote. Pure: bytes in, next view out.
import { type FrameRead, readFrame } from "./frame.ts";
import { inconsistent } from "./ledger-errors.ts";
import { appendLeaf, emptyFrontier, leafHash } from "./merkle.ts";
import { readLink } from "./stored-bytes.ts";
import { type LogPosition, emptyLeaf } from "./tree-head.ts";

export interface LogView extends LogPosition {
  readonly log: string;
  /** The segment that `log.rotated` names, when that was the last record: the next record belongs there. */
  readonly next: number | undefined;
  /** True once a record was seen that the log did not write about itself. */
  readonly holdsEvents: boolean;
}

export function emptyView(log: string): LogView {
  return { log, segment: 0, offset: 0, leaf: emptyLeaf, frontier: emptyFrontier, next: undefined, holdsEvents: false };
}

interface Framed {
  readonly bytes: Buffer;
  /** Of the whole frame. */
  readonly length: number;
}

/** The view after a record that is known to continue it. */
export function advance(view: LogView, framed: Framed, record: { readonly type: string; readonly next: number | undefined }): LogView {
  const leaf = leafHash(framed.bytes);
  return {
    log: view.log,
    segment: view.segment,
    offset: view.offset + framed.length,
    leaf: leaf.toString("hex"),
    frontier: appendLeaf(view.frontier, leaf),
    next: record.next,
    holdsEvents: view.holdsEvents || !record.type.startsWith("log."),
  };
}

/** The view after one more record from disk. @throws LEDGER_INCONSISTENT when the record does not continue the chain */
function follow(view: LogView, framed: Framed): LogView {
  const { size } = view.frontier;
  const link = readLink(framed.bytes);
  const fits = link?.seq === size && link.prev === view.leaf && link.log === view.log && view.next === undefined;
  if (!fits) throw inconsistent("ledger.damaged", { segment: view.segment, seq: size });
  return advance(view, framed, { type: link.type, next: link.segment });
}

export interface Followed {
  readonly view: LogView;
  /** Why reading stopped: `end` = the bytes ended with a record. */
  readonly stopped: "end" | Exclude<FrameRead["kind"], "frame">;
  /** Bytes of the buffer that were followed. */
  readonly used: number;
}

/** Follows all whole records of `buffer`, which starts at the view's offset. `seen` is told every view on the way. */
export function followAll(start: LogView, buffer: Buffer, seen: (view: LogView) => void): Followed {
  let view = start;
  let used = 0;
  while (used < buffer.length) {
    const frame = readFrame(buffer, used);
    if (frame.kind !== "frame") return { view, stopped: frame.kind, used };
    view = follow(view, { bytes: frame.bytes, length: frame.end - used });
    used = frame.end;
    seen(view);
  }
  return { view, stopped: "end", used };
}

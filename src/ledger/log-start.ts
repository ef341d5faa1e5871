// Where opening begins to read: far enough from the end to check it, and no further, so that a long log opens fast.
import { readdirSync } from "node:fs";
import { isPresent } from "../kit/is-present.ts";
import { type Layout, segmentIndex } from "./layout.ts";
import { inconsistent } from "./ledger-errors.ts";
import { type LogView, emptyView } from "./log-view.ts";
import type { LogPosition } from "./tree-head.ts";

/** Opening checks at least this much of the log's end, and all of a shorter log. */
const recheckedBytes = 16 * 1024;

/** The highest segment on disk, -1 for none. @throws LEDGER_INCONSISTENT when one below it is missing */
export function lastSegment(layout: Layout): number {
  const indexes = readdirSync(layout.ledger).map((name) => segmentIndex(name) ?? -1);
  const last = Math.max(-1, ...indexes);
  for (let index = 0; index < last; index += 1) {
    if (!indexes.includes(index)) throw inconsistent("ledger.segment-missing", { path: layout.segment(index) });
  }
  return last;
}

/** Whether what follows `head`, up to `end`, is enough to check. */
export function leavesEnough(head: Pick<LogPosition, "segment" | "offset">, end: Pick<LogPosition, "segment" | "offset">): boolean {
  return head.segment < end.segment || head.offset <= end.offset - recheckedBytes;
}

/** The newest signed position that still leaves the end of the log to be checked; the very start of a short log. */
export function startingView(
  place: { readonly layout: Layout; readonly log: string },
  known: { readonly heads: readonly LogPosition[]; readonly partial: boolean },
): LogView {
  const { layout, log } = place;
  const empty = emptyView(log);
  const end = known.heads.at(-1);
  if (end === undefined) {
    if (known.partial) throw inconsistent("ledger.head-foreign", { path: layout.heads });
    return empty;
  }
  const early = known.heads.findLast((head) => leavesEnough(head, end));
  const start = early ?? (known.partial ? known.heads[0] : undefined);
  if (start === undefined) return empty;
  if (start.offset > 0 && !isPresent(layout.segment(start.segment)))
    throw inconsistent("ledger.segment-missing", { path: layout.segment(start.segment) });
  return { ...empty, ...start, holdsEvents: true };
}

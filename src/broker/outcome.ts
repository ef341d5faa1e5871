// From how a command ended to the words and numbers that doors show. The codes: docs/formats.md, "Exit codes".
import type { ExitReport } from "../contracts/boundary.ts";
import type { RunOutcome, RunResult } from "../contracts/door.ts";
import { errorTable } from "../contracts/error-table.ts";
import type { LimitHit } from "../contracts/limits.ts";

export interface Ending {
  readonly exit: ExitReport;
  readonly limitHits: readonly LimitHit[];
  readonly isCancelled: boolean;
}

export function childOf(exit: ExitReport): NonNullable<RunResult["child"]> {
  switch (exit.kind) {
    case "exited":
      return { kind: exit.kind, value: exit.code };
    case "not-started":
      return { kind: exit.kind, value: exit.code, ...(exit.stage === undefined ? {} : { stage: exit.stage }) };
    case "signalled":
      return { kind: exit.kind, value: exit.signal };
    case "lost":
      return { kind: exit.kind, value: 0 };
  }
}

export function outcomeOf({ exit, limitHits, isCancelled }: Ending): RunOutcome {
  if (limitHits.some((hit) => hit.limit === "wall")) return "timeout";
  if (limitHits.length > 0) return "limit";
  if (isCancelled) return "cancelled";
  if (exit.kind === "lost") return "lost";
  return exit.kind === "exited" && exit.code === 0 ? "ok" : "failed";
}

/** The child's own code passes through; 128 + n on a signal; ours otherwise. */
export function exitCodeOf(ending: Ending): number {
  const outcome = outcomeOf(ending);
  if (outcome === "timeout") return errorTable.LIMIT_WALL_TIME.exit;
  if (outcome === "limit") return errorTable.LIMIT_REACHED.exit;
  switch (ending.exit.kind) {
    case "exited":
    case "not-started":
      return ending.exit.code;
    case "signalled":
      return 128 + ending.exit.signal;
    case "lost":
      return errorTable.INTERNAL.exit;
  }
}

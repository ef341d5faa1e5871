// A list of changes in numbers.
import type { Change, ChangeCounts } from "../contracts/changes.ts";

/** What the changes themselves tell; what was missed or quarantined is none of them. */
export function countsByKind(changes: readonly Change[]): Omit<ChangeCounts, "missed" | "quarantined"> {
  const of = (kind: Change["kind"]): number => changes.filter((change) => change.kind === kind).length;
  return {
    created: of("created"),
    changed: of("changed"),
    deleted: of("deleted"),
    mode: of("mode"),
    replaced: of("replaced"),
    renamed: changes.filter(({ renamedFrom }) => renamedFrom !== undefined).length,
    runsLater: changes.filter(({ runsLater }) => runsLater === true).length,
  };
}

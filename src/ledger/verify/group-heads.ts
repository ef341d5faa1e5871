// One mistake in the log shows in every later tree head: the first is named, the others are counted.
import type { Finding } from "./walk.ts";

/** Keeps the first finding of each situation, and one `later-heads` with the number of the rest. @param findings about tree heads, in order */
export function groupHeads(findings: readonly Finding[]): readonly Finding[] {
  const bySituation = Map.groupBy(findings, ({ situation }) => situation);
  return [...bySituation.values()].flatMap(([first, second, ...rest]) => {
    if (first === undefined) return [];
    if (second === undefined) return [first];
    return [first, { ...second, situation: "later-heads", values: { seq: second.seq, segment: second.segment, count: rest.length + 1 } }];
  });
}

// Grouping of findings about tree heads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { groupHeads } from "./group-heads.ts";

const finding = (situation: string, seq: number) => ({
  exit: 1 as const,
  segment: "heads.log",
  seq,
  situation,
  values: { seq, segment: "heads.log" },
});

test("groupHeads() names the first of each situation and counts the rest", () => {
  const findings = [finding("root-differs", 4), finding("root-differs", 9), finding("forged-head", 9), finding("root-differs", 12)];
  assert.deepEqual(
    groupHeads(findings).map(({ situation, seq, exit, values }) => [situation, seq, exit, "count" in values ? values["count"] : undefined]),
    [
      ["root-differs", 4, 1, undefined],
      ["later-heads", 9, 1, 2],
      ["forged-head", 9, 1, undefined],
    ],
  );
  assert.deepEqual(groupHeads([]), []);
});

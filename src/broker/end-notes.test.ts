// What a person is told of a command's end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeText } from "../kit/escape-text.ts";
import { createTexts } from "../texts/texts.ts";
import { type Ended, endNotes } from "./end-notes.ts";

const text = createTexts("en", escapeText, { onMissing: "throw" });
const ended: Ended = { task: "t-0193f0c2a1b2-4d5e6f708192", outcome: "ok", child: { kind: "exited", value: 0 }, limitHits: [] };

test("endNotes() says why a command ended when that was not its own choice, and nothing else", () => {
  const cases: readonly (readonly [Partial<Ended>, RegExp])[] = [
    [{ outcome: "failed", child: { kind: "not-started", value: 127 } }, /no such command/u],
    [{ outcome: "failed", child: { kind: "not-started", value: 126 } }, /not executable/u],
    [{ outcome: "failed", child: { kind: "not-started", value: 127, stage: "directory" } }, /Cannot start in "\/gone": .*--allow-read/u],
    [
      { outcome: "failed", child: { kind: "not-started", value: 126, stage: "processes" } },
      /Cannot start "cmd": no more processes are allowed; .*ulimit -u/u,
    ],
    [{ outcome: "cancelled" }, /^The command was ended/u],
    [{ outcome: "timeout", limitHits: [{ limit: "wall", allowed: 90_000, observed: 90_012 }] }, /limit is 1 min 30 s.*--wall/u],
    [{ outcome: "limit", limitHits: [{ limit: "output", allowed: 1024, observed: 2048 }] }, /2 KiB.*1 KiB.*--output-limit/u],
    [{ outcome: "lost", child: { kind: "lost", value: 0 } }, /glovebox explain t-/u],
    [{ outcome: "denied", child: undefined }, /policy denies/u],
  ];
  for (const [changes, message] of cases) {
    const notes = endNotes({ ...ended, ...changes }, { argv: ["cmd"], cwd: "/gone" });
    assert.equal(notes.length, 1);
    assert.match(notes.map(text).join("\n"), message);
  }
  assert.deepEqual(endNotes(ended, { argv: ["cmd"], cwd: "/" }), []);
  assert.deepEqual(endNotes({ ...ended, outcome: "failed", child: { kind: "exited", value: 3 } }, { argv: ["cmd"], cwd: "/" }), []);
});

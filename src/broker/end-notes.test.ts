// What a person is told of a command's end.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RefusedCalls } from "../contracts/boundary.ts";
import { escapeText } from "../kit/escape-text.ts";
import { createTexts } from "../texts/texts.ts";
import { type Ended, endNotes } from "./end-notes.ts";

const text = createTexts("en", escapeText, { onMissing: "throw" });
const ended: Ended = { task: "t-0193f0c2a1b2-4d5e6f708192", outcome: "ok", child: { kind: "exited", value: 0 }, limitHits: [] };
const asked = { argv: ["cmd"], cwd: "/gone" } as const;
const none: RefusedCalls = { total: 0, first: [] };

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
    const notes = endNotes({ ...ended, ...changes }, asked, none);
    assert.equal(notes.length, 1);
    assert.match(notes.map(text).join("\n"), message);
  }
  assert.deepEqual(endNotes(ended, asked, none), []);
  assert.deepEqual(endNotes({ ...ended, outcome: "failed", child: { kind: "exited", value: 3 } }, asked, none), []);
});

test("endNotes() names each place once that was called where there is no network, three of them, and nothing of other refusals", () => {
  const first = ["a port 80", "a port 80", "n port 53", "b port 1", "c port 2", "d port 3"].map((path) => ({
    call: "connect" as const,
    errno: "ENETUNREACH",
    rule: "noNetwork" as const,
    path,
  }));
  const names = first.filter(({ path }) => path.endsWith(" 53"));
  assert.match(endNotes(ended, asked, { total: 1, first: names }).map(text).join(), /^The command looked up a name, .*--preset/u);
  const [note, ...others] = endNotes(ended, asked, { total: 6, first }).map(text);
  assert.match(note ?? "", /called a port 80, b port 1, c port 2, \+1, but there is no network here.*--preset/u);
  assert.deepEqual(others, []);
  assert.deepEqual(endNotes(ended, asked, { total: 6, first: first.map((call) => ({ ...call, rule: "hostSocket" as const })) }), []);
});

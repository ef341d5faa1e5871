// `glovebox sandbox prune`: what it says, and that a dry run asks for no more than a list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeBroker, fakeSandbox } from "../../contracts/testing/fake-broker.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const task = "t-0193f0c2a1b2-4d5e6f708192";

function prune(...words: readonly string[]) {
  const asked: boolean[] = [];
  const broker = fakeBroker({
    prune: async ({ isDry }) => {
      asked.push(isDry);
      return [{ sandbox: fakeSandbox, task, reason: "expired" }];
    },
  });
  const door = {
    findBroker: async () => broker,
    pruneTasks: async ({ isDry }: { readonly isDry: boolean }) => {
      asked.push(isDry);
      return [{ task }];
    },
  };
  return { asked, call: callCli(["sandbox", "prune", ...words], { door }) };
}

test("sandbox prune removes both kinds and says why each went; a dry run removes neither", async () => {
  for (const [words, isDry, end] of [
    [[], false, "2 removed"],
    [["--dry-run"], true, "2 would be removed"],
  ] as const) {
    const { asked, call } = prune(...words);
    const { code, out, err } = await call;
    assert.deepEqual([code, asked], [0, [isDry, isDry]]);
    assert.match(out(), new RegExp(`^- of task ${task}: its broker is gone\n${fakeSandbox} of task ${task}: its time is over\n$`, "u"));
    assert.match(err(), new RegExp(end, "u"));
  }
});

test("sandbox prune says when there is nothing, and needs no broker", async () => {
  const { code, out, err } = await callCli(["sandbox", "prune"]);
  assert.deepEqual([code, out()], [0, ""]);
  assert.match(err(), /Nothing to remove/u);
});

// One question at a time, and the command's output waits for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConnectionQuestion, GivenAnswer } from "../../contracts/approval.ts";
import { approvalIdSchema } from "../../contracts/ids.ts";
import { PromptTurn } from "./prompt-turn.ts";

const question: ConnectionQuestion = {
  id: approvalIdSchema.parse("q-000000000001-000000000001"),
  kind: "connection",
  task: "t",
  host: "a.test",
  port: 443,
  protocols: ["https"],
  process: undefined,
  ruleId: undefined,
  reason: "",
  policyHash: "p",
  lifetimeMs: 1,
  tell: [],
};

const granted: GivenAnswer = { answer: "granted", by: "terminal" };
const refused: GivenAnswer = { answer: "refused", by: "terminal" };

test("PromptTurn asks one after the other, holds output and input meanwhile, and gives both back", async () => {
  const turn = new PromptTurn();
  const happened: string[] = [];
  const answers = [Promise.withResolvers<GivenAnswer>(), Promise.withResolvers<GivenAnswer>()];
  let asked = 0;
  const ask = turn.asking(
    () => {
      happened.push(`asked ${asked}`);
      const answer = answers[asked];
      asked += 1;
      return answer?.promise ?? Promise.resolve(refused);
    },
    async () => {
      happened.push("held");
      return () => happened.push("given back");
    },
  );
  const { signal } = new AbortController();
  const both = [ask(question, signal), ask(question, signal)];
  const passed = turn.pass(async () => void happened.push("output"));
  answers[0]?.resolve(granted);
  assert.equal(await both[0], granted);
  answers[1]?.resolve(refused);
  assert.equal(await both[1], refused);
  await turn.idle();
  await passed;
  assert.deepEqual(happened, ["held", "asked 0", "given back", "held", "asked 1", "given back", "output"]);
});

test("PromptTurn waits for output that is on its way, and asks nobody what was withdrawn meanwhile", async () => {
  const turn = new PromptTurn();
  const written = Promise.withResolvers<void>();
  const passing = turn.pass(() => written.promise);
  const withdrawn = new AbortController();
  let isAsked = false;
  const ask = turn.asking(
    async () => {
      isAsked = true;
      return granted;
    },
    async () => () => {},
  );
  const answer = ask(question, withdrawn.signal);
  withdrawn.abort();
  written.resolve();
  await passing;
  assert.deepEqual(await answer, refused);
  assert.equal(isAsked, false);
});

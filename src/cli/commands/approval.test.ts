// `glovebox approval`: what is listed and shown, what grants and what does not, and that nothing of it is told as done before the broker took it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAnswer, CommandQuestion } from "../../contracts/approval.ts";
import type { ApprovalDoor, OpenQuestion } from "../../contracts/approval-door.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { approvalIdSchema } from "../../contracts/ids.ts";
import { fakeBroker } from "../../contracts/testing/fake-broker.ts";
import { callCli, type FakeCall, type FakeCallOptions } from "../testing/run-fake-cli.ts";

const id = approvalIdSchema.parse("q-000000000001-000000000001");
const question: CommandQuestion = {
  id,
  kind: "command",
  argv: ["git", "push", "\u001B[2J\u202E"],
  cwd: "/home/ada/project",
  ruleId: "push",
  reason: "",
  policyHash: "sha256:0",
  files: [],
  filesInWriteRoots: [],
  environmentNames: [],
  notBound: [],
  lifetimeMs: 600_000,
  tell: [],
};
const open: OpenQuestion = { id, kind: "command", about: question.argv, askedAtMs: 0, expiresAtMs: Number.MAX_SAFE_INTEGER };
const codeIn = (shown: string): string => /Type ([a-z]+) to run/u.exec(shown)?.[1] ?? "";

interface Answered extends FakeCall {
  readonly answers: readonly ApprovalAnswer[];
}

/** A broker with one open question. @param refusal what it says to an answer */
async function call(words: readonly string[], options: FakeCallOptions = {}, refusal?: GloveboxError): Promise<Answered> {
  const answers: ApprovalAnswer[] = [];
  const approvals: ApprovalDoor = {
    ask: async () => ({ answer: "refused", by: "webhook" }),
    list: ({ after, signal }) => {
      const now = { revision: answers.length, questions: answers.length === 0 ? [open] : [] };
      if (after === undefined || after !== now.revision || signal.aborted) return Promise.resolve(now);
      const { promise, resolve } = Promise.withResolvers<typeof now>();
      signal.addEventListener("abort", () => resolve(now), { once: true });
      return promise;
    },
    show: async () => question,
    answer: async (_approval, answer) => {
      if (refusal !== undefined) throw refusal;
      answers.push(answer);
    },
  };
  const reach = async () => fakeBroker({}, approvals);
  const door = { reachBroker: reach, reachRunningBroker: reach, findBroker: reach };
  return { ...(await callCli(["approval", ...words, "--no-color"], { ...options, door })), answers };
}

test("`approval ls` and `approval show` write hostile text harmlessly, for people and as JSON", async () => {
  for (const words of [["ls"], ["show", id], ["ls", "--json"], ["show", id, "--json"]]) {
    const { code, out } = await call(words);
    assert.equal(code, 0);
    assert.match(out(), /git/u);
    assert.doesNotMatch(out().replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  }
  assert.match((await call(["ls"])).out(), /^q-000000000001-000000000001 +command +\S.* left +git push /u);
  assert.doesNotMatch((await call(["show", id])).out(), /Type [a-z]+/u);
});

test("`approval ls` without a broker, or without questions, says so", async () => {
  const { code, err } = await callCli(["approval", "ls"]);
  assert.equal(code, 0);
  assert.match(err(), /No open questions/u);
});

test("`approval approve` grants by the code alone", async () => {
  const granted = await call(["approve", id], { answer: codeIn });
  assert.deepEqual([granted.code, granted.answers], [0, ["granted"]]);
  assert.match(granted.prompted(), /Granted, once\./u);
  for (const reply of [undefined, "", "y", "yes", id])
    assert.deepEqual((await call(["approve", id], { answer: () => reply })).answers, ["refused"]);
});

test("`approval approve` says nothing of a grant that the broker does not take", async () => {
  const refusal = new GloveboxError("ACCESS_REFUSED", "approval.same-terminal", { values: { approval: id } });
  const { code, prompted, err } = await call(["approve", id], { answer: codeIn }, refusal);
  assert.equal(code, 125);
  assert.doesNotMatch(prompted(), /Granted/u);
  assert.match(err(), /from this terminal/u);
});

test("`approval approve` and `watch` answer nothing without a terminal, and `approve` nothing for a program", async () => {
  for (const words of [["approve", id], ["watch"]]) {
    const { code, answers, err } = await call(words);
    assert.deepEqual([code, answers], [121, []]);
    assert.match(err(), /APPROVAL_UNAVAILABLE/u);
  }
  assert.deepEqual([(await call(["approve", id, "--json"], { answer: codeIn })).code], [2]);
});

test("`approval deny` refuses without showing anything", async () => {
  const { code, answers, prompted } = await call(["deny", id], { answer: codeIn });
  assert.deepEqual([code, answers, prompted()], [0, ["refused"], ""]);
});

test("`approval watch` asks about each open question once, and leaves at ctrl-c", async () => {
  const { code, answers } = await call(["watch"], {
    answer: codeIn,
    during: ({ events, prompted }) => {
      const leave = (): void => {
        if (prompted().includes("Granted")) events.emit("SIGINT");
        else setImmediate(leave);
      };
      leave();
    },
  });
  assert.deepEqual([code, answers], [0, ["granted"]]);
});

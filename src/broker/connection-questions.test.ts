// What a person's answer about a connection is worth: recorded around the question, in time, under its policy, within the limits.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { ApprovalAnswer, ApprovalQuestion, AskPerson } from "../contracts/approval.ts";
import type { EgressEvent, EgressQuestion } from "../contracts/egress-record.ts";
import { actionIdSchema, taskIdSchema } from "../contracts/ids.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { processStartTime } from "../kit/process-identity.ts";
import { loadPolicy } from "../policy/policy.ts";
import { connectionQuestionMs, ConnectionQuestions } from "./connection-questions.ts";

function policyOf(limits = ""): CompiledPolicy {
  const text = `apiVersion: glovebox/v1\n${limits}\negress: [{id: api, hosts: [a.test], verdict: ask, reason: why}]\n`;
  return loadPolicy([{ origin: "user", label: "x", format: "yaml", text }], { home: "/h", projectDirectory: "/p" });
}

const place: EgressQuestion = { host: "a.test", port: 443, protocols: ["https"], via: "captured", rule: "api" };
const claimed: EgressEvent = { verdict: "allow", reason: "approved", host: "a.test", port: 443, via: "captured", protocols: ["https"] };

interface Desk {
  readonly questions: ConnectionQuestions;
  readonly asked: readonly ApprovalQuestion[];
  readonly records: readonly string[];
  readonly caller: AbortController;
  readonly passMs: (ms: number) => void;
  readonly open: () => Promise<readonly string[]>;
}

async function desk(t: TestContext, answer: (() => Promise<ApprovalAnswer>) | undefined, policy = policyOf()): Promise<Desk> {
  const base = await mkdtemp(path.join(os.tmpdir(), "glovebox-questions-"));
  t.after(() => rm(base, { recursive: true }));
  const asked: ApprovalQuestion[] = [];
  const records: string[] = [];
  const caller = new AbortController();
  let nowMs = 1_700_000_000_000;
  const ask: AskPerson | undefined =
    answer === undefined
      ? undefined
      : (question) => {
          asked.push(question);
          return answer().then((given) => ({ answer: given, by: "terminal" as const }));
        };
  const record = {
    approvalAsked: async () => void records.push("asked"),
    approvalAnswered: async (_id: unknown, how: string) => void records.push(how),
  };
  const clock = { wallMs: () => nowMs, monotonicNs: () => BigInt(nowMs) * 1_000_000n, bootId: "b" };
  const owner = { pid: process.pid, startTime: (await processStartTime(process.pid)) ?? "", boot: "b" };
  const ids = { nowMs: () => nowMs, randomBytes: (length: number) => new Uint8Array(length).fill(asked.length) };
  const pendingDirectory = path.join(base, "approvals");
  const about = {
    task: taskIdSchema.parse("t-000000000001-000000000001"),
    action: actionIdSchema.parse("a-000000000001-000000000001"),
  };
  const parts = { about, ask, caller: caller.signal, record, ids, clock, owner, pendingDirectory };
  const questions = new ConnectionQuestions(parts, policy);
  return { questions, asked, records, caller, passMs: (ms) => (nowMs += ms), open: () => readdir(pendingDirectory) };
}

test("ConnectionQuestions shows the place, and an event that claims the grant rests on its approval", async (t) => {
  const { questions, asked, records, open } = await desk(t, () => Promise.resolve("granted"));
  assert.throws(() => questions.approvalOf(claimed), TypeError, "nobody has granted it yet");
  assert.equal(await questions.ask(place, "curl"), "granted");
  const [question] = asked;
  assert.ok(question?.kind === "connection");
  const { host, port, process: asker, ruleId, reason, task } = question;
  assert.deepEqual([host, port, asker, ruleId, reason, task], ["a.test", 443, "curl", "api", "why", "t-000000000001-000000000001"]);
  assert.equal(question.policyHash, policyOf().hash);
  assert.deepEqual(records, ["asked", "granted"]);
  assert.equal(questions.approvalOf(claimed), question.id);
  for (const other of [{ host: "b.test" }, { port: 80 }, { protocols: ["tcp"] }])
    assert.throws(() => questions.approvalOf({ ...claimed, ...other }), TypeError);
  assert.equal(questions.approvalOf({ ...claimed, reason: "rule" }), undefined);
  assert.deepEqual(await open(), []);
});

test("ConnectionQuestions takes no answer that is late, refused, from under another policy, or nobody's", async (t) => {
  const refusing = await desk(t, () => Promise.resolve("refused"));
  assert.equal(await refusing.questions.ask(place, undefined), "refused");
  const late = await desk(t, async () => {
    late.passMs(connectionQuestionMs);
    return "granted";
  });
  assert.equal(await late.questions.ask(place, undefined), "unanswered");
  assert.deepEqual(late.records, ["asked", "expired"]);
  const nobody = await desk(t, undefined);
  assert.equal(await nobody.questions.ask(place, undefined), "nobody");
  assert.deepEqual(nobody.records, []);
  const none = await desk(t, () => Promise.resolve("granted"), policyOf("limits: {pendingApprovals: 0}"));
  assert.equal(await none.questions.ask(place, undefined), "too-many");
  for (const { questions } of [refusing, late, nobody, none]) assert.throws(() => questions.approvalOf(claimed), TypeError);
});

test("ConnectionQuestions withdraws what is open when the task ends, its caller leaves or its policy is replaced, and forgets what was granted", async (t) => {
  const never = (): Promise<ApprovalAnswer> => new Promise(() => {});
  for (const end of [
    ({ questions }: Desk) => questions.withdraw(),
    ({ caller }: Desk) => caller.abort(),
    ({ questions }: Desk) => questions.replacePolicy(policyOf("limits: {openFiles: 100}")),
  ]) {
    const at = await desk(t, never);
    const waiting = at.questions.ask(place, undefined);
    while (at.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    end(at);
    assert.equal(await waiting, "unanswered");
    assert.deepEqual(at.records, ["asked", "withdrawn"]);
    assert.deepEqual(await at.open(), []);
  }
  const granting = await desk(t, () => Promise.resolve("granted"));
  await granting.questions.ask(place, undefined);
  granting.questions.replacePolicy(policyOf("limits: {openFiles: 100}"));
  assert.throws(() => granting.questions.approvalOf(claimed), TypeError);
});

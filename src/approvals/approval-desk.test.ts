// The desk: what is open is listed and shown, an answer counts once, and a grant only from another terminal than the asker's.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { GivenAnswer } from "../contracts/approval.ts";
import type { Standing } from "../contracts/approval-door.ts";
import { ApprovalDesk } from "./approval-desk.ts";
import { approvalId, commandQuestion, connectionQuestion } from "./testing/questions.ts";

const at = (...terminals: readonly number[]): Standing => ({ terminals, isInForeground: terminals.length > 0 });
const nobody = () => new Promise<GivenAnswer>(() => {});
const never = new AbortController().signal;

function openDesk(tell: () => Promise<GivenAnswer> = nobody) {
  const uses: boolean[] = [];
  const desk: ApprovalDesk = new ApprovalDesk({ nowMs: () => 1000, tell, onChange: () => void uses.push(desk.isUsed) });
  return { desk, uses };
}

test("ApprovalDesk lists what is open, oldest first, in a few words, and shows the whole", async () => {
  const { desk, uses } = openDesk();
  const long = commandQuestion({ argv: ["echo", "a".repeat(10_000)] });
  const first = desk.ask(long, { asker: at(1), signal: never });
  void desk.ask(connectionQuestion({ id: approvalId(2) }), { asker: at(1), signal: never });
  const { questions } = await desk.list({ signal: never });
  assert.deepEqual(
    questions.map(({ id, about, askedAtMs, expiresAtMs }) => [id, about.join(" ").length <= 258, askedAtMs, expiresAtMs]),
    [
      [approvalId(1), true, 1000, 61_000],
      [approvalId(2), true, 1000, 61_000],
    ],
  );
  assert.equal(desk.show(approvalId(1)), long);
  desk.answer(approvalId(1), "granted", at(2));
  assert.deepEqual(await first, { answer: "granted", by: "other-terminal" });
  assert.throws(() => desk.answer(approvalId(1), "granted", at(2)), { code: "APPROVAL_UNKNOWN" });
  assert.throws(() => desk.show(approvalId(1)), { code: "APPROVAL_UNKNOWN" });
  assert.deepEqual(uses, [true, true, true]);
});

test("ApprovalDesk takes a grant only from the foreground of a terminal at which neither the asker nor who started it stands", async () => {
  const { desk } = openDesk();
  const asked = desk.ask(commandQuestion(), { asker: at(1, 2), signal: never });
  const wrong: readonly Standing[] = [at(), at(1), at(2), at(3, 2), { terminals: [3], isInForeground: false }];
  for (const from of wrong)
    assert.throws(() => desk.answer(approvalId(1), "granted", from), { code: "ACCESS_REFUSED" }, from.terminals.join());
  desk.answer(approvalId(1), "refused", at());
  assert.deepEqual(await asked, { answer: "refused", by: "other-terminal" });
});

test("ApprovalDesk forgets a question that is withdrawn, and wakes whoever waits for a change", async () => {
  const { desk, uses } = openDesk();
  const leaving = new AbortController();
  const { revision } = await desk.list({ signal: never });
  const changed = desk.list({ after: revision, signal: never });
  assert.equal(desk.isUsed, true, "somebody waits");
  void desk.ask(commandQuestion(), { asker: at(), signal: leaving.signal });
  const open = await changed;
  assert.equal(open.questions.length, 1);
  const gone = desk.list({ after: open.revision, signal: never });
  leaving.abort();
  assert.deepEqual((await gone).questions, []);
  assert.equal(uses.at(-1), false);
  assert.deepEqual((await desk.list({ after: (await gone).revision, signal: AbortSignal.abort() })).questions, []);
});

test("ApprovalDesk bounds how many wait and how large one may be, and takes no id twice", async () => {
  const { desk } = openDesk();
  const ask = (number: number) => desk.ask(commandQuestion({ id: approvalId(number) }), { asker: at(), signal: never });
  const large = commandQuestion({ argv: ["x".repeat(512 * 1024)] });
  await assert.rejects(desk.ask(large, { asker: at(), signal: never }), { code: "APPROVAL_UNAVAILABLE" });
  void ask(0);
  await assert.rejects(ask(0), { code: "APPROVAL_LIMIT" });
  for (let number = 1; number < 64; number += 1) void ask(number);
  await assert.rejects(ask(64), { code: "APPROVAL_LIMIT" });
});

test("ApprovalDesk takes the answer of a place that the question names, and refuses to ask where that cannot be", async () => {
  const byPlace: GivenAnswer = { answer: "granted", by: "webhook", url: "https://a.test/" };
  const { desk } = openDesk(async () => byPlace);
  assert.equal(await desk.ask(commandQuestion(), { asker: at(1), signal: never }), byPlace);
  const { desk: broken } = openDesk(() => Promise.reject(new Error("no key")));
  await assert.rejects(broken.ask(commandQuestion(), { asker: at(1), signal: never }), /no key/u);
  assert.deepEqual((await broken.list({ signal: never })).questions, []);
});

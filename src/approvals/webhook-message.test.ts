// What a place is sent and may answer: the form that docs/approvals.md gives, and everything that is no answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { connectionQuestion } from "./testing/questions.ts";
import { answerIn, noticeHeaders, noticeOf, type SignedAnswer, signAnswer } from "./webhook-message.ts";

const key = Buffer.from("0123456789abcdef0123456789abcdef");
const other = Buffer.from("0123456789abcdef0123456789abcdee");
const seconds = 1_800_000_000;
const notice = noticeOf(connectionQuestion({ reason: "a\u202Eb" }));
const right = { id: notice.approval, question: notice.digest, answer: "granted", time: seconds };
const signed = (document: unknown, by: Uint8Array = key): SignedAnswer => signAnswer(JSON.stringify(document), by);
const heard = (given: SignedAnswer) => answerIn(given, notice, { seconds, key });

test("noticeOf() is the question as JSON that moves and hides nothing; where else it is told is not in it", () => {
  const { tell: _tell, ...shown } = connectionQuestion({ reason: "a\u202Eb" });
  assert.deepEqual(JSON.parse(notice.body), { version: 1, question: shown });
  assert.doesNotMatch(notice.body.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  assert.equal(noticeOf(connectionQuestion({ reason: "a\u202Eb", tell: [{ url: "https://a.test/" }] })).body, notice.body);
});

test("noticeHeaders() signs time, id and body", () => {
  const headers = noticeHeaders({ approval: "q-1", body: "{}\n", digest: "" }, seconds, key);
  assert.deepEqual(headers, {
    "content-type": "application/json",
    "glovebox-id": "q-1",
    "glovebox-time": "1800000000",
    // printf 'glovebox-question\n1800000000\nq-1\n{}\n' | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef
    "glovebox-signature": "v1=9d66bcfde7796b94c549d388b1a4c8777bf499dc9e060aec0de1c536bc92038e",
  });
});

test("answerIn() takes an answer to exactly this notice, now, under the key", () => {
  assert.equal(heard(signed(right)), "granted");
  assert.equal(heard(signed({ ...right, answer: "refused" })), "refused");
  for (const time of [seconds - 60, seconds + 60]) assert.equal(heard(signed({ ...right, time })), "granted");
});

test("answerIn() takes nothing else", () => {
  const { body, signature } = signed(right);
  const wrong: Readonly<Record<string, SignedAnswer>> = {
    "another key": signed(right, other),
    "no signature": { body, signature: "" },
    "a shorter signature": { body, signature: signature.slice(0, -1) },
    "another body": { body: body.replace("granted", "refused"), signature },
    "another question": signed({ ...right, question: "sha256:0" }),
    "another id": signed({ ...right, id: "q-000000000001-000000000002" }),
    "an old answer": signed({ ...right, time: seconds - 61 }),
    "an answer from later": signed({ ...right, time: seconds + 61 }),
    "no time": signed({ ...right, time: undefined }),
    "another word": signed({ ...right, answer: "yes" }),
    "a word more": signed({ ...right, always: true }),
    "no JSON": signAnswer("granted", key),
    "our own notice": {
      body: notice.body,
      signature: noticeHeaders(notice, seconds, key)["glovebox-signature"] ?? "",
    },
  };
  for (const [what, given] of Object.entries(wrong)) assert.equal(heard(given), undefined, what);
});

test("answerIn() never throws and never grants, whatever comes unsigned", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (body, signature) => assert.equal(heard({ body, signature }), undefined)));
});

// A place is asked again until it answers as agreed; nothing else ends the question, and no question without places is told to anybody.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { PostAnswer } from "../kit/post-small.ts";
import { type WebhookParts, webhookAsker } from "./ask-webhook.ts";
import { connectionQuestion } from "./testing/questions.ts";
import { noticeOf, signAnswer } from "./webhook-message.ts";

const key = "0123456789abcdef0123456789abcdef";
const question = connectionQuestion({ tell: ["https://a.test/"] });
const notice = noticeOf(question);

const plain = (status: number, body = ""): PostAnswer => ({ status, body, header: () => undefined });

function answered(answer: string): PostAnswer {
  const body = JSON.stringify({ id: notice.approval, question: notice.digest, answer, time: 1000 });
  const { signature } = signAnswer(body, Buffer.from(key));
  return { status: 200, body, header: (name) => (name === "glovebox-signature" ? signature : undefined) };
}

async function asker(t: TestContext, script: readonly (PostAnswer | undefined)[]) {
  const base = await mkdtemp(path.join(os.tmpdir(), "glovebox-webhook-"));
  t.after(() => rm(base, { recursive: true }));
  const keyFile = path.join(base, "key");
  await writeFile(keyFile, key, { mode: 0o600 });
  const pauses: number[] = [];
  const posted: string[] = [];
  const left = [...script];
  const parts: WebhookParts = {
    keyFile,
    uid: process.getuid?.() ?? -1,
    nowMs: () => 1_000_000,
    post: async (place) => {
      posted.push(place);
      return left.shift();
    },
    pause: async (ms, signal) => {
      pauses.push(ms);
      signal.throwIfAborted();
    },
  };
  return { ask: webhookAsker(parts), keyFile, pauses, posted };
}

test("webhookAsker() asks again at the same pace while there is no answer yet, and ever slower when the place is not well", async (t) => {
  const strange = [undefined, plain(500), plain(200, "granted"), plain(302), plain(404), plain(200)];
  const { ask, pauses, posted } = await asker(t, [plain(202), plain(202), ...strange, plain(202), answered("granted")]);
  assert.equal(await ask(question, new AbortController().signal), "granted");
  assert.deepEqual(pauses, [2000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 2000]);
  assert.deepEqual(new Set(posted), new Set(["https://a.test/"]));
});

test("webhookAsker() takes a signed refusal", async (t) => {
  const { ask } = await asker(t, [answered("refused")]);
  assert.equal(await ask(question, new AbortController().signal), "refused");
});

test("webhookAsker() stops when nobody waits any more", async (t) => {
  const { ask, posted } = await asker(t, [plain(202), answered("granted")]);
  await assert.rejects(ask(question, AbortSignal.abort()), { name: "AbortError" });
  assert.equal(posted.length, 1);
});

test("webhookAsker() refuses to ask without a key, and tells nobody of a question that names no place", async (t) => {
  const { ask, keyFile, posted } = await asker(t, []);
  assert.equal(
    await Promise.race([
      ask({ ...question, tell: [] }, new AbortController().signal),
      new Promise((resolve) => setImmediate(resolve, "waits")),
    ]),
    "waits",
  );
  await rm(keyFile);
  await assert.rejects(ask(question, new AbortController().signal), { code: "APPROVAL_UNAVAILABLE", situation: "approval.webhook-key" });
  assert.deepEqual(posted, []);
});

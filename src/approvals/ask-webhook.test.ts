// A place is asked again until it answers as agreed; nothing else ends the question, and no question without places is told to anybody.
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import tls from "node:tls";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { PostAnswer } from "../kit/post-small.ts";
import { type WebhookParts, webhookAsker } from "./ask-webhook.ts";
import { connectionQuestion } from "./testing/questions.ts";
import { noticeOf, signAnswer } from "./webhook-message.ts";

const key = "0123456789abcdef0123456789abcdef";
const question = connectionQuestion({ tell: [{ url: "https://a.test/" }] });
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
    post: async (place, { authorities }) => {
      posted.push(authorities === undefined ? place : `${place} ${authorities}`);
      return left.shift();
    },
    pause: async (ms, signal) => {
      pauses.push(ms);
      signal.throwIfAborted();
    },
  };
  return { ask: webhookAsker(parts), base, keyFile, pauses, posted };
}

test("webhookAsker() asks again at the same pace while there is no answer yet, and ever slower when the place is not well", async (t) => {
  const strange = [undefined, plain(500), plain(200, "granted"), plain(302), plain(404), plain(200)];
  const { ask, pauses, posted } = await asker(t, [plain(202), plain(202), ...strange, plain(202), answered("granted")]);
  assert.deepEqual(await ask(question, new AbortController().signal), { answer: "granted", by: "webhook", url: "https://a.test/" });
  assert.deepEqual(pauses, [2000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 2000]);
  assert.deepEqual(new Set(posted), new Set(["https://a.test/"]));
});

test("webhookAsker() takes a signed refusal", async (t) => {
  const { ask } = await asker(t, [answered("refused")]);
  assert.deepEqual(await ask(question, new AbortController().signal), { answer: "refused", by: "webhook", url: "https://a.test/" });
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

test("webhookAsker() trusts the authorities that the place names, and tells no place of a question when one of their files is not to be believed", async (t) => {
  const { ask, base, posted } = await asker(t, [answered("granted")]);
  const [pem] = tls.rootCertificates;
  assert.ok(pem !== undefined);
  const ca = path.join(base, "ca.pem");
  await writeFile(ca, pem, { mode: 0o644 });
  const own = { ...question, tell: [{ url: "https://a.test/", ca }] };
  await ask(own, new AbortController().signal);
  assert.deepEqual(posted, [`https://a.test/ ${pem}`]);
  const refusal = async (): Promise<unknown> =>
    ask({ ...own, tell: [{ url: "https://b.test/" }, ...own.tell] }, new AbortController().signal).then(
      () => "asked",
      (error: unknown) => (error instanceof GloveboxError ? [error.code, error.situation, error.values["reason"]] : error),
    );
  const refused = (reason: string): unknown => ["APPROVAL_UNAVAILABLE", "approval.webhook-authorities", reason];
  await chmod(ca, 0o664);
  assert.deepEqual(await refusal(), refused("open-mode"));
  await chmod(ca, 0o644);
  for (const text of ["", "no certificate", pem.replace("-----BEGIN CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\nAAAA")]) {
    await writeFile(ca, text);
    assert.deepEqual(await refusal(), refused("no-certificate"));
  }
  await rm(ca);
  assert.deepEqual(await refusal(), refused("ENOENT"));
  await symlink(path.join(base, "key"), ca);
  assert.deepEqual(await refusal(), refused("ELOOP"));
  assert.equal(posted.length, 1);
});

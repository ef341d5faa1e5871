// What goes to a place that a policy names, and what comes back: both signed with one key, each kind under a word of its own, so that no notice can
// be sent back as an answer. docs/approvals.md has the form. INVARIANT I-12
import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { ApprovalAnswer, ApprovalQuestion } from "../contracts/approval.ts";
import { madeOnce } from "../contracts/made-once.ts";
import { sha256Digest } from "../kit/digest.ts";
import { printableJson } from "../kit/printable-json.ts";

/** How far the clocks may be apart. */
export const clockSkewSeconds = 60;

export interface Notice {
  readonly approval: string;
  readonly body: string;
  /** Of the body: an answer names it. */
  readonly digest: string;
}

/** The same question gives the same bytes however often it is sent. */
export function noticeOf(question: ApprovalQuestion): Notice {
  const { tell: _tell, ...shown } = question;
  const body = printableJson({ version: 1, question: shown });
  return { approval: question.id, body, digest: sha256Digest(body) };
}

function signature(kind: "question" | "answer", words: readonly string[], key: Uint8Array): string {
  return `v1=${createHmac("sha256", key)
    .update([`glovebox-${kind}`, ...words].join("\n"))
    .digest("hex")}`;
}

/** @param seconds since the epoch */
export function noticeHeaders({ approval, body }: Notice, seconds: number, key: Uint8Array): Readonly<Record<string, string>> {
  return {
    "content-type": "application/json",
    "glovebox-id": approval,
    "glovebox-time": `${seconds}`,
    "glovebox-signature": signature("question", [`${seconds}`, approval, body], key),
  };
}

const answerSchema = madeOnce(() =>
  z.strictObject({
    id: z.string(),
    /** Of the notice's body. */
    question: z.string(),
    answer: z.enum(["granted", "refused"]),
    /** Seconds since the epoch. */
    time: z.int(),
  }),
);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface SignedAnswer {
  readonly body: string;
  readonly signature: string;
}

/** Undefined for whatever is no answer to exactly this notice, now, by the holder of the key. */
export function answerIn(
  given: SignedAnswer,
  notice: Notice,
  { seconds, key }: { readonly seconds: number; readonly key: Uint8Array },
): ApprovalAnswer | undefined {
  const expected = Buffer.from(signature("answer", [given.body], key));
  const found = Buffer.from(given.signature);
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return undefined;
  const answer = answerSchema().safeParse(parseJson(given.body)).data;
  if (answer === undefined || answer.id !== notice.approval || answer.question !== notice.digest) return undefined;
  return Math.abs(seconds - answer.time) <= clockSkewSeconds ? answer.answer : undefined;
}

/** As whoever answers writes it. */
export function signAnswer(body: string, key: Uint8Array): SignedAnswer {
  return { body, signature: signature("answer", [body], key) };
}

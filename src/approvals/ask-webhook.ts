// Asks at the places that a question names, by asking again until one of them answers: nothing listens here, and nobody outside can begin to talk
// to the broker.
import { setTimeout as delay } from "node:timers/promises";
import type { ApprovalAnswer, ApprovalQuestion } from "../contracts/approval.ts";
import { postSmall } from "../kit/post-small.ts";
import { answerIn, type Notice, noticeHeaders, noticeOf } from "./webhook-message.ts";
import { readWebhookKey } from "./webhook-key.ts";

/** A place may keep a request open this long before it says that there is no answer yet. */
const requestMs = 30_000;
const answerBytesMax = 4096;
/** Between two requests; doubled while the place does not answer as agreed. */
const pauseMs = { first: 2_000, last: 30_000 } as const;

export interface WebhookParts {
  readonly keyFile: string;
  readonly uid: number;
  readonly nowMs: () => number;
  readonly post: typeof postSmall;
  /** Resolves after a while, or rejects when aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

export const webhookDefaults = { post: postSmall, pause: (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }) } as const;

interface Asking {
  readonly notice: Notice;
  readonly key: Uint8Array;
  readonly signal: AbortSignal;
}

type Heard = ApprovalAnswer | "later" | "strange";

async function askOnce({ nowMs, post }: WebhookParts, place: string, { notice, key, signal }: Asking): Promise<Heard> {
  const seconds = (): number => Math.floor(nowMs() / 1000);
  const headers = noticeHeaders(notice, seconds(), key);
  const heard = await post(place, { headers, body: notice.body, maximumBytes: answerBytesMax, ms: requestMs, signal });
  if (heard?.status === 202) return "later";
  if (heard?.status !== 200) return "strange";
  const given = { body: heard.body, signature: heard.header("glovebox-signature") ?? "" };
  return answerIn(given, notice, { seconds: seconds(), key }) ?? "strange";
}

async function askUntilAnswered(parts: WebhookParts, place: string, asking: Asking): Promise<ApprovalAnswer> {
  for (let wait: number = pauseMs.first; ;) {
    const heard = await askOnce(parts, place, asking);
    if (heard === "granted" || heard === "refused") return heard;
    wait = heard === "later" ? pauseMs.first : Math.min(wait * 2, pauseMs.last);
    await parts.pause(wait, asking.signal);
  }
}

export type TellPlaces = (question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>;

/** The first answer of any place; without places it never resolves. Rejects when aborted. @throws APPROVAL_UNAVAILABLE without a key */
export function webhookAsker(parts: WebhookParts): TellPlaces {
  return async (question, signal) => {
    if (question.tell.length === 0) return new Promise<never>(() => {});
    const key = await readWebhookKey(parts.keyFile, parts.uid, question.id);
    const asking = { notice: noticeOf(question), key, signal };
    return Promise.race(question.tell.map((place) => askUntilAnswered(parts, place, asking)));
  };
}

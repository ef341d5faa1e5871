// Asks at the places that a question names, by asking again until one of them answers: nothing listens here, and nobody outside can begin to talk
// to the broker.
import { setTimeout as delay } from "node:timers/promises";
import type { ApprovalAnswer, ApprovalQuestion, GivenAnswer, ToldPlace } from "../contracts/approval.ts";
import type { Posted, PostAnswer } from "../kit/post-small.ts";
import { answerIn, type Notice, noticeHeaders, noticeOf } from "./webhook-message.ts";
import { readWebhookAuthorities } from "./webhook-authorities.ts";
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
  readonly post: (address: string, posted: Posted) => Promise<PostAnswer | undefined>;
  /** Resolves after a while, or rejects when aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Hardly a run posts anything. */
const post: WebhookParts["post"] = async (address, posted) => (await import("../kit/post-small.ts")).postSmall(address, posted);

export const webhookDefaults = { post, pause: (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }) } as const;

interface Asking {
  readonly url: string;
  readonly authorities: string | undefined;
  readonly notice: Notice;
  readonly key: Uint8Array;
  readonly signal: AbortSignal;
}

type Heard = ApprovalAnswer | "later" | "strange";

async function askOnce({ nowMs, post }: WebhookParts, { url, authorities, notice, key, signal }: Asking): Promise<Heard> {
  const seconds = (): number => Math.floor(nowMs() / 1000);
  const headers = noticeHeaders(notice, seconds(), key);
  const heard = await post(url, { headers, body: notice.body, authorities, maximumBytes: answerBytesMax, ms: requestMs, signal });
  if (heard?.status === 202) return "later";
  if (heard?.status !== 200) return "strange";
  const given = { body: heard.body, signature: heard.header("glovebox-signature") ?? "" };
  return answerIn(given, notice, { seconds: seconds(), key }) ?? "strange";
}

async function askUntilAnswered(parts: WebhookParts, asking: Asking): Promise<GivenAnswer> {
  for (let wait: number = pauseMs.first; ;) {
    const heard = await askOnce(parts, asking);
    if (heard === "granted" || heard === "refused") return { answer: heard, by: "webhook", url: asking.url };
    wait = heard === "later" ? pauseMs.first : Math.min(wait * 2, pauseMs.last);
    await parts.pause(wait, asking.signal);
  }
}

export type TellPlaces = (question: ApprovalQuestion, signal: AbortSignal) => Promise<GivenAnswer>;

/** The first answer of any place; without places it never resolves. Rejects when aborted. @throws APPROVAL_UNAVAILABLE without key or authorities */
export function webhookAsker(parts: WebhookParts): TellPlaces {
  return async (question, signal) => {
    const { id, tell } = question;
    if (tell.length === 0) return new Promise<never>(() => {});
    const key = await readWebhookKey(parts.keyFile, parts.uid, id);
    const notice = noticeOf(question);
    const known = async ({ url, ca }: ToldPlace): Promise<Asking> => {
      const authorities = ca === undefined ? undefined : await readWebhookAuthorities(ca, parts.uid, id);
      return { url, authorities, notice, key, signal };
    };
    // Before anything is sent anywhere.
    const askings = await Promise.all(tell.map(known));
    return Promise.race(askings.map((asking) => askUntilAnswered(parts, asking)));
  };
}

// One question to a person: recorded before it is shown, and its answer before anything comes of it. What it is about is its asker's business. INVARIANT I-12
import { type Approval, type Moment, settleApproval } from "../approvals/approvals.ts";
import type { ApprovalQuestion, AskPerson, GivenAnswer } from "../contracts/approval.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ActionRecord } from "./action-record.ts";

/** Where question and answer are recorded. */
export type ApprovalRecord = Pick<ActionRecord, "approvalAsked" | "approvalAnswered">;

export interface AskingParts {
  readonly ask: AskPerson;
  /** Aborted when nobody wants the answer any more. */
  readonly caller: AbortSignal;
  readonly record: ApprovalRecord;
  readonly clock: Clock;
}

export const momentOf = (clock: Clock): Moment => ({ wallMs: clock.wallMs(), monotonicNs: clock.monotonicNs(), bootId: clock.bootId });

/** The person's answer; `withdrawn` when the caller went away or the time was over, whichever came first. */
async function answerOf(ask: AskPerson, question: ApprovalQuestion, caller: AbortSignal): Promise<GivenAnswer | "withdrawn"> {
  const over = AbortSignal.any([caller, AbortSignal.timeout(question.lifetimeMs)]);
  const gone = Promise.withResolvers<"withdrawn">();
  over.addEventListener("abort", () => gone.resolve("withdrawn"), { once: true });
  if (over.aborted) return "withdrawn";
  return Promise.race([ask(question, over), gone.promise]);
}

/** @param asked still open @returns it as it was settled @throws what the door throws that cannot ask; withdrawn then */
export async function askAndRecord(
  { ask, caller, record, clock }: AskingParts,
  asked: Approval,
  question: ApprovalQuestion,
): Promise<Approval> {
  await record.approvalAsked(question, asked.subject);
  const given = await answerOf(ask, question, caller).catch(async (error: unknown) => {
    await record.approvalAnswered(asked.id, "withdrawn", undefined);
    throw error;
  });
  const settled = settleApproval(asked, given === "withdrawn" ? given : given.answer, momentOf(clock));
  // The time that ran out withdraws the question from the person; in the record it is what it is.
  const final = settled.state === "withdrawn" && !caller.aborted ? { ...settled, state: "expired" as const } : settled;
  const place = given === "withdrawn" ? undefined : given;
  if (final.state !== "asked" && final.state !== "used") await record.approvalAnswered(asked.id, final.state, place);
  return final;
}

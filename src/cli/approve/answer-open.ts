// One question that waits at the broker, answered by the person at this terminal: shown whole, granted by its code, refused by anything else.
import type { ApprovalDoor } from "../../contracts/approval-door.ts";
import type { CliContext } from "../command.ts";
import { askAtTerminal } from "./ask-at-terminal.ts";

/** Resolves when it is open no more, or nobody asks. */
async function untilOver(approvals: ApprovalDoor, approval: string, signal: AbortSignal): Promise<void> {
  for (let after: number | undefined; ;) {
    const { revision, questions } = await approvals.list({ signal, ...(after === undefined ? {} : { after }) });
    if (signal.aborted || !questions.some(({ id }) => id === approval)) return;
    after = revision;
  }
}

/**
 * @param leaving aborted when the person leaves without an answer
 * @returns `over` when it was withdrawn meanwhile, or the person left
 * @throws APPROVAL_UNKNOWN, APPROVAL_UNAVAILABLE without a terminal, ACCESS_REFUSED at the asker's own
 */
export async function answerOpen(
  context: CliContext,
  { approvals, approval, leaving }: { readonly approvals: ApprovalDoor; readonly approval: string; readonly leaving: AbortSignal },
): Promise<"granted" | "refused" | "over"> {
  const question = await approvals.show(approval);
  const over = new AbortController();
  const answered = new AbortController();
  const tell = async (answer: "granted" | "refused"): Promise<void> => {
    answered.abort();
    await approvals.answer(approval, answer);
  };
  const end = (): void => {
    if (!answered.signal.aborted) over.abort();
  };
  untilOver(approvals, approval, AbortSignal.any([answered.signal, leaving])).then(end, end);
  const { answer } = await askAtTerminal(context, tell)(question, over.signal);
  return over.signal.aborted ? "over" : answer;
}

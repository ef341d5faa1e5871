// Has the question answered at another terminal: it waits at the broker of this user, which is started when none runs.
import type { AskPerson } from "../../contracts/approval.ts";
import type { CliContext } from "../command.ts";

/** Says on stderr what is waited for. Whoever cannot read it waits all the same. */
export async function sayAsked({ stderr, text }: CliContext, approval: string): Promise<void> {
  await stderr.line(text({ key: "desk.waiting", values: { approval } })).catch(() => {});
}

export function askElsewhere(context: CliContext): AskPerson {
  return async (question, signal) => {
    await using broker = await (await context.door()).reachBroker();
    // A command that runs has the screen: who is asked about its connections looks elsewhere.
    if (question.kind !== "connection") await sayAsked(context, question.id);
    return await broker.approvals.ask(question, signal);
  };
}

// `glovebox approval watch`: asks the person at this terminal about each question as it comes, until they leave.
import type { ApprovalDoor, OpenQuestions } from "../../contracts/approval-door.ts";
import { printableJsonLine } from "../../kit/printable-json.ts";
import { answerOpen } from "../approve/answer-open.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { describeFailure, failureLines } from "../render/failure.ts";
import { relaySignals } from "../run/relay-signals.ts";

interface Watch {
  readonly approvals: ApprovalDoor;
  readonly leaving: AbortSignal;
}

/** Longer than any list can be: 64 questions. */
const lineMax = 1024 * 1024;

/** One that cannot be answered here is somebody else's; the next one may be ours. */
async function askOne(context: CliContext, approval: string, watch: Watch): Promise<void> {
  const { stderr, text, io } = context;
  try {
    await answerOpen(context, { ...watch, approval });
  } catch (error) {
    const failure = describeFailure(error, io.env);
    if (failure.error.code !== "APPROVAL_UNKNOWN" && failure.error.code !== "ACCESS_REFUSED") throw error;
    await stderr.lines(failureLines(failure, { text, style: stderr.style }));
  }
}

async function askNew(
  context: CliContext,
  { questions }: OpenQuestions,
  { watch, seen }: { readonly watch: Watch; readonly seen: Set<string> },
) {
  for (const { id } of questions) {
    if (seen.has(id) || watch.leaving.aborted) continue;
    seen.add(id);
    await askOne(context, id, watch);
  }
}

async function follow(context: CliContext, watch: Watch): Promise<void> {
  const { approvals, leaving } = watch;
  let seen = new Set<string>();
  for (let after: number | undefined; ;) {
    const open = await approvals.list({ signal: leaving, ...(after === undefined ? {} : { after }) });
    if (leaving.aborted) return;
    after = open.revision;
    if (context.isJson) await context.stdout.line(printableJsonLine({ approvals: open.questions }, lineMax));
    else await askNew(context, open, { watch, seen });
    // Answers have changed the list: whatever is open no more is forgotten.
    seen = new Set([...seen].filter((id) => open.questions.some((question) => question.id === id)));
  }
}

export const approvalWatchCommand: CliCommand = {
  words: ["approval", "watch"],
  summary: "cli.approval-watch.summary",
  synopsis: "",
  options: [],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [{ line: "glovebox approval watch", about: "cli.approval-watch.example" }],
  notes: ["cli.approval-watch.note"],
  execute: async (context) => {
    const leaving = new AbortController();
    const signals = relaySignals(context.io.events, () => leaving.abort());
    try {
      await using broker = await (await context.door()).reachBroker();
      if (!context.isJson) await context.stderr.line(context.text({ key: "cli.approval-watch.waiting" }));
      await follow(context, { approvals: broker.approvals, leaving: leaving.signal });
      return 0;
    } finally {
      signals.release();
    }
  },
};

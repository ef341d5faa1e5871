// What a question is about, in the few words of a list. The question itself has all of them.
import type { ApprovalQuestion } from "../contracts/approval.ts";
import { cutArgv } from "../kit/cut-argv.ts";

export function aboutQuestion(question: ApprovalQuestion): readonly string[] {
  return cutArgv(question.kind === "connection" ? [question.host, `${question.port}`] : question.argv);
}

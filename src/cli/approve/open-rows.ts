// Open questions as the rows of a table. Everything in them is hostile text.
import type { OpenQuestion } from "../../contracts/approval-door.ts";
import { showArgument } from "../../kit/escape-text.ts";
import { showDuration } from "../../kit/show-quantity.ts";
import type { CliContext } from "../command.ts";
import type { Cell } from "../render/table.ts";

const kindKeys: Readonly<Record<OpenQuestion["kind"], string>> = {
  command: "cli.approval-ls.command",
  unsandboxed: "cli.approval-ls.unsandboxed",
  narrow: "cli.approval-ls.unsandboxed",
  connection: "cli.approval-ls.connection",
};

export function openRows(
  { text }: Pick<CliContext, "text">,
  questions: readonly OpenQuestion[],
  nowMs: number,
): readonly (readonly Cell[])[] {
  return questions.map(({ id, kind, about, expiresAtMs }) => [
    { text: id, paint: "bold" },
    { text: text({ key: kindKeys[kind] }) },
    { text: text({ key: "cli.approval-ls.expires", values: { time: showDuration(Math.max(0, expiresAtMs - nowMs)) } }) },
    { text: about.map(showArgument).join(" ") },
  ]);
}

// `glovebox explain`: the seven answers, for the policy that would apply here or for a past task.
import type { AnswerSheet } from "../../contracts/answer-sheet.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { policyOption, presetOption, projectOption, selectPolicy } from "../policy-selection.ts";
import { fullSheetLines, sheetJson } from "../render/sheet.ts";
import { usageError } from "../usage-error.ts";

async function explainPolicy(context: CliContext, input: CommandInput): Promise<AnswerSheet> {
  const selection = await selectPolicy(context, input);
  return (await context.door()).explainPolicy(selection);
}

export const explainCommand: CliCommand = {
  words: ["explain"],
  summary: "cli.explain.summary",
  synopsis: "[TASK]",
  options: [policyOption, presetOption, projectOption],
  arguments: { kind: "operands", minimum: 0, maximum: 1 },
  examples: [
    { line: "glovebox explain", about: "cli.explain.example.policy" },
    { line: "glovebox explain --policy strict.yaml", about: "cli.explain.example.file" },
    { line: "glovebox explain t-0193f0c2a1b2-4d5e6f708192", about: "cli.explain.example.task" },
  ],
  execute: async (context, input) => {
    const [task] = input.operands;
    const chosen = [policyOption, presetOption, projectOption].find((option) => input.options.has(option.name));
    if (task !== undefined && chosen !== undefined)
      throw usageError("usage.options-exclude", { option: `--${chosen.name}`, other: "TASK" });
    const sheet = task === undefined ? await explainPolicy(context, input) : await (await context.door()).explainTask(task);
    if (context.isJson) await context.stdout.write(printableJson(sheetJson(sheet, context.text)));
    else
      await context.stdout.lines(
        fullSheetLines(sheet, { text: context.text, style: context.stdout.style, columns: context.stdout.columns }),
      );
    return 0;
  },
};

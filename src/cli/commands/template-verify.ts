// `glovebox template verify NAME`: whether every byte is what was built.
import { escapeText } from "../../kit/escape-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";

const stateKeys = {
  altered: "cli.template-verify.altered",
  missing: "cli.template-verify.missing",
  added: "cli.template-verify.added",
} as const;

/** As `ledger verify`. */
const alteredExit = 1;

export const templateVerifyCommand: CliCommand = {
  words: ["template", "verify"],
  summary: "cli.template-verify.summary",
  synopsis: "NAME",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox template verify base", about: "cli.template-verify.example" }],
  notes: ["cli.template-verify.note"],
  execute: async (context, { operands: [name = ""] }) => {
    const { stdout, text } = context;
    const check = await (await context.door()).templates.verify(name);
    const { id, differences } = check;
    const exit = differences.length === 0 ? 0 : alteredExit;
    if (context.isJson) await stdout.write(printableJson({ ...check, exit }));
    else if (exit === 0) await stdout.line(text({ key: "cli.template-verify.good", values: { template: name, id } }));
    else await stdout.lines(differences.map(({ path, state }) => text({ key: stateKeys[state], values: { file: escapeText(path) } })));
    return exit;
  },
};

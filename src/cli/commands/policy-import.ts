// `glovebox policy import --from TOOL FILE`: the settings of another tool as a policy, and a list of all that does not hold as written.
import { open } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "../../contracts/glovebox-error.ts";
import { type ImportedPolicy, type ImportFormat, importFormats } from "../../contracts/policy-import.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { projectDirectoryOf, projectOption } from "../policy-selection.ts";
import { noteJson, noteLine } from "../render/import-notes.ts";
import { usageError } from "../usage-error.ts";

const fromChoices = importFormats.join("|");

function formatOf({ options }: CommandInput): ImportFormat {
  const given = options.text("from");
  const format = importFormats.find((name) => name === given);
  if (format !== undefined) return format;
  const choices = importFormats.join(", ");
  throw given === undefined ? usageError("usage.import-from", { choices }) : usageError("usage.import-unknown", { value: given, choices });
}

/** A new file only: a policy that somebody wrote is not replaced. */
async function writeNew(file: string, yaml: string): Promise<void> {
  try {
    await using handle = await open(file, "wx", 0o644);
    await handle.writeFile(yaml);
  } catch (error) {
    throw usageError("usage.out-unwritable", { file, errno: systemErrorCode(error) ?? "unknown" });
  }
}

async function show(context: CliContext, file: string, imported: ImportedPolicy, out: string | undefined): Promise<void> {
  const { stdout, stderr, text } = context;
  const { document, yaml, notes } = imported;
  if (context.isJson) {
    await stdout.write(printableJson({ file, out: out ?? null, policy: document, notes: notes.map((note) => noteJson(note, text)) }));
    return;
  }
  if (out === undefined) await stdout.write(yaml);
  await stderr.lines(notes.map((note) => noteLine(file, note, text)));
  if (out !== undefined) await stderr.line(text({ key: "cli.policy-import.written", values: { file: out } }));
}

export const policyImportCommand: CliCommand = {
  words: ["policy", "import"],
  summary: "cli.policy-import.summary",
  synopsis: "FILE",
  options: [
    { name: "from", value: fromChoices, about: "cli.option.from" },
    { name: "out", value: "FILE", about: "cli.option.out" },
    projectOption,
  ],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [
    { line: "glovebox policy import --from srt ~/.srt-settings.json", about: "cli.policy-import.example.srt" },
    { line: "glovebox policy import --from codex ~/.codex/config.toml --out policy.yaml", about: "cli.policy-import.example.out" },
  ],
  notes: ["cli.policy-import.note"],
  execute: async (context, input) => {
    const from = formatOf(input);
    const file = path.resolve(context.cwd, input.operands[0] ?? "");
    const given = input.options.text("out");
    const projectDirectory = await projectDirectoryOf(context, input);
    const imported = await (await context.door()).importPolicy({ from, file, projectDirectory });
    const out = given === undefined ? undefined : path.resolve(context.cwd, given);
    if (out !== undefined) await writeNew(out, imported.yaml);
    await show(context, file, imported, out);
    return 0;
  },
};

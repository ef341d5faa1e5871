// `glovebox challenge SCRIPT`: one attack in a throw-away tree without our walls and then behind them, judged from the host.
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { ChallengeReport, ChallengeTarget } from "../../contracts/proof.ts";
import { errorTable } from "../../contracts/error-table.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { askAtTerminal } from "../approve/ask-at-terminal.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { policyOption, projectOption, selectPolicy } from "../policy-selection.ts";
import { usageError } from "../usage-error.ts";

const verdicts = {
  held: { key: "cli.challenge.held", paint: "green" },
  reached: { key: "cli.challenge.reached", paint: "red" },
  "not-tried": { key: "cli.challenge.not-tried", paint: "dim" },
} as const satisfies Record<ChallengeTarget["verdict"], unknown>;

const consentMs = 300_000;

/** The words come first in any case; then `--yes`, or a person at the terminal. */
async function obtainConsent(context: CliContext, input: CommandInput): Promise<void> {
  if (!context.isJson) await context.stderr.line(context.text({ key: "cli.challenge.warning" }));
  if (input.options.has("yes")) return;
  const terminal = context.isJson ? undefined : await context.io.openPrompt();
  if (terminal === undefined) throw usageError("usage.challenge-consent");
  try {
    terminal.write(`${context.text({ key: "cli.challenge.question" })} `);
    const answer = await terminal.readLine(AbortSignal.timeout(consentMs));
    if (answer?.trim().toLowerCase() !== "yes") throw new GloveboxError("APPROVAL_REFUSED", "challenge.refused", { values: {} });
  } finally {
    await terminal.close();
  }
}

async function scriptOf(context: CliContext, [name = ""]: readonly string[]): Promise<string> {
  const file = path.resolve(context.cwd, name);
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) throw usageError("usage.challenge-script", { file });
  return realpath(file);
}

function targetLines(target: ChallengeTarget, { text, stdout }: CliContext): readonly string[] {
  const { key, paint } = verdicts[target.verdict];
  const word = (isReached: boolean): string => text({ key: isReached ? "cli.challenge.word-reached" : "cli.challenge.word-not" });
  const values = { outside: word(target.outside), inside: word(target.inside) };
  const walls =
    target.heldBy.length === 0 ? [] : [`      ${text({ key: "cli.prove.held-by", values: { walls: target.heldBy.join(", ") } })}`];
  return [
    `   ${stdout.style(paint, text({ key }))}: ${text(target.what)}`,
    `      ${text({ key: "cli.challenge.both", values })}`,
    ...walls,
  ];
}

function lines(report: ChallengeReport, context: CliContext): readonly string[] {
  const { text, stdout } = context;
  const isReached = report.targets.some(({ verdict }) => verdict === "reached");
  const end = report.holds ? "cli.challenge.contained" : isReached ? "cli.challenge.broken" : "cli.challenge.nothing";
  return [
    ...report.targets.flatMap((target) => targetLines(target, context)),
    "",
    text({ key: "cli.challenge.project", values: report.projectChanges }),
    ...report.refused.map((line) => `   - ${text(line)}`),
    text({ key: "cli.challenge.ended", values: { code: report.exitCode, task: report.task } }),
    stdout.style(report.holds ? "green" : "red", text({ key: end })),
  ];
}

function document(report: ChallengeReport, { text }: CliContext) {
  const targets = report.targets.map((target) => ({ ...target, what: text(target.what) }));
  const refused = report.refused.map((line) => ({ key: line.key, values: line.values ?? {}, text: text(line) }));
  return { ...report, targets, refused };
}

export const challengeCommand: CliCommand = {
  words: ["challenge"],
  summary: "cli.challenge.summary",
  synopsis: "SCRIPT",
  options: [policyOption, projectOption, { name: "yes", about: "cli.option.challenge-yes" }],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [
    { line: "glovebox challenge attack.sh", about: "cli.challenge.example.plain" },
    { line: "glovebox challenge --yes --json attack.sh", about: "cli.challenge.example.json" },
  ],
  notes: ["cli.challenge.note.arguments", "cli.challenge.note.outside", "cli.challenge.note.network", "cli.challenge.note.exit"],
  execute: async (context, input) => {
    const script = await scriptOf(context, input.operands);
    const selection = await selectPolicy(context, input);
    await obtainConsent(context, input);
    const asking = context.isJson ? {} : { ask: askAtTerminal(context) };
    const report = await (await context.door()).challenge(selection, { script, ...asking });
    if (context.isJson) await context.stdout.write(printableJson(document(report, context)));
    else await context.stdout.lines(lines(report, context));
    return report.holds ? 0 : errorTable.WALL_UNAVAILABLE.exit;
  },
};

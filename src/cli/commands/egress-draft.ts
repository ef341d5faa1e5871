// `glovebox egress draft TASK`: the least policy that would have let through what a task was refused, for a person to review.
import { draftObserved, draftRule } from "../../contracts/draft-rule.ts";
import type { EgressRefusal } from "../../contracts/egress-record.ts";
import { escapeText } from "../../kit/escape-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { readTaskEgress, type TaskEgressLists } from "../task-egress.ts";
import { usageError } from "../usage-error.ts";

/** A name that was only looked up is most likely meant for TLS. */
const portOf = ({ port }: EgressRefusal): number => port ?? 443;

function distinct(items: readonly string[]): readonly string[] {
  return [...new Set(items)].toSorted();
}

/** What a rule or a local place would allow, of what was refused and of what a rule only looked at; of the rest nothing can be drafted. */
function draft({ refusals, connections }: TaskEgressLists): readonly string[] {
  const asked = new Set(refusals.filter(({ port }) => port !== undefined).map(({ host }) => host));
  const named = refusals.filter(({ port, host, via }) => via !== "dns" || (port === undefined && !asked.has(host)));
  const refused = named
    .filter(({ reason }) => ["default", "address", "upgrade"].includes(reason))
    .map((refusal) => draftRule(refusal.host, portOf(refusal), refusal.reason));
  const rules = [...refused, ...connections.filter(({ isObserved }) => isObserved === true).map(draftObserved)];
  const local = named
    .filter(({ reason }) => reason === "local-name" || reason === "resolved-address")
    .map((refusal) => `"${refusal.host}:${portOf(refusal)}"`);
  if (rules.length + local.length === 0) return [];
  return [
    "apiVersion: glovebox/v1",
    ...(rules.length === 0 ? [] : ["egress:", ...distinct(rules).map((rule) => `  - ${rule}`)]),
    ...(local.length === 0 ? [] : [`allowLocal: [${distinct(local).join(", ")}]`]),
  ];
}

export const egressDraftCommand: CliCommand = {
  words: ["egress", "draft"],
  summary: "cli.egress-draft.summary",
  synopsis: "TASK",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox egress draft t-0193f0c2a1b2-4d5e6f708192", about: "cli.egress-draft.example" }],
  notes: ["cli.egress-draft.note"],
  execute: async (context, input) => {
    const found = await readTaskEgress(context, input);
    if (found === undefined) throw usageError("cli.task-without-records", { task: input.operands[0] ?? "" });
    const lines = draft(found).map((line) => escapeText(line));
    if (context.isJson) await context.stdout.write(printableJson({ policy: lines.join("\n") }));
    else if (lines.length === 0) await context.stderr.line(context.text({ key: "cli.egress-draft.empty" }));
    else await context.stdout.lines(lines);
    return 0;
  },
};

// `glovebox policy show`: the policy that applies, as a JSON document that is itself a policy file; with `--origin`, where each value is from.
import type { EffectivePolicy } from "../../contracts/door.ts";
import type { CompiledPolicy } from "../../contracts/policy-port.ts";
import { escapeText } from "../../kit/escape-text.ts";
import { printableJson, printableJsonLine } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { policyOption, presetOption, projectOption, selectPolicy } from "../policy-selection.ts";
import { tableLines } from "../render/table.ts";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Dotted keys with their values; lists are values. An empty object is one value too. */
function flatten(value: unknown, key: string): readonly (readonly [string, unknown])[] {
  if (!isRecord(value) || Object.keys(value).length === 0) return [[key, value]];
  return Object.entries(value).flatMap(([name, inner]) => flatten(inner, key === "" ? name : `${key}.${name}`));
}

/** The origin of the key itself, else of the nearest key above or below it that has one. */
function originOf(policy: CompiledPolicy, key: string): string {
  for (let name = key; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const origin = policy.valueOrigins.get(name);
    if (origin !== undefined) return origin;
  }
  const below = [...policy.valueOrigins]
    .filter(([name]) => name.startsWith(`${key}.`) || name.startsWith(`${key}[`))
    .map(([, origin]) => origin);
  return below.length === 0 ? "built-in" : [...new Set(below)].join(", ");
}

/** What the values of a preset follow from in turn. */
function sourceRows({ presets }: CompiledPolicy) {
  return presets.flatMap(({ name, sources }) =>
    sources.map(({ value, what, source }) => [
      { text: `preset ${name}` },
      { text: escapeText(value), paint: "bold" as const },
      { text: escapeText(`${what} <- ${source}`) },
    ]),
  );
}

function originLines(policy: CompiledPolicy, context: CliContext): readonly string[] {
  const { style, columns } = context.stdout;
  const values = flatten(policy.document, "").map(([key, value]) => [
    { text: escapeText(originOf(policy, key)) },
    { text: escapeText(key), paint: "bold" as const },
    { text: printableJsonLine(value) },
  ]);
  return tableLines([...values, ...sourceRows(policy)], { style, columns });
}

/** Entries that stand in the document and open nothing. */
function withheldLines({ withheld }: EffectivePolicy, { text }: CliContext): readonly string[] {
  return withheld.map((path) => text({ key: "cli.policy-show.withheld", values: { path } }));
}

function presetNotes({ presets }: EffectivePolicy, { text }: CliContext): readonly string[] {
  return presets.flatMap(({ name, notes }) => notes.map((note) => `preset ${name}: ${text(note)}`));
}

export const policyShowCommand: CliCommand = {
  words: ["policy", "show"],
  summary: "cli.policy-show.summary",
  synopsis: "",
  options: [policyOption, presetOption, projectOption, { name: "origin", about: "cli.option.origin" }],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox policy show", about: "cli.policy-show.example.plain" },
    { line: "glovebox policy show --origin", about: "cli.policy-show.example.origin" },
    { line: "glovebox policy show --preset node", about: "cli.policy-show.example.preset" },
  ],
  execute: async (context, input) => {
    const selection = await selectPolicy(context, input);
    const policy = await (await context.door()).policy(selection);
    if (context.isJson) {
      const { hash, origins, document, valueOrigins, withheld } = policy;
      const presets = policy.presets.map(({ name, sources, notes }) => ({ name, sources, notes: notes.map((note) => context.text(note)) }));
      await context.stdout.write(
        printableJson({ hash, origins, document, valueOrigins: Object.fromEntries(valueOrigins), withheld, presets }),
      );
      return 0;
    }
    await context.stderr.lines([...withheldLines(policy, context), ...presetNotes(policy, context)]);
    if (input.options.has("origin")) await context.stdout.lines(originLines(policy, context));
    else await context.stdout.write(printableJson(policy.document));
    return 0;
  },
};

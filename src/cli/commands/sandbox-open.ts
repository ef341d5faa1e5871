// `glovebox sandbox open`: a sandbox that lives as long as its task. Its id goes to stdout; the broker that holds it is started when none runs.
import type { SandboxOpening } from "../../contracts/sandbox-door.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { showDuration } from "../../kit/show-quantity.ts";
import type { CliCommand, CliContext, CommandInput, OptionSpec } from "../command.ts";
import { durationOf } from "../duration-option.ts";
import { policyOption, presetOption, projectOption, selectPolicyWithFlags } from "../policy-selection.ts";
import { givenInputs, inputOption } from "../run/input-option.ts";
import { policyFlags } from "../run/run-overrides.ts";

const lifetimeOptions: readonly OptionSpec[] = [
  { name: "idle", value: "TIME", about: "cli.option.idle" },
  { name: "expires", value: "TIME", about: "cli.option.expires" },
];

async function openingOf(context: CliContext, input: CommandInput): Promise<SandboxOpening> {
  const policy = await selectPolicyWithFlags(context, input);
  const idleMs = durationOf(input, "idle");
  const hardMs = durationOf(input, "expires");
  return {
    policy,
    callerEnvironment: context.io.env,
    ...givenInputs(context, input),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(hardMs === undefined ? {} : { hardMs }),
  };
}

export const sandboxOpenCommand: CliCommand = {
  words: ["sandbox", "open"],
  summary: "cli.sandbox-open.summary",
  synopsis: "",
  options: [policyOption, presetOption, projectOption, inputOption, ...policyFlags, ...lifetimeOptions],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox sandbox open", about: "cli.sandbox-open.example.plain" },
    { line: "glovebox sandbox open --preset node --idle 30m", about: "cli.sandbox-open.example.options" },
  ],
  notes: ["cli.sandbox-open.note"],
  execute: async (context, input) => {
    const opening = await openingOf(context, input);
    await using broker = await (await context.door()).reachBroker();
    const { token: _token, presetNotes, ...opened } = await broker.sandboxes.open(opening, { signal: new AbortController().signal });
    const { stdout, stderr, text } = context;
    if (context.isJson) {
      await stdout.write(printableJson({ ...opened, expiresAt: new Date(opened.expiresAtMs).toISOString() }));
      return 0;
    }
    await stdout.line(opened.sandbox);
    const values = { task: opened.task, idle: showDuration(opened.idleMs), expires: new Date(opened.expiresAtMs).toISOString() };
    const notes = stderr.isTerminal ? [text({ key: "cli.sandbox-open.opened", values }), ...presetNotes.map((note) => text(note))] : [];
    await stderr.lines(notes);
    return 0;
  },
};

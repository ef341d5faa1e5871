// `glovebox init AGENT`: sets Glovebox up under an agent, after a person has seen the change, and takes it out again.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import path from "node:path";
import { quoteArgument } from "../../kit/escape-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { unifiedDiff } from "../../kit/unified-diff.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { type InitAgent, initAgents } from "../init/init-agents.ts";
import { initPlace, missingLink } from "../init/init-place.ts";
import { applyPlan, type InitPlan, planHook, undoHook } from "../init/set-up-hook.ts";
import { projectOption } from "../policy-selection.ts";
import { hunkLines } from "../render/diff.ts";
import { usageError } from "../usage-error.ts";

const generic = "generic";
const consentMs = 300_000;

function agentOf({ operands: [name = ""] }: CommandInput): InitAgent {
  const found = initAgents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  const names = initAgents.map((agent) => agent.name);
  // It only shows what to write: nothing was set up that could be taken out.
  if (name === generic) throw usageError("usage.init-undo", { agent: name, choices: names.join(", ") });
  throw usageError("usage.init-agent", { agent: name, choices: [...names, generic].join(", ") });
}

async function showDiff({ stdout }: CliContext, { found, after }: InitPlan): Promise<void> {
  const before = found.bytes === undefined ? "" : found.text;
  const old = found.bytes === undefined ? "/dev/null" : found.file;
  await stdout.lines(hunkLines({ old, now: found.file, lines: unifiedDiff(before, after) }, stdout.style));
}

/** What a person has to do besides, so that the agent's commands go this way at all. */
async function notesOf(context: CliContext, { agent, place }: InitPlan): Promise<readonly string[]> {
  const link = place.isOfUser ? undefined : await missingLink(context);
  const linkNote = link === undefined ? [] : [context.text({ key: "agent-init.note.link", values: { command: link } })];
  return [...linkNote, context.text({ key: agent.note })];
}

async function obtainConsent(context: CliContext, input: CommandInput, { agent, found }: InitPlan): Promise<void> {
  if (input.options.has("yes")) return;
  const values = { agent: agent.name, file: found.file };
  const terminal = context.isJson ? undefined : await context.io.openPrompt();
  if (terminal === undefined) throw new GloveboxError("SETUP_NEEDED", "agent-init.consent", { values });
  try {
    terminal.write(`${context.text({ key: "agent-init.question", values })} `);
    const answer = await terminal.readLine(AbortSignal.timeout(consentMs));
    if (!/^(?:y|yes|是|好)$/iu.test(answer?.trim() ?? "")) throw new GloveboxError("SETUP_NEEDED", "agent-init.consent", { values });
  } finally {
    await terminal.close();
  }
}

const doneKeys = { nothing: "agent-init.nothing", written: "agent-init.written", undone: "agent-init.undone" } as const;

interface Done {
  readonly agent: string;
  readonly file: string;
  readonly did: keyof typeof doneKeys;
}

async function report(context: CliContext, input: CommandInput, done: Done): Promise<void> {
  if (context.isJson) return context.stdout.write(printableJson(done));
  const command = `glovebox init --undo${input.options.has("user") ? " --user" : ""} ${done.agent}`;
  return context.stdout.line(context.text({ key: doneKeys[done.did], values: { command, file: done.file } }));
}

async function setUp(context: CliContext, input: CommandInput, agent: InitAgent): Promise<void> {
  const isAutoAllowed = input.options.has("auto-allow");
  if (isAutoAllowed && !agent.canAutoAllow) throw usageError("usage.init-auto-allow", { agent: agent.name });
  const flags = isAutoAllowed ? ["--auto-allow"] : [];
  const plan = await planHook(agent, await initPlace(context, input, agent), flags);
  const { file, text, bytes } = plan.found;
  const isNothing = bytes !== undefined && plan.after === text;
  if (!isNothing) {
    if (!context.isJson) await showDiff(context, plan);
    await obtainConsent(context, input, plan);
    await applyPlan(context, plan);
  }
  await report(context, input, { agent: agent.name, file, did: isNothing ? "nothing" : "written" });
  await context.stderr.lines(await notesOf(context, plan));
}

async function showGeneric({ stdout, text, launcher, isJson }: CliContext): Promise<void> {
  const shell = path.join(path.dirname(launcher), "agent-shell");
  if (isJson) return stdout.write(printableJson({ shell, mcp: { command: launcher, args: ["mcp", "serve"] } }));
  const mcp = JSON.stringify({ mcpServers: { glovebox: { command: launcher, args: ["mcp", "serve"] } } });
  return stdout.lines([
    text({ key: "agent-init.generic.shell" }),
    `  SHELL=${quoteArgument(shell)}`,
    text({ key: "agent-init.generic.mcp" }),
    `  ${mcp}`,
  ]);
}

export const initCommand: CliCommand = {
  words: ["init"],
  summary: "cli.init.summary",
  synopsis: [...initAgents.map(({ name }) => name), generic].join("|"),
  options: [
    { name: "user", about: "cli.option.init-user" },
    projectOption,
    { name: "auto-allow", about: "cli.option.auto-allow" },
    { name: "undo", about: "cli.option.init-undo" },
    { name: "yes", about: "cli.option.init-yes" },
  ],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [
    { line: "glovebox init claude-code", about: "cli.init.example.project" },
    { line: "glovebox init --user --yes cursor", about: "cli.init.example.user" },
    { line: "glovebox init --undo claude-code", about: "cli.init.example.undo" },
    { line: "glovebox init generic", about: "cli.init.example.generic" },
  ],
  notes: ["cli.init.note"],
  execute: async (context, input) => {
    // In there it could only be an agent that wants its own way out.
    if (context.io.isInsideSandbox()) throw new GloveboxError("SETUP_NEEDED", "agent-init.inside-sandbox");
    const isUndone = input.options.has("undo");
    if (input.operands[0] === generic && !isUndone) await showGeneric(context);
    else if (isUndone) {
      const agent = agentOf(input);
      const file = await undoHook(context, agent, await initPlace(context, input, agent));
      await report(context, input, { agent: agent.name, file, did: "undone" });
    } else await setUp(context, input, agentOf(input));
    return 0;
  },
};

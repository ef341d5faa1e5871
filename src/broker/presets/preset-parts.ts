// What the learning of every ecosystem has in common: the caller's own variables, the programs, the directories they need.
import path from "node:path";
import { type ConfigFile, type ConfigLevel, type PresetFacts, PresetFault } from "../../contracts/preset.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import type { PresetMachine } from "./preset-machine.ts";

/** What a learner finds; which places it looked at the machine knows. */
export type LearntFacts = Omit<PresetFacts, "consulted">;

export interface OwnVariables {
  readonly environment: Readonly<Record<string, string>>;
  readonly notes: readonly Sentence[];
}

/** Names that hold secrets whatever tool they speak to. */
const secretName = /_auth|token|password|secret|_otp$/iu;

/** The caller's variables that a pattern names, without secrets and without those that lead into the project. */
export function ownVariables(machine: PresetMachine, pattern: RegExp): OwnVariables {
  const environment: Record<string, string> = {};
  const notes: Sentence[] = [];
  for (const [name, value] of Object.entries(machine.environment)) {
    if (value === undefined || value === "" || !pattern.test(name) || secretName.test(name)) continue;
    if (value.startsWith(".") || (value.startsWith("/") && machine.isInProject(value)))
      notes.push({ key: "preset.note.variable-project", values: { name } });
    else environment[name] = value;
  }
  return { environment, notes };
}

/** @throws PresetFault: a preset about a tool that is not there does nothing */
export async function requireProgram(machine: PresetMachine, ...names: readonly [string, ...string[]]): Promise<string> {
  const found = await machine.find(...names);
  if (found === undefined) throw new PresetFault("POLICY_KEY_INERT", "preset.no-tool", { tool: names[0] });
  return found;
}

/** Runs a question that must succeed. @throws PresetFault */
export async function answerOf(
  machine: PresetMachine,
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout } = await machine.ask({ program, args, environment });
  if (code === 0) return stdout;
  throw new PresetFault("POLICY_UNREADABLE", "preset.tool-failed", {
    tool: [path.basename(program), ...args].join(" "),
    reason: `exit ${code}`,
  });
}

export async function filesAt(machine: PresetMachine, level: ConfigLevel, paths: readonly string[]): Promise<readonly ConfigFile[]> {
  const found = await Promise.all(paths.map((file) => machine.read(file, level)));
  return found.flatMap((file) => file ?? []);
}

/** Below the project's top, in the spelling of the caller. */
export function projectFiles(machine: PresetMachine, names: readonly string[]): Promise<readonly ConfigFile[]> {
  return filesAt(
    machine,
    "project",
    names.map((name) => path.join(machine.projectDirectory, name)),
  );
}

/**
 * `<prefix>/bin/tool` needs the prefix, unless that is a home or wider, or a hidden directory of the home, where credentials lie beside
 * programs (`~/.cargo`); any other tool its own directory.
 */
function directoryOf({ home, real }: Pick<PresetMachine, "home" | "real">, program: string): string {
  const directory = path.dirname(real(program));
  const prefix = path.dirname(directory);
  const isWide = prefix === "/" || home === prefix || home.startsWith(`${prefix}/`);
  const isHiddenInHome = path.dirname(prefix) === home && path.basename(prefix).startsWith(".");
  return path.basename(directory) === "bin" && !isWide && !isHiddenInHome ? prefix : directory;
}

/** Where the programs are, and what of it a sandbox would not show. */
export function programFacts(machine: PresetMachine, programs: readonly string[]): Pick<PresetFacts, "programs" | "toolDirectories"> {
  const unshown = programs.filter((program) => !machine.isShown(path.dirname(machine.real(program))));
  const hidden = unshown.map((program) => directoryOf({ home: machine.home, real: (file) => machine.real(file) }, program));
  return { programs: [...new Set(programs.map((program) => machine.real(program)))], toolDirectories: [...new Set(hidden)] };
}

// Asks npm for its configuration, and reads the files that npm names, to say where each value stands.
import type { PresetMachine } from "./preset-machine.ts";
import {
  answerOf,
  filesAt,
  ownVariables,
  programFacts,
  projectFiles,
  requireProgram,
  type OwnVariables,
  type LearntFacts,
} from "./preset-parts.ts";

/** Inside a script of npm its variables are what some project's configuration said. INVARIANT I-15 */
function npmVariables(machine: PresetMachine): OwnVariables {
  const isScript = ["npm_lifecycle_event", "npm_execpath", "npm_package_json"].some((name) => machine.environment[name] !== undefined);
  if (!isScript) return ownVariables(machine, /^(?:npm_config_|NODE_EXTRA_CA_CERTS$)/iu);
  const isGiven = Object.keys(machine.environment).some((name) => /^npm_config_.*registry$/iu.test(name));
  return { environment: {}, notes: isGiven ? [{ key: "preset.note.npm-script" }] : [] };
}

function textIn(answer: string, name: string): readonly string[] {
  const parsed: unknown = JSON.parse(answer);
  const value: unknown = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, name) : undefined;
  return typeof value === "string" && value.startsWith("/") ? [value] : [];
}

function placesIn(answer: string): { readonly global: readonly string[]; readonly user: readonly string[] } {
  try {
    return { global: textIn(answer, "globalconfig"), user: textIn(answer, "userconfig") };
  } catch {
    return { global: [], user: [] }; // the reader refuses the answer
  }
}

/** @throws PresetFault */
export async function learnNode(machine: PresetMachine): Promise<LearntFacts> {
  const npm = await requireProgram(machine, "npm");
  const node = await machine.find("node");
  const { environment, notes } = npmVariables(machine);
  const config = await answerOf(machine, npm, ["config", "ls", "-l", "--json"], { ...environment, npm_config_update_notifier: "false" });
  const places = placesIn(config);
  const files = await Promise.all([
    filesAt(machine, "global", places.global),
    filesAt(machine, "user", places.user),
    projectFiles(machine, [".npmrc"]),
  ]);
  return {
    answers: { config },
    environment,
    files: files.flat(),
    ...programFacts(machine, [npm, ...(node === undefined ? [] : [node])]),
    notes,
  };
}

// Asks pip where its configuration files are and where it is itself; its own index stands in its source.
import path from "node:path";
import { type ConfigFile, type ConfigLevel, PresetFault } from "../../contracts/preset.ts";
import type { PresetMachine } from "./preset-machine.ts";
import { answerOf, filesAt, ownVariables, programFacts, projectFiles, requireProgram, type LearntFacts } from "./preset-parts.ts";

/** `pip config debug`: `user:` and, indented, `  /path/pip.conf, exists: True`. In pip's order: weakest first. */
function configPlaces(answer: string): readonly { readonly file: string; readonly level: ConfigLevel }[] {
  let level: ConfigLevel | undefined;
  return answer.split("\n").flatMap((line) => {
    const heading = /^([a-z_]+):$/u.exec(line)?.[1];
    if (heading !== undefined) level = heading === "global" || heading === "site" ? "global" : heading === "user" ? "user" : undefined;
    const file = /^ {2}(\/.*), exists: (?:True|False)$/u.exec(line)?.[1];
    return file === undefined || level === undefined ? [] : [{ file, level }];
  });
}

/** `pip 23.0 from /usr/lib/python3/dist-packages/pip (python 3.11)` */
async function ownSource(machine: PresetMachine, answer: string): Promise<ConfigFile> {
  const directory = /^pip \S+ from (\/.*) \(python [\d.]+\)/u.exec(answer)?.[1];
  const file = directory === undefined ? undefined : await machine.read(path.join(directory, "_internal/models/index.py"), "tool");
  if (file === undefined) throw new PresetFault("POLICY_UNREADABLE", "preset.default-unknown", { tool: "pip" });
  return file;
}

/** @throws PresetFault */
export async function learnPython(machine: PresetMachine): Promise<LearntFacts> {
  const pip = await requireProgram(machine, "pip3", "pip");
  const python = await machine.find("python3");
  const { environment, notes } = ownVariables(machine, /^(?:PIP_[A-Z_]+|XDG_CONFIG_(?:HOME|DIRS))$/u);
  const [version, debug] = await Promise.all([
    answerOf(machine, pip, ["--version"], environment),
    answerOf(machine, pip, ["config", "debug"], environment),
  ]);
  const own = await ownSource(machine, version);
  const named = environment["PIP_CONFIG_FILE"];
  const places = [...configPlaces(debug), ...(named?.startsWith("/") ? [{ file: named, level: "user" as const }] : [])];
  // `os.devnull` means no file at all.
  const read = named === "/dev/null" ? [] : await Promise.all(places.map(({ file, level }) => filesAt(machine, level, [file])));
  const project = await projectFiles(machine, ["requirements.txt", "requirements-dev.txt", "pip.conf", ".venv/pip.conf"]);
  return {
    answers: {},
    environment,
    files: [own, ...read.flat(), ...project],
    ...programFacts(machine, [pip, ...(python === undefined ? [] : [python])]),
    notes,
  };
}

// Asks apt which sources it has and where they stand; the files are read only for passwords in them.
import path from "node:path";
import type { PresetMachine } from "./preset-machine.ts";
import { answerOf, filesAt, type LearntFacts, ownVariables, programFacts, requireProgram } from "./preset-parts.ts";

/** `LIST='/etc/apt/sources.list'`, as a shell would read it; apt quotes nothing inside. */
function placeIn(answer: string, name: string): string | undefined {
  return new RegExp(`^${name}='(/[^']*)'$`, "mu").exec(answer)?.[1]?.replace(/(?<=.)\/$/u, "");
}

/** @throws PresetFault */
export async function learnDebian(machine: PresetMachine): Promise<LearntFacts> {
  const apt = await requireProgram(machine, "apt-get");
  const config = await requireProgram(machine, "apt-config");
  const { environment, notes } = ownVariables(machine, /^APT_CONFIG$/u);
  const [sources, etc] = await Promise.all([
    answerOf(machine, apt, ["update", "--print-uris"], environment),
    answerOf(machine, config, ["shell", "LIST", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d"], environment),
  ]);
  const [list, parts] = [placeIn(etc, "LIST"), placeIn(etc, "PARTS")];
  const names = parts === undefined ? [] : (await machine.list(parts)).filter((name) => /\.(?:list|sources)$/u.test(name));
  const lists = [...(list === undefined ? [] : [list]), ...names.map((name) => path.join(parts ?? "", name))];
  return {
    answers: { sources, list: list ?? "", parts: parts ?? "" },
    environment,
    files: await filesAt(machine, "global", lists),
    ...programFacts(machine, [apt]),
    notes,
  };
}

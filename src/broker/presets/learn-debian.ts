// Asks apt which sources it has; their files are read only for passwords in them.
import path from "node:path";
import type { PresetMachine } from "./preset-machine.ts";
import { answerOf, filesAt, programFacts, requireProgram, type LearntFacts } from "./preset-parts.ts";

/** @throws PresetFault */
export async function learnDebian(machine: PresetMachine): Promise<LearntFacts> {
  const apt = await requireProgram(machine, "apt-get");
  const parts = "/etc/apt/sources.list.d";
  const [sources, names] = await Promise.all([answerOf(machine, apt, ["indextargets", "--format", "$(REPO_URI)"]), machine.list(parts)]);
  const lists = names.filter((name) => /\.(?:list|sources)$/u.test(name)).map((name) => path.join(parts, name));
  return {
    answers: { sources },
    environment: {},
    files: await filesAt(machine, "global", ["/etc/apt/sources.list", ...lists]),
    ...programFacts(machine, [apt]),
    notes: [],
  };
}

// Reads maven's settings, the installation's and the user's, and the super POM in maven's own library. Maven itself is not started.
import path from "node:path";
import { type ConfigFile, PresetFault } from "../../contracts/preset.ts";
import type { PresetMachine } from "./preset-machine.ts";
import { filesAt, programFacts, projectFiles, requireProgram, type LearntFacts } from "./preset-parts.ts";

const library = /^maven-model-builder-.*\.jar$/u;
const superPom = "org/apache/maven/model/pom-4.0.0.xml";

async function ownModel(machine: PresetMachine, home: string): Promise<ConfigFile> {
  const directory = path.join(home, "lib");
  const name = (await machine.list(directory)).find((candidate) => library.test(candidate));
  const file = machine.real(path.join(directory, name ?? ""));
  const archive = name === undefined ? undefined : await machine.readBytes(file, 8 * 1024 * 1024);
  const { readZipEntry } = await import("../../kit/zip-entry.ts"); // few runs need to inflate anything
  const text = archive === undefined ? undefined : readZipEntry(archive, superPom, 256 * 1024);
  if (text === undefined) throw new PresetFault("POLICY_UNREADABLE", "preset.default-unknown", { tool: "maven" });
  return { path: file, level: "tool", text: text.toString() };
}

/** @throws PresetFault */
export async function learnJava(machine: PresetMachine): Promise<LearntFacts> {
  const mvn = await requireProgram(machine, "mvn");
  const java = await machine.find("java");
  const home = path.dirname(path.dirname(machine.real(mvn)));
  const [own, global, user, project] = await Promise.all([
    ownModel(machine, home),
    filesAt(machine, "global", [path.join(home, "conf/settings.xml")]),
    filesAt(machine, "user", [path.join(machine.home, ".m2/settings.xml")]),
    projectFiles(machine, ["pom.xml", ".mvn/settings.xml"]),
  ]);
  return {
    answers: {},
    environment: {},
    files: [own, ...global, ...user, ...project],
    ...programFacts(machine, [mvn, ...(java === undefined ? [] : [java])]),
    notes: [],
  };
}

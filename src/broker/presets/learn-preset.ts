// Finds out on this machine what a preset is to follow from; what it means is the policy room's work.
import { type PresetFacts, PresetFault, type PresetResolution } from "../../contracts/preset.ts";
import type { PresetName } from "../../contracts/policy-document.ts";
import { resolvePreset } from "../../policy/policy.ts";
import { learnDebian } from "./learn-debian.ts";
import { learnGo } from "./learn-go.ts";
import { learnJava } from "./learn-java.ts";
import { learnNode } from "./learn-node.ts";
import { learnPython } from "./learn-python.ts";
import { learnRust } from "./learn-rust.ts";
import type { PresetMachine } from "./preset-machine.ts";

const learners: Readonly<Record<PresetName, (machine: PresetMachine) => Promise<PresetFacts>>> = {
  node: learnNode,
  python: learnPython,
  rust: learnRust,
  go: learnGo,
  java: learnJava,
  debian: learnDebian,
};

/** A preset on this machine, or why it is refused. @param privateHome the home directory inside a sandbox */
export async function learnPreset(name: PresetName, machine: PresetMachine, privateHome: string): Promise<PresetResolution> {
  try {
    return resolvePreset(name, await learners[name](machine), privateHome);
  } catch (error) {
    if (!(error instanceof PresetFault)) throw error;
    const { code, situation, values } = error;
    return { name, code, situation, values };
  }
}

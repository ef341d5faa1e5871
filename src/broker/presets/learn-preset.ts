// Finds out on this machine what a preset is to follow from; what it means is the policy room's work.
import { PresetFault, type PresetResolution } from "../../contracts/preset.ts";
import type { PresetName } from "../../contracts/policy-document.ts";
import { openInside, resolvePreset, type ResolveOptions } from "../../policy/policy.ts";
import { learnDebian } from "./learn-debian.ts";
import { learnGo } from "./learn-go.ts";
import { learnJava } from "./learn-java.ts";
import { learnNode } from "./learn-node.ts";
import { learnPython } from "./learn-python.ts";
import { learnRust } from "./learn-rust.ts";
import type { PresetMachine } from "./preset-machine.ts";
import type { LearntFacts } from "./preset-parts.ts";

const learners: Readonly<Record<PresetName, (machine: PresetMachine) => Promise<LearntFacts>>> = {
  node: learnNode,
  python: learnPython,
  rust: learnRust,
  go: learnGo,
  java: learnJava,
  debian: learnDebian,
};

const maximumCertificateBytes = 4 * 1024 * 1024;

/** A file of certificates may hold the key of one; inside it would be anybody's. INVARIANT I-07 */
async function refusePrivateKeys(machine: PresetMachine, places: readonly string[]): Promise<void> {
  for (const file of places) {
    const bytes = await machine.readBytes(file, maximumCertificateBytes);
    if (bytes?.includes("PRIVATE KEY-----") === true) throw new PresetFault("POLICY_VALUE_INVALID", "preset.private-key", { file });
  }
}

/** A preset on this machine, or why it is refused. */
export async function learnPreset(
  name: PresetName,
  machine: PresetMachine,
  inside: Pick<ResolveOptions, "privateHome" | "keepsCaches">,
): Promise<PresetResolution> {
  try {
    const learnt = await learners[name](machine);
    const resolved = resolvePreset(
      name,
      { ...learnt, consulted: [...machine.consulted] },
      { ...inside, isShown: (file) => machine.isShown(file) },
    );
    await refusePrivateKeys(machine, resolved.shows);
    const names = new Set(resolved.configured.map((place) => place.slice(0, place.lastIndexOf(":"))));
    const addresses = await Promise.all([...names].map(async (host) => [host, await machine.addressesOf(host)] as const));
    return openInside(resolved, new Map(addresses));
  } catch (error) {
    if (!(error instanceof PresetFault)) throw error;
    const { code, situation, values } = error;
    return { name, code, situation, values };
  }
}

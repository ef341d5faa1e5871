// What is tried inside, step by step: pure, from the ground, its baits and the policy.
import path from "node:path";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { Ear } from "./loopback-ears.ts";
import type { ProbeStep } from "./probe-script.ts";
import { type Baits, isBelow, type ProvingGround } from "./proving-ground.ts";

/** Names that the host would later run or trust, at the top and deep below. */
export const plantedNames = [
  ".git/hooks/pre-commit",
  "deep/below/.git/hooks/post-checkout",
  ".envrc",
  ".bashrc",
  ".vscode/tasks.json",
  ".claude/settings.json",
] as const;

/** The first write root inside the ground; undefined when the policy lets nothing be written there. */
export function writeRootOf({ project }: Pick<ProvingGround, "project">, policy: CompiledPolicy): string | undefined {
  return policy.paths.allowWrite.find((root) => root === project || isBelow(root, project));
}

export interface ProbePlaces {
  readonly ground: Pick<ProvingGround, "project" | "outside">;
  readonly policy: CompiledPolicy;
  readonly baits: Baits;
  readonly ears: readonly Pick<Ear, "protocol" | "address" | "port">[];
  readonly systemSecrets: readonly { readonly file: string }[];
}

const filesOf = (items: readonly { readonly file: string }[]): readonly string[] => items.map(({ file }) => file);

export interface ProbeWords {
  readonly home: string;
  /** What a probe sends where it connects. */
  readonly word: string;
  readonly engineSockets: readonly string[];
}

export function probeSteps(places: ProbePlaces, about: ProbeWords): readonly ProbeStep[] {
  const { ground, policy, baits, ears, systemSecrets } = places;
  const root = writeRootOf(ground, policy);
  const made = (directory: string): string => path.join(directory, "made");
  const planted = root === undefined ? [] : plantedNames.map((name) => path.join(root, name));
  const step = (id: string, ...words: [string, ...string[]]): ProbeStep => ({ id, words });
  const each = (name: string, verb: string, files: readonly string[]): readonly ProbeStep[] =>
    files.map((file, index) => step(`${name}.${index}`, verb, file));
  return [
    step("read.allowed", "see", baits.allowed.file),
    step("read.outside", "see", baits.outside.file),
    step("read.home", "names", about.home),
    ...each("read.denied", "see", filesOf(baits.deniedRead)),
    ...each("read.secret", "see", filesOf(systemSecrets)),
    step("write.outside", "change", baits.outside.file),
    step("write.beside", "make", made(ground.outside)),
    ...(root === undefined ? [] : [step("write.root", "make", made(root))]),
    ...(root === ground.project ? [] : [step("write.project", "make", made(ground.project))]),
    ...each("write.denied", "change", filesOf(baits.deniedWrite)),
    ...each("write.protected", "plant", planted),
    ...ears.map(({ protocol, address, port }, index) => step(`connect.${index}`, "dial", protocol, address, String(port), about.word)),
    step("connect.engines", "present", ...about.engineSockets),
    step("held.landlock", "permitted", "/dev", ground.outside),
  ];
}

// The shape of one attack row. A row is data: what is tried, which layers must hold it, and how the host sees whether it worked.
import type { PathPolicy } from "../../../src/contracts/boundary.ts";
import type { Family } from "./families.ts";
import type { Ground } from "./ground.ts";
import type { ProgramCache } from "./program.ts";

/** The two walls that a test build can take away one by one. */
export type Layer = "outer" | "inner";

/** `outside`: no boundary at all, the positive control. The others: inside, with the layers that the name lists. */
export type Configuration = "outside" | "none" | "outer" | "inner" | "both";

export const insideConfigurations = ["none", "outer", "inner", "both"] as const satisfies readonly Configuration[];

export type UserKind = "root" | "ordinary";

/** A script for /bin/sh, or the name of a C file in test/escape/programs, which is compiled statically. */
export type Program = { readonly sh: string } | { readonly c: string };

/** What the host got to see of one run. What the attacker's own exit status says is nowhere in it. */
export interface Run {
  /** Both output channels, as latin1 so that any bytes can be searched. */
  readonly output: string;
}

/** One attack set up on one ground. */
export interface Stage {
  /** Arguments of the program: where its targets are. Never the canary itself. */
  readonly arguments: readonly string[];
  /** Asked after the run, while everything staged still stands: did the attack gain what it wanted? Looks at the host only. */
  readonly succeeded: (run: Run) => boolean | Promise<boolean>;
}

/** Where and how one run happens. */
export interface Scene {
  readonly ground: Ground;
  readonly configuration: Configuration;
  readonly programs: ProgramCache;
  /** Ends what a stage started, after the run was judged. */
  readonly resources: AsyncDisposableStack;
}

export interface Attack {
  /** Reads after "an attack that ...", e.g. `reads a denied file through /proc/self/root`. */
  readonly name: string;
  /** Numbers of the families it covers (see families.ts). */
  readonly families: readonly Family[];
  readonly program: Program;
  /** Each of these layers alone must hold it; a layer that is not listed must be shown not to. */
  readonly heldBy: readonly Layer[];
  /** Why it takes both layers to hold it (then `heldBy` is empty): each one alone is shown not to. */
  readonly heldTogether?: string;
  /** Why it fails even with both layers taken away (then `heldBy` is empty, since neither can be proven); undefined when it then succeeds. */
  readonly heldAnyway?: string;
  /** What will hold a row that no layer holds yet. The row is then shown to succeed, and goes stale when it does not. */
  readonly pending?: string;
  /** Only for these; default both. */
  readonly users?: readonly UserKind[];
  /** errno names with which the positive control may fail because this kernel does not have the feature at all; then nothing may succeed inside either. */
  readonly absentWhen?: readonly string[];
  /** The sandbox has an egress endpoint, whose gate lets nothing through. */
  readonly hasGate?: boolean;
  /** Runs on a terminal. */
  readonly terminal?: boolean;
  /** A file that the caller of Glovebox holds open, inheritably, while it starts the run. */
  readonly leaks?: (ground: Ground) => string;
  /** Variables that the caller of Glovebox has in its environment and no policy passes. */
  readonly hostEnvironment?: (ground: Ground) => Readonly<Record<string, string>>;
  /** The policy lets commands make namespaces of their own. */
  readonly nests?: true;
  /** Rules in place of the ground's own. */
  readonly paths?: (ground: Ground) => PathPolicy;
  /** Put before the program in the positive control, e.g. a mount that the attack must be able to defeat. */
  readonly controlPrefix?: (ground: Ground) => readonly string[];
  /** What the host does between the opening of the sandbox and the start of the program. */
  readonly meanwhile?: (scene: Scene) => Promise<void>;
  /** Makes targets and listeners. */
  readonly stage: (scene: Scene) => Stage | Promise<Stage>;
}

/** Whether an attack must fail in a configuration, by its own declaration. */
export function mustFail(attack: Attack, configuration: Configuration): boolean {
  if (configuration === "outside") return false;
  if (attack.heldAnyway !== undefined) return true;
  if (configuration === "none") return false;
  if (configuration === "both") return attack.heldBy.length > 0 || attack.heldTogether !== undefined;
  return attack.heldBy.includes(configuration);
}

// Reads what `guard probe` prints: key=value lines about this machine's kernel.

export interface GuardProbe {
  readonly version: number;
  readonly arch: string;
  readonly isTestBuild: boolean;
  /** 0 without Landlock. */
  readonly landlockAbi: number;
  readonly hasSeccomp: boolean;
  readonly hasSeccompNotify: boolean;
  /** This user may make a user namespace. */
  readonly hasUserNamespaces: boolean;
  readonly hasPidfd: boolean;
}

/** Undefined when it is not the output of a guard. */
export function parseProbe(text: string): GuardProbe | undefined {
  const values = new Map<string, string>();
  for (const [, key, value] of text.matchAll(/^(\w+)=(\w+)$/gmu)) values.set(key ?? "", value ?? "");
  const version = Number(values.get("version"));
  const landlockAbi = Number(values.get("landlock_abi"));
  const arch = values.get("arch");
  const answers = ["test_build", "seccomp", "seccomp_notify", "userns", "pidfd"].map((key) => values.get(key));
  if (!Number.isInteger(version) || !Number.isInteger(landlockAbi) || arch === undefined) return undefined;
  if (answers.some((answer) => answer !== "yes" && answer !== "no")) return undefined;
  const [isTestBuild = false, hasSeccomp = false, hasSeccompNotify = false, hasUserNamespaces = false, hasPidfd = false] = answers.map(
    (answer) => answer === "yes",
  );
  return { version, arch, isTestBuild, landlockAbi, hasSeccomp, hasSeccompNotify, hasUserNamespaces, hasPidfd };
}

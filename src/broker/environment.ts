// Builds a command's environment from nothing: the policy's allow-list, the policy's own values, and the few names every program expects.
import type { HostUser } from "../contracts/boundary.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** `LANG` matches itself, `LC_*` every name that begins with `LC_`. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function passed(policy: CompiledPolicy, caller: Variables): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    if (value !== undefined && policy.environment.pass.some((pattern) => matchesName(pattern, name))) result[name] = value;
  }
  return result;
}

export interface EnvironmentParts {
  readonly policy: CompiledPolicy;
  readonly caller: Variables;
  readonly user: HostUser;
  readonly cwd: string;
  readonly hasTerminal: boolean;
}

/**
 * The complete environment. PATH is taken from the caller; the boundary keeps only those of its entries that exist inside.
 * INVARIANT I-07: nothing else the host holds gets in.
 */
export function buildEnvironment(parts: EnvironmentParts): Record<string, string> {
  const { policy, caller, user, cwd } = parts;
  return {
    PATH: caller["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: "/bin/sh",
    TMPDIR: "/tmp",
    PWD: cwd,
    ...(parts.hasTerminal ? { TERM: "xterm-256color" } : {}),
    ...passed(policy, caller),
    ...policy.environment.set,
  };
}

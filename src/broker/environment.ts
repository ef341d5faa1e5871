// Builds a command's environment from nothing: the policy's allow-list, the policy's own values, and the few names every program expects.
import type { HostUser } from "../contracts/boundary.ts";
import { gateProxy } from "../contracts/egress-places.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { opensConnections } from "./task-egress.ts";
import { passedEnvironment } from "../policy/policy.ts";

const { address, httpPort } = gateProxy;
const http = `http://${address}:${httpPort}`;
const own = "localhost,127.0.0.1,::1";

/**
 * Whoever honours them is told why something was refused; whoever does not is captured. No `ALL_PROXY`: Chromium and others take it before the rest,
 * and do not know every word for SOCKS.
 */
const proxyVariables: Readonly<Record<string, string>> = {
  http_proxy: http,
  https_proxy: http,
  no_proxy: own,
  HTTP_PROXY: http,
  HTTPS_PROXY: http,
  NO_PROXY: own,
};

/** Where nothing answers, waiting helps nobody: by their own measure npm would try again for 70 seconds before it says so, and pip for 50. */
const withoutNetwork: Readonly<Record<string, string>> = { npm_config_fetch_retries: "0", PIP_RETRIES: "0", CARGO_NET_RETRY: "0" };

type Variables = Readonly<Record<string, string | undefined>>;

export interface EnvironmentParts {
  readonly policy: CompiledPolicy;
  readonly caller: Variables;
  readonly user: HostUser;
  readonly cwd: string;
  readonly hasTerminal: boolean;
  /** No sandbox: the network is the machine's own. */
  readonly isOutside?: true;
}

function networkVariables({ policy, isOutside }: EnvironmentParts): Readonly<Record<string, string>> {
  if (isOutside === true) return {};
  return opensConnections(policy.egress) ? proxyVariables : withoutNetwork;
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
    ...networkVariables(parts),
    ...(parts.hasTerminal ? { TERM: "xterm-256color" } : {}),
    // A name that is not UTF-8 is nobody's: no rule can mean it, and no record can hold it.
    ...Object.fromEntries(Object.entries(passedEnvironment(policy.environment.pass, caller)).filter(([name]) => name.isWellFormed())),
    ...policy.environment.set,
  };
}

// The network of one task: the gate's endpoint where the policy lets something out, and its decisions in the ledger before their effect. INVARIANT I-06, I-11
import type { Sandbox } from "../contracts/boundary.ts";
import type { EgressEndpoint } from "../contracts/egress.ts";
import type { EgressEvent, EgressSummary } from "../contracts/egress-record.ts";
import type { EgressPolicy } from "../contracts/egress-policy.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { GateProcess, NetworkSettings } from "../egress/egress.ts";
import type { ActionIdentity, ActionRecord } from "./action-record.ts";
import type { DenialCount } from "./denial-count.ts";

/** `lost`: the gate ended before it could say; what it decided is in the ledger. */
export type TaskTraffic = EgressSummary | "lost";

export interface TaskEgress {
  readonly endpoint: EgressEndpoint;
  /** From now on, refusals carry the name of their process. */
  opened(sandbox: Sandbox): void;
  /** After the sandbox has closed. */
  readonly traffic: Promise<TaskTraffic>;
}

/** Some connection may be allowed. */
export function opensConnections({ rules, local }: EgressPolicy): boolean {
  return local.length > 0 || rules.some(({ verdict }) => verdict === "allow");
}

const identityOf = ({ reason, host, port, via }: Pick<EgressEvent, "reason" | "host" | "port" | "via">): string =>
  JSON.stringify([reason, host, port, via]);

/** The gate knows sockets; whose they are, the boundary knows. */
function named(summary: EgressSummary, processes: ReadonlyMap<string, string>): EgressSummary {
  const refusals = summary.refusals.map((refusal) => {
    const process = refusal.process ?? processes.get(identityOf(refusal));
    return process === undefined ? refusal : { ...refusal, process };
  });
  return { ...summary, refusals };
}

/** Undefined: nothing may leave, and there is no way out to be guarded. */
export function openTaskEgress(
  { gate, network }: { readonly gate: () => GateProcess; readonly network: NetworkSettings },
  policy: CompiledPolicy,
  about: { readonly identity: ActionIdentity; readonly record: ActionRecord; readonly denials: DenialCount },
): TaskEgress | undefined {
  if (!opensConnections(policy.egress)) return undefined;
  const processes = new Map<string, string>();
  let sandbox: Sandbox | undefined;
  const served = gate().serve(about.identity.sandbox, { policy: policy.egress, network }, async ({ about: event, clientPort }) => {
    const process = clientPort === undefined ? undefined : sandbox?.whoConnects(clientPort);
    if (process !== undefined && event.verdict === "deny") processes.set(identityOf(event), process);
    await about.record.connection(process === undefined ? event : { ...event, process });
    if (event.verdict === "deny") about.denials.add();
  });
  return {
    endpoint: served.endpoint,
    opened: (opened) => {
      sandbox = opened;
    },
    traffic: served.summary.then((summary) => (summary === undefined ? "lost" : named(summary, processes))),
  };
}

// The network of one task: the gate's endpoint where the policy lets something out, and its decisions in the ledger before their effect. INVARIANT I-06, I-11
import type { Sandbox } from "../contracts/boundary.ts";
import type { EgressEndpoint } from "../contracts/egress.ts";
import type { EgressEvent, EgressSummary } from "../contracts/egress-record.ts";
import type { EgressPolicy } from "../contracts/egress-policy.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { GateProcess, NetworkSettings } from "../egress/egress.ts";
import type { SandboxId } from "../contracts/ids.ts";
import type { ActionRecord } from "./action-record.ts";
import type { ApprovalRecord } from "./ask-person.ts";
import { type ConnectionQuestionParts, ConnectionQuestions } from "./connection-questions.ts";
import type { DenialCount } from "./denial-count.ts";

/** `lost`: the gate ended before it could say; what it decided is in the ledger. */
export type TaskTraffic = EgressSummary | "lost";

export interface TaskEgress {
  readonly endpoint: EgressEndpoint;
  /** From now on, refusals carry the name of their process. */
  opened(sandbox: Sandbox): void;
  /**
   * The rules about connections of another policy, from now on. What they do not permit ends at once; what they permit besides opens nothing by
   * itself. @returns how many connections ended. @throws WALL_UNAVAILABLE when the gate is gone; when it could not be recorded: it holds all the same
   */
  reload(policy: CompiledPolicy): Promise<number>;
  /** After the sandbox has closed. */
  readonly traffic: Promise<TaskTraffic>;
}

/** Some connection may be allowed, or asked about. */
export function opensConnections({ rules, local, unruled }: EgressPolicy): boolean {
  return unruled === "ask" || local.length > 0 || rules.some(({ verdict }) => verdict !== "deny");
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

export interface TaskEgressParts extends ConnectionQuestionParts {
  readonly record: ApprovalRecord & Pick<ActionRecord, "connection" | "rulesReplaced">;
  readonly gate: () => Pick<GateProcess, "serve">;
  readonly network: NetworkSettings;
  readonly policy: CompiledPolicy;
  readonly sandbox: SandboxId;
  readonly denials: DenialCount;
}

/** Undefined: nothing may leave, and there is no way out to be guarded. */
export function openTaskEgress(parts: TaskEgressParts): TaskEgress | undefined {
  const { policy, record } = parts;
  if (!opensConnections(policy.egress)) return undefined;
  const processes = new Map<string, string>();
  const questions = new ConnectionQuestions(parts, policy);
  let sandbox: Sandbox | undefined;
  const whose = (clientPort: number | undefined): string | undefined =>
    clientPort === undefined ? undefined : sandbox?.whoConnects(clientPort);
  const served = parts.gate().serve(
    parts.sandbox,
    { policy: policy.egress, network: parts.network },
    {
      record: async ({ about, clientPort }) => {
        const process = whose(clientPort);
        if (process !== undefined && about.verdict === "deny") processes.set(identityOf(about), process);
        await record.connection(process === undefined ? about : { ...about, process }, questions.approvalOf(about));
        if (about.verdict === "deny") parts.denials.add();
      },
      ask: ({ about, clientPort }) => questions.ask(about, whose(clientPort)),
    },
  );
  return {
    endpoint: {
      ...served.endpoint,
      close: () => {
        questions.withdraw();
        return served.endpoint.close();
      },
    },
    opened: (opened) => {
      sandbox = opened;
    },
    reload: async (next) => {
      questions.withdraw();
      const ended = await served.reload(next.egress).catch((cause: unknown) => {
        throw new GloveboxError("WALL_UNAVAILABLE", "sandbox.gate-gone", { values: { sandbox: parts.sandbox }, cause });
      });
      // Until the gate has said so it decides by the rules before, and what it lets pass rests on grants from before. What ended by the new rules is
      // safe unrecorded, and what begins by them is recorded after this.
      questions.replacePolicy(next);
      await record.rulesReplaced(next);
      return ended;
    },
    traffic: served.summary.then((summary) => (summary === undefined ? "lost" : named(summary, processes))),
  };
}

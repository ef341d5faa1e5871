// The start of one action: the decision, its record, and a person's permit where the decision asks for one. Nothing has been opened yet.
import type { ApprovalKind } from "../contracts/approval.ts";
import type { Boundary, HostUser } from "../contracts/boundary.ts";
import type { Clock } from "../contracts/clock.ts";
import type { CommandRequest, Decision } from "../contracts/decision.ts";
import type { RunIo, RunRequest } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { IdSource } from "../contracts/ids.ts";
import type { Ledger } from "../contracts/ledger.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { GateProcess } from "../egress/egress.ts";
import { quoteArgument } from "../kit/escape-text.ts";
import type { ActionIdentity, ActionRecord } from "./action-record.ts";
import type { DenialCount } from "./denial-count.ts";
import type { OutsidePlan } from "./outside.ts";
import { obtainPermit, type Permit } from "./permit.ts";
import type { StateLayout } from "./state-layout.ts";
import type { Step } from "./step.ts";
import type { TaskEgress } from "./task-egress.ts";
import type { JournalOwner } from "./task-journal.ts";

export interface BrokerParts {
  readonly layout: StateLayout;
  readonly ledger: Ledger;
  readonly boundary: Boundary;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly user: HostUser;
  readonly owner: JournalOwner;
  readonly step: Step;
  /** The hash of the policy that would hold if its documents were read now. */
  readonly policyHashNow: () => Promise<string>;
  /** The gate, started when it is first asked for. */
  readonly gate: () => GateProcess;
}

export interface Action {
  readonly parts: BrokerParts;
  readonly policy: CompiledPolicy;
  readonly request: RunRequest;
  readonly io: RunIo;
  readonly identity: ActionIdentity;
  readonly record: ActionRecord;
  readonly environment: Readonly<Record<string, string>>;
  /** Undefined for a command that stays in a sandbox. */
  readonly outside: OutsidePlan | undefined;
  /** False while a sandbox of this action may hold something on the host. */
  readonly life: { isNothingLeft: boolean };
  readonly denials: DenialCount;
  /** Undefined where nothing may leave, and before the action was admitted. */
  egress: TaskEgress | undefined;
}

/** Why a request to leave the sandbox was denied, where no rule of the policy says it. */
function outsideRefusal(asked: CommandRequest, decision: Decision, values: Readonly<Record<string, string>>): GloveboxError | undefined {
  const entry = asked.outside?.entry;
  if (decision.reasonCode === "mismatch")
    return new GloveboxError("POLICY_DENIED", "run.outside-mismatch", { values: { ...values, entry: entry ?? "" } });
  if (decision.reasonCode !== "closed") return undefined;
  if (entry === undefined) return new GloveboxError("POLICY_DENIED", "run.outside-closed", { values });
  return new GloveboxError("POLICY_DENIED", "run.outside-no-entry", { values: { ...values, entry } });
}

function refusal(task: string, request: CommandRequest, decision: Decision): GloveboxError | undefined {
  const command = request.argv.map(quoteArgument).join(" ");
  const rule = decision.ruleId ?? "default";
  if (decision.verdict === "deny") {
    const outside = outsideRefusal(request, decision, { task, command });
    if (outside !== undefined) return outside;
    if (decision.reason === "") return new GloveboxError("POLICY_DENIED", "run.denied", { values: { task, command, rule } });
    return new GloveboxError("POLICY_DENIED", "run.denied-because", { values: { task, command, rule, reason: decision.reason } });
  }
  return undefined;
}

async function permitFor(action: Action, decision: Decision): Promise<Permit> {
  const { parts, policy, request, identity, record, environment, io, outside } = action;
  const { argv, cwd } = outside ?? request;
  const { ids, clock, owner, policyHashNow, layout } = parts;
  const kind: ApprovalKind = outside?.kind ?? "command";
  const about = { task: identity.task, kind, decision, policy, argv, cwd, environment, io, record, entry: outside?.entry };
  return obtainPermit({ ...about, ids, clock, owner, policyHashNow, pendingDirectory: layout.approvals });
}

/** Decides and records; throws when the answer is neither `allow` nor a person's permit. INVARIANT I-01 */
export async function admit(action: Action): Promise<Permit | undefined> {
  const { parts, policy, request, identity, record, environment } = action;
  const asked: CommandRequest = {
    kind: "command",
    argv: request.argv,
    cwd: action.outside?.cwd ?? request.cwd,
    ...(request.outside === undefined ? {} : { outside: request.outside }),
  };
  const decision = policy.decide(asked);
  parts.step("decided");
  await record.decision(asked, decision, Object.keys(environment));
  parts.step("decision recorded");
  const denied = { task: identity.task, command: asked.argv.map(quoteArgument).join(" ") };
  try {
    const error = refusal(identity.task, asked, decision);
    if (error !== undefined) throw error;
    if (decision.verdict === "ask") return await permitFor(action, decision);
    // Outside nothing is ever allowed by a rule. Were it, it would stop here.
    if (action.outside !== undefined) throw new GloveboxError("POLICY_DENIED", "run.outside-closed", { values: denied });
    return undefined;
  } catch (error) {
    await record.resultWithoutRun("denied");
    await parts.ledger.seal();
    throw error;
  }
}

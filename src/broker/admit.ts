// The start of one action: the decision, its record, and a person's permit where the decision asks for one. Nothing has been opened yet.
import type { ApprovalKind } from "../contracts/approval.ts";
import type { OutputChunk } from "../contracts/boundary.ts";
import type { CommandRequest, Decision } from "../contracts/decision.ts";
import type { RunIo, RunRequest } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { quoteArgument } from "../kit/escape-text.ts";
import type { ActionIdentity, ActionRecord } from "./action-record.ts";
import type { BrokerParts } from "./broker-parts.ts";
import type { OutsidePlan } from "./outside.ts";
import { obtainPermit, type Permit } from "./permit.ts";

/** One command, from its decision to its result. */
export interface Action {
  readonly parts: BrokerParts;
  readonly policy: CompiledPolicy;
  readonly request: RunRequest;
  readonly io: RunIo;
  readonly identity: ActionIdentity;
  readonly record: ActionRecord;
  readonly environment: Readonly<Record<string, string>>;
  /** The environment is the command's own, not its sandbox's. */
  readonly bringsEnvironment?: true;
  /** Of this command, where it is shorter than that of the policy. */
  readonly wallMs?: number;
  /** What the command leaves running stays, for its sandbox ends later; the output of that goes here. */
  readonly onLaterOutput?: (chunk: OutputChunk) => void;
  /** Undefined for a command that stays in a sandbox. */
  readonly outside: OutsidePlan | undefined;
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
  const about = {
    identity,
    kind,
    decision,
    policy,
    argv,
    cwd,
    environment,
    io,
    record,
    entry: outside?.entry,
    inputs: request.inputs ?? [],
  };
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

// Asks a person about one command, records question and answer, and hands out the permit that the command starts with. INVARIANT I-12
import {
  type Approval,
  type ApprovalSubject,
  askApproval,
  claimPending,
  type Examined,
  examineFiles,
  redeemApproval,
  subjectDigest,
} from "../approvals/approvals.ts";
import type { ApprovalKind, CommandQuestion } from "../contracts/approval.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Decision } from "../contracts/decision.ts";
import type { RunIo } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { type ApprovalId, type IdSource, makeApprovalId } from "../contracts/ids.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { quoteArgument } from "../kit/escape-text.ts";
import type { OutsideEntry } from "../contracts/policy-document.ts";
import type { ActionIdentity, ActionRecord } from "./action-record.ts";
import { askAndRecord, momentOf } from "./ask-person.ts";
import { toldOf } from "./told-places.ts";
import { checkPin } from "./outside.ts";
import type { JournalOwner } from "./task-journal.ts";

/** How long a question may stay open, and an answer unused. */
export const approvalLifetimeMs = 10 * 60_000;

export interface PermitParts {
  readonly identity: ActionIdentity;
  readonly kind: ApprovalKind;
  /** The entry of the policy whose program must be the pinned one. */
  readonly entry: OutsideEntry | undefined;
  readonly decision: Decision;
  readonly policy: CompiledPolicy;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Of the host, absolute: it gets copies. */
  readonly inputs: readonly string[];
  readonly io: RunIo;
  readonly record: ActionRecord;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly owner: JournalOwner;
  /** Where open questions are counted. */
  readonly pendingDirectory: string;
  /** The hash of the policy that would hold if it were read now. */
  readonly policyHashNow: () => Promise<string>;
}

export interface Permit {
  readonly approval: ApprovalId;
  /** What was shown: the program by its place, so that no other of the same name is started. */
  readonly argv: readonly [string, ...string[]];
  /** Looks again at everything that is bound, right before the start. Once. @throws APPROVAL_CHANGED, APPROVAL_EXPIRED */
  redeem(): Promise<void>;
}

interface Looked {
  readonly examined: Examined;
  readonly subject: ApprovalSubject;
}

async function look(parts: PermitParts, policyHash: string): Promise<Looked> {
  const { kind, argv, cwd, environment, decision, io } = parts;
  const examined = await examineFiles({ argv, cwd, searchPath: environment["PATH"] ?? "" });
  if (parts.entry !== undefined) await checkPin(parts.entry, examined.files);
  const input = io.stdinDigest === undefined ? [] : [{ role: "input" as const, path: "-", digest: io.stdinDigest }];
  const liveInput = io.stdin === undefined || input.length > 0 ? [] : [{ what: "live-input" as const, name: "" }];
  const given = parts.inputs.map((name) => ({ what: "input-files" as const, name }));
  const notBound = [...examined.notBound, ...given, ...liveInput];
  const files = [...examined.files, ...input];
  return { examined, subject: { kind, argv, cwd, ruleId: decision.ruleId, files, notBound, environment, policyHash } };
}

function isInWriteRoot(policy: CompiledPolicy, file: string): boolean {
  return policy.paths.allowWrite.some((root) => file === root || file.startsWith(`${root}/`));
}

function questionOf(parts: PermitParts, approval: Approval, { subject }: Looked): CommandQuestion {
  const { kind, argv, cwd, decision, policy, environment } = parts;
  const { files, notBound } = subject;
  return {
    id: approval.id,
    kind,
    argv,
    cwd,
    ruleId: decision.ruleId,
    reason: decision.reason,
    policyHash: policy.hash,
    files,
    filesInWriteRoots: files.map(({ path }) => path).filter((file) => isInWriteRoot(policy, file)),
    environmentNames: Object.keys(environment),
    notBound,
    lifetimeMs: approval.lifetimeMs,
    // No wall holds what runs outside: that is granted by who sees all of the question at a terminal.
    tell: kind === "command" ? toldOf(policy, "command") : [],
  };
}

function refusalOf(parts: PermitParts, state: Approval["state"]): GloveboxError {
  const values = valuesOf(parts);
  if (state === "refused") return new GloveboxError("APPROVAL_REFUSED", "approval.refused", { values });
  if (state === "expired") return new GloveboxError("APPROVAL_EXPIRED", "approval.expired", { values });
  return new GloveboxError("APPROVAL_WITHDRAWN", "approval.withdrawn", { values });
}

function valuesOf({ argv, identity, decision }: PermitParts): Readonly<Record<string, string>> {
  return { command: argv.map(quoteArgument).join(" "), task: identity.task, rule: decision.ruleId ?? "default" };
}

function unavailable(parts: PermitParts): GloveboxError {
  const values = valuesOf(parts);
  if (parts.kind === "command") return new GloveboxError("APPROVAL_UNAVAILABLE", "approval.nobody-to-ask", { values });
  return new GloveboxError("APPROVAL_UNAVAILABLE", "approval.nobody-to-ask-unsandboxed", { values });
}

function permitFor(parts: PermitParts, granted: Approval, key: Uint8Array, program: string | undefined): Permit {
  const [name, ...rest] = parts.argv;
  // Outside there is nothing that would refuse a program which was not found here.
  if (program === undefined && parts.kind !== "command")
    throw new GloveboxError("POLICY_DENIED", "run.outside-no-program", { values: valuesOf(parts) });
  let current = granted;
  return {
    approval: granted.id,
    argv: [program ?? name, ...rest],
    redeem: async () => {
      const { subject } = await look(parts, await parts.policyHashNow());
      const { verdict, approval } = redeemApproval(current, subjectDigest(subject, key), momentOf(parts.clock));
      current = approval;
      if (verdict === "usable") return;
      const values = valuesOf(parts);
      if (verdict === "changed") throw new GloveboxError("APPROVAL_CHANGED", "approval.changed", { values });
      throw new GloveboxError("APPROVAL_EXPIRED", "approval.expired", { values });
    },
  };
}

/** @throws APPROVAL_UNAVAILABLE, APPROVAL_LIMIT, APPROVAL_REFUSED, APPROVAL_EXPIRED, APPROVAL_WITHDRAWN */
export async function obtainPermit(parts: PermitParts): Promise<Permit> {
  const { ids, clock, policy, owner, io, record } = parts;
  if (io.ask === undefined) throw unavailable(parts);
  const id = makeApprovalId(ids);
  const { task, action } = parts.identity;
  const about = { task, action };
  const claim = await claimPending(parts.pendingDirectory, id, { maximum: policy.pendingApprovals, owner, about });
  if (claim === undefined) {
    throw new GloveboxError("APPROVAL_LIMIT", "approval.too-many", { values: { ...valuesOf(parts), maximum: policy.pendingApprovals } });
  }
  try {
    const key = ids.randomBytes(32);
    const looked = await look(parts, policy.hash);
    const asked = askApproval({ id, subject: subjectDigest(looked.subject, key), asked: momentOf(clock), lifetimeMs: approvalLifetimeMs });
    const asking = { ask: io.ask, caller: io.signal, record, clock };
    const settled = await askAndRecord(asking, asked, questionOf(parts, asked, looked));
    if (settled.state !== "granted") throw refusalOf(parts, settled.state);
    return permitFor(parts, settled, key, looked.examined.program);
  } finally {
    await claim.release();
  }
}

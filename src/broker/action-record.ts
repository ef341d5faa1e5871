// Writes what one action leaves in the ledger, in order: decision, walls, end, result. INVARIANT I-01, I-11
import type { GatheredLeft } from "../artifacts/artifacts.ts";
import type { ApprovalQuestion, GivenAnswer } from "../contracts/approval.ts";
import type { LateMasks, RefusedCalls, SandboxSpec, WallReport } from "../contracts/boundary.ts";
import type { CommandRequest, Decision } from "../contracts/decision.ts";
import { type EgressEvent, noTraffic } from "../contracts/egress-record.ts";
import type { RunOutcome } from "../contracts/door.ts";
import type { ErrorCode } from "../contracts/error-table.ts";
import { type ActionId, type ApprovalId, type Digest, digestSchema, type SandboxId, type TaskId } from "../contracts/ids.ts";
import type { GivenInput } from "../contracts/inputs.ts";
import { allowedOf } from "../contracts/limits.ts";
import type { Durability, Ledger } from "../contracts/ledger.ts";
import type { Commitment, NewRecord, RecordType } from "../contracts/ledger-record.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { wellFormedByteText } from "../kit/byte-text.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import { sha256Digest } from "../kit/digest.ts";
import type { EndReason } from "./end-reason.ts";
import { childOf, type Ending } from "./outcome.ts";
import type { SupervisionReport } from "./supervise.ts";
import type { TaskTraffic } from "./task-egress.ts";
import type { GatheredCheckpoint } from "../changes/changes.ts";
import type { TakenArtifacts } from "./task-artifacts.ts";
import type { TaskChanges } from "./task-changes.ts";

export interface ActionIdentity {
  readonly task: TaskId;
  readonly action: ActionId;
  readonly sandbox: SandboxId;
}

export interface StreamCommitments {
  readonly stdout: Commitment;
  readonly stderr: Commitment;
}

/** Words that may stand in a leaf: letters, digits and `._:+/-`. */
function asWord(text: string): string {
  const word = text
    .replaceAll(/[^A-Za-z0-9._:+/-]+/gu, "-")
    .replace(/^[^A-Za-z0-9]+/u, "")
    .slice(0, 128);
  return word === "" ? "none" : word;
}

/** @param isSeen the host saw the end itself; otherwise the guard tells of it */
function exitBody(
  ending: Ending,
  isSeen: boolean,
): { kind: "exited" | "signalled" | "not-started" | "lost"; value: number; source: "claim" | "evidence" } {
  const child = childOf(ending.exit);
  return { kind: child.kind, value: child.value, source: isSeen || child.kind === "lost" ? "evidence" : "claim" };
}

function tailText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8").decode(bytes);
}

/** What a person was shown, as the blob keeps it. */
function shownOf(question: ApprovalQuestion): Readonly<Record<string, unknown>> {
  if (question.kind === "connection") {
    const { host, port, protocols, process, ruleId } = question;
    return { host, port, protocols: [...protocols], process: process ?? null, rule: ruleId ?? null };
  }
  return {
    files: question.files.map((file) => ({ ...file, path: wellFormedByteText(file.path) })),
    notBound: question.notBound.map(({ what, name }) => ({ what, name: wellFormedByteText(name) })),
    environmentNames: [...question.environmentNames],
  };
}

export class ActionRecord {
  readonly #ledger: Ledger;
  readonly #identity: ActionIdentity;
  #policy: CompiledPolicy;
  readonly #isPart: boolean;
  #firstSeq: number | undefined;
  #lastSeq = 0;

  /** @param isPart of a task whose first record has the policy already */
  constructor(ledger: Ledger, identity: ActionIdentity, policy: CompiledPolicy, isPart = false) {
    this.#isPart = isPart;
    this.#ledger = ledger;
    this.#identity = identity;
    this.#policy = policy;
  }

  /** Sequence numbers of the first and last record written here. */
  get range(): { readonly firstSeq: number; readonly lastSeq: number } {
    return { firstSeq: this.#firstSeq ?? 0, lastSeq: this.#lastSeq };
  }

  #policyDetail() {
    const { document, presets, retentionDays } = this.#policy;
    return { policy: document, presets: presets.map(({ name, sources }) => ({ name, sources })), retentionDays };
  }

  async #append<T extends RecordType>(
    type: T,
    body: NewRecord<T>["body"],
    detail?: Readonly<Record<string, unknown>>,
    durability: Durability = "kernel",
  ): Promise<void> {
    const { task, action } = this.#identity;
    const record: NewRecord<T> = { type, task, action, policy: this.#policy.hash, body, ...(detail === undefined ? {} : { detail }) };
    const receipt = await this.#ledger.append(record, durability);
    this.#firstSeq ??= receipt.seq;
    // The gate's decisions are recorded beside the rest.
    this.#lastSeq = Math.max(this.#lastSeq, receipt.seq);
  }

  async decision(request: CommandRequest, decision: Decision, environmentNames: readonly string[]): Promise<void> {
    const { task } = this.#identity;
    const policy = this.#policy;
    const argv = request.argv.map(wellFormedByteText);
    const body: NewRecord<"policy.decision">["body"] = {
      kind: request.kind,
      verdict: decision.verdict,
      reasonCode: decision.reasonCode,
      boundary: request.outside === undefined ? policy.boundary : "outside",
      request: await this.#ledger.commit(task, canonicalJson({ argv, cwd: request.cwd })),
      origins: [...policy.origins],
      ...(decision.ruleId === undefined ? {} : { rule: await this.#ledger.commit(task, decision.ruleId) }),
    };
    const detail = {
      ...(policy.auditArgv === "digest" ? { argvDigest: sha256Digest(canonicalJson(argv)) } : { argv }),
      cwd: request.cwd,
      rule: decision.ruleId ?? null,
      reason: decision.reason,
      environmentNames: [...environmentNames],
      ...(this.#isPart ? {} : this.#policyDetail()),
    };
    // `allow` by rule survives a kill of every process; an `ask` is on the device before anybody acts on it.
    await this.#append("policy.decision", body, detail, decision.verdict === "ask" ? "synced" : "kernel");
  }

  /** A sandbox is about to be opened in which nothing runs yet: what a policy says of commands, it says of each of them. */
  async sandboxDecision(projectDirectory: string, environmentNames: readonly string[]): Promise<void> {
    const { boundary, origins } = this.#policy;
    const request = await this.#ledger.commit(this.#identity.task, canonicalJson({ projectDirectory }));
    const body: NewRecord<"policy.decision">["body"] = {
      kind: "sandbox",
      verdict: "allow",
      reasonCode: "default",
      boundary,
      request,
      origins: [...origins],
    };
    await this.#append("policy.decision", body, { projectDirectory, environmentNames: [...environmentNames], ...this.#policyDetail() });
  }

  /** On the device before anybody is asked. */
  async approvalAsked(question: ApprovalQuestion, subject: Digest): Promise<void> {
    const { id: approval, kind, lifetimeMs } = question;
    const commitment = await this.#ledger.commit(this.#identity.task, subject);
    const [boundFiles, notBound] = question.kind === "connection" ? [0, 0] : [question.files.length, question.notBound.length];
    const body = { approval, kind, subject: commitment, boundFiles, notBound, lifetimeMs };
    await this.#append("approval.asked", body, shownOf(question), "synced");
  }

  /** On the device before anything starts. */
  approvalAnswered(
    approval: ApprovalId,
    answer: NewRecord<"approval.answered">["body"]["answer"],
    given: Omit<GivenAnswer, "answer"> | undefined,
  ): Promise<void> {
    const body = { approval, answer, ...(given === undefined ? {} : { by: given.by }) };
    return this.#append("approval.answered", body, given?.url === undefined ? undefined : { url: given.url }, "synced");
  }

  /** Before the sandbox opens that shows them. */
  async inputs(list: readonly GivenInput[]): Promise<void> {
    const { task, sandbox } = this.#identity;
    const inputs = list.map((input) => ({ ...input, name: wellFormedByteText(input.name), from: wellFormedByteText(input.from) }));
    const sum = (of: (input: GivenInput) => number): number => list.reduce((total, input) => total + of(input), 0);
    const commitment = await this.#ledger.commit(task, canonicalJson(inputs));
    const body = { sandbox, inputs: list.length, files: sum(({ files }) => files), bytes: sum(({ bytes }) => bytes), list: commitment };
    await this.#append("execution.inputs", body, { inputs });
  }

  async opened(walls: WallReport, limits: SandboxSpec["limits"]): Promise<void> {
    const allowed = allowedOf(limits);
    const body: NewRecord<"execution.opened">["body"] = {
      sandbox: this.#identity.sandbox,
      layers: walls.layers.map((layer) => ({ name: asWord(layer.name), detail: asWord(layer.detail) })),
      limits: walls.limits.map(({ limit, strength }) => ({ limit, strength, allowed: allowed[limit] })),
      hostUid: walls.identity.hostUid,
      ...(walls.caches === undefined ? {} : { caches: [...walls.caches.names] }),
      ...(walls.template === undefined ? {} : { template: digestSchema.parse(walls.template.id) }),
    };
    await this.#append("execution.opened", body, { walls });
  }

  /** On the device before the command starts: no wall is going to hold it. */
  async unsandboxed(
    walls: WallReport,
    about: { readonly limits: SandboxSpec["limits"]; readonly approval: ApprovalId; readonly kind: "unsandboxed" | "narrow" },
  ): Promise<void> {
    const allowed = allowedOf(about.limits);
    const limits = walls.limits.map(({ limit }) => ({ limit, strength: "supervised" as const, allowed: allowed[limit] }));
    const { approval, kind } = about;
    const body = { sandbox: this.#identity.sandbox, approval, kind, limits, hostUid: walls.identity.hostUid };
    await this.#append("execution.unsandboxed", body, { walls }, "synced");
  }

  refused(code: ErrorCode): Promise<void> {
    return this.#append("execution.refused", { code });
  }

  /** @param isSeen false: what is said of the end and of its usage comes from the guard */
  ended(report: SupervisionReport, isSeen: boolean): Promise<void> {
    const hasClaim = !isSeen && (report.exit.kind === "exited" || report.exit.kind === "signalled");
    const usage = hasClaim && "usage" in report.exit ? { usage: { ...report.exit.usage } } : {};
    const body = {
      sandbox: this.#identity.sandbox,
      exit: exitBody(report, isSeen),
      limitHits: report.limitHits.map((hit) => ({ ...hit })),
      durationMs: report.durationMs,
      ...usage,
      ...(report.usage === undefined ? {} : { observed: { ...report.usage } }),
    };
    return this.#append("execution.ended", body);
  }

  /** Nothing when nothing was refused. */
  async refusedCalls({ total, first }: RefusedCalls): Promise<void> {
    if (total === 0) return;
    const { task, sandbox } = this.#identity;
    const calls = first.map((call) => ({ ...call }));
    const names = [...new Set(calls.map(({ rule }) => rule))].toSorted();
    const rules = names.map((rule) => ({ rule, count: calls.filter((call) => call.rule === rule).length }));
    const commitment = await this.#ledger.commit(task, canonicalJson(calls));
    await this.#append("execution.refused-calls", { sandbox, total, rules, calls: commitment }, { calls });
  }

  /** From here on, what is decided about connections is decided by another policy. */
  async rulesReplaced(policy: CompiledPolicy): Promise<void> {
    const previous = this.#policy.hash;
    this.#policy = policy;
    await this.#append("egress.replaced", { sandbox: this.#identity.sandbox, previous }, { policy: policy.document });
  }

  /** In the ledger before the gate acts on it. @param approval whose grant it rests on */
  async connection(event: EgressEvent, approval?: ApprovalId): Promise<void> {
    const { task, sandbox } = this.#identity;
    const { verdict, reason, via, rule, host, port } = event;
    const body: NewRecord<"egress.decision">["body"] = {
      sandbox,
      verdict,
      reason,
      via,
      target: await this.#ledger.commit(task, canonicalJson({ host, port: port ?? null })),
      ...(rule === undefined ? {} : { rule: await this.#ledger.commit(task, rule) }),
      ...(approval === undefined ? {} : { approval }),
    };
    await this.#append("egress.decision", body, { ...event, protocols: [...event.protocols] });
  }

  /** What the sandbox did with the network. */
  async traffic(traffic: TaskTraffic): Promise<void> {
    const { task, sandbox } = this.#identity;
    const isLost = traffic === "lost";
    const { totalConnections, totalRefusals, sentBytes, receivedBytes, connections, refusals } = isLost ? noTraffic : traffic;
    const detail = { connections: connections.map((each) => ({ ...each })), refusals: refusals.map((each) => ({ ...each })) };
    const list = await this.#ledger.commit(task, canonicalJson(detail));
    const body = { sandbox, isLost, connections: totalConnections, refusals: totalRefusals, sentBytes, receivedBytes, list };
    await this.#append("execution.egress", body, detail);
  }

  /** What changed in the write roots; nothing when nothing did. */
  async changes(found: TaskChanges | undefined): Promise<void> {
    if (found !== undefined) await this.#append("execution.changes", found.body, found.detail);
  }

  /** What the command handed back. */
  artifacts({ body, detail }: TakenArtifacts, durability?: Durability): Promise<void> {
    return this.#append("execution.artifacts", body, detail, durability);
  }

  /** What it left behind. */
  async leftBehind({ files: found, count, isWhole }: GatheredLeft): Promise<void> {
    const { task, sandbox } = this.#identity;
    const files = found.map(({ path, kind, bytes }) => ({ path: wellFormedByteText(path), kind, bytes }));
    const list = await this.#ledger.commit(task, canonicalJson(files));
    await this.#append("execution.left-behind", { sandbox, files: count, isWhole, list }, { files });
  }

  /** Before it is read. */
  rescued(paths: number): Promise<void> {
    return this.#append("execution.rescued", { sandbox: this.#identity.sandbox, paths });
  }

  /** On the device before anybody is told of it. */
  async checkpoint(checkpoint: number, found: GatheredCheckpoint): Promise<void> {
    const { changes, missed, keptBytes, keptUntil } = found;
    const { task, sandbox } = this.#identity;
    const list = await this.#ledger.commit(task, found.list);
    await this.#append(
      "execution.checkpoint",
      { sandbox, checkpoint, changes, missed, keptBytes, keptUntil, list },
      found.detail,
      "synced",
    );
  }

  /** Nothing when nothing happened. */
  async lateMasks({ total, longestUs, behind, trouble, first }: LateMasks): Promise<void> {
    if (total === 0 && behind === 0 && trouble === undefined) return;
    const { task, sandbox } = this.#identity;
    const masks = first.map((mask) => ({ ...mask }));
    const commitment = await this.#ledger.commit(task, canonicalJson(masks));
    const body = { sandbox, total, longestUs, behind, isBroken: trouble !== undefined, masks: commitment };
    await this.#append("execution.late-masks", body, { masks, trouble: trouble ?? null });
  }

  /** @param reason of a sandbox that outlives its commands */
  closed(reason: EndReason | undefined): Promise<void> {
    return this.#append("execution.closed", { sandbox: this.#identity.sandbox, ...(reason === undefined ? {} : { reason }) });
  }

  /** Before it happens. */
  pause(type: "execution.paused" | "execution.resumed"): Promise<void> {
    return this.#append(type, { sandbox: this.#identity.sandbox });
  }

  /** Before it happens: somebody has a command ended with all that it started. */
  stopped(): Promise<void> {
    return this.#append("execution.stopped", { sandbox: this.#identity.sandbox });
  }

  /** In the ledger before a byte goes in. */
  portConnected(port: number): Promise<void> {
    return this.#append("execution.connected", { sandbox: this.#identity.sandbox, port });
  }

  /** @param about bytes that were handed to the caller; and `synced` where no head follows at once */
  result(
    outcome: RunOutcome,
    report: SupervisionReport,
    commitments: StreamCommitments,
    about: { readonly returnedBytes: number; readonly durability?: Durability },
  ): Promise<void> {
    const { returnedBytes, durability } = about;
    const hasOutput = report.stdout.bytes + report.stderr.bytes > 0;
    return this.#append(
      "result.returned",
      {
        outcome,
        stdout: { bytes: report.stdout.bytes, commitment: commitments.stdout },
        stderr: { bytes: report.stderr.bytes, commitment: commitments.stderr },
        returnedBytes,
      },
      hasOutput ? { stdoutTail: tailText(report.stdout.tail), stderrTail: tailText(report.stderr.tail) } : undefined,
      durability,
    );
  }

  /** The result of an action that never ran. */
  resultWithoutRun(outcome: "denied" | "refused" | "lost"): Promise<void> {
    return this.#append("result.returned", { outcome, returnedBytes: 0 });
  }
}

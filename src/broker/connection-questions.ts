// Asks a person about connections of one running task, for the gate, and remembers what was granted: an event of the gate that claims a
// grant must rest on one. INVARIANT I-12
import { type Approval, askApproval, type ClaimAbout, claimPending, connectionDigest, redeemApproval } from "../approvals/approvals.ts";
import type { AskPerson, ConnectionQuestion } from "../contracts/approval.ts";
import type { Clock } from "../contracts/clock.ts";
import type { EgressAnswer, EgressEvent, EgressQuestion } from "../contracts/egress-record.ts";
import { type ApprovalId, type IdSource, makeApprovalId } from "../contracts/ids.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { type ApprovalRecord, askAndRecord, momentOf } from "./ask-person.ts";
import { toldOf } from "./told-places.ts";
import type { JournalOwner } from "./task-journal.ts";

/** How long a connection waits for an answer. */
export const connectionQuestionMs = 3 * 60_000;

export interface ConnectionQuestionParts {
  /** Whose connections they are. */
  readonly about: ClaimAbout;
  /** Undefined: nobody can be asked. */
  readonly ask: AskPerson | undefined;
  /** Aborted when whoever runs the task is gone. */
  readonly caller: AbortSignal;
  readonly record: ApprovalRecord;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly owner: JournalOwner;
  /** Where open questions are counted. */
  readonly pendingDirectory: string;
}

type Granted = Pick<ConnectionQuestion, "host" | "port" | "protocols"> & { readonly approval: ApprovalId };

/** Of the answers that an approval can end in. */
const answers: Readonly<Record<Approval["state"], EgressAnswer>> = {
  used: "granted",
  refused: "refused",
  asked: "unanswered",
  granted: "unanswered",
  expired: "unanswered",
  withdrawn: "unanswered",
};

export class ConnectionQuestions {
  readonly #parts: ConnectionQuestionParts;
  #policy: CompiledPolicy;
  #granted: Granted[] = [];
  #open = new AbortController();

  constructor(parts: ConnectionQuestionParts, policy: CompiledPolicy) {
    this.#parts = parts;
    this.#policy = policy;
  }

  /** Open questions are withdrawn, and no grant from before holds. Called when nothing is decided by the policy before any more. */
  replacePolicy(policy: CompiledPolicy): void {
    this.#policy = policy;
    this.#granted = [];
    this.withdraw();
    this.#open = new AbortController();
  }

  /** Nobody waits any more. */
  withdraw(): void {
    this.#open.abort();
  }

  /** Whose grant an event of the gate rests on. @throws when it says that it rests on one, and there is none */
  approvalOf({ verdict, reason, host, port, protocols }: EgressEvent): ApprovalId | undefined {
    if (verdict !== "allow" || reason !== "approved") return undefined;
    const covers = (grant: Granted): boolean =>
      grant.host === host && grant.port === port && protocols.every((protocol) => grant.protocols.some((each) => each === protocol));
    const found = this.#granted.find(covers);
    if (found === undefined) throw new TypeError("nobody granted that");
    return found.approval;
  }

  /** @param process what the asking program calls itself */
  async ask(about: EgressQuestion, process: string | undefined): Promise<EgressAnswer> {
    const { ask, ids, owner, about: whose, pendingDirectory } = this.#parts;
    if (ask === undefined) return "nobody";
    const id = makeApprovalId(ids);
    const claim = await claimPending(pendingDirectory, id, { maximum: this.#policy.pendingApprovals, owner, about: whose });
    if (claim === undefined) return "too-many";
    try {
      return await this.#askOne(this.#questionOf(id, about, process), ask);
    } finally {
      await claim.release();
    }
  }

  #questionOf(id: ApprovalId, { host, port, protocols, rule }: EgressQuestion, process: string | undefined): ConnectionQuestion {
    const { hash, egress } = this.#policy;
    const reason = egress.rules.find((each) => each.id === rule)?.reason ?? "";
    const known = { task: this.#parts.about.task, host, port, protocols, process };
    return {
      id,
      kind: "connection",
      ...known,
      ruleId: rule,
      reason,
      policyHash: hash,
      lifetimeMs: connectionQuestionMs,
      tell: toldOf(this.#policy, "egress"),
    };
  }

  async #askOne(question: ConnectionQuestion, ask: AskPerson): Promise<EgressAnswer> {
    const { clock, record, caller } = this.#parts;
    const { id, lifetimeMs, host, port, protocols } = question;
    const withdrawn = this.#open.signal;
    const asked = askApproval({ id, subject: connectionDigest(question), asked: momentOf(clock), lifetimeMs });
    const settled = await askAndRecord({ ask, caller: AbortSignal.any([caller, withdrawn]), record, clock }, asked, question);
    // The rules of the moment: a grant under others is none.
    const subject = connectionDigest({ ...question, policyHash: this.#policy.hash });
    const { approval } = withdrawn.aborted ? { approval: settled } : redeemApproval(settled, subject, momentOf(clock));
    if (approval.state === "used") this.#granted.push({ host, port, protocols, approval: id });
    return answers[approval.state];
  }
}

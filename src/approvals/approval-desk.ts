// The questions of one broker that wait for somebody at another terminal. It holds them, shows them, and takes each answer once: from whom it may
// come is decided here, whether it still counts by whoever asked. INVARIANT I-12
import type { ApprovalAnswer, ApprovalQuestion, GivenAnswer } from "../contracts/approval.ts";
import type { AnswerDesk, OpenQuestion, OpenQuestions, Standing } from "../contracts/approval-door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { aboutQuestion } from "./about-question.ts";
import type { TellPlaces } from "./ask-webhook.ts";

/** Of all tasks of the user at once; a policy's own limit comes before. */
const openMax = 64;
/** What one question may hold, as JSON. */
const questionBytesMax = 512 * 1024;

interface Waiting {
  readonly question: ApprovalQuestion;
  readonly asker: Standing;
  readonly askedAtMs: number;
  readonly settle: (answer: ApprovalAnswer) => void;
}

export interface DeskParts {
  readonly nowMs: () => number;
  /** Asks at the places that a question names: its answer counts like one given here. Aborted when nobody waits for it. */
  readonly tell: TellPlaces;
  /** Called when `isUsed` may have changed. */
  readonly onChange: () => void;
}

export class ApprovalDesk implements AnswerDesk {
  readonly #parts: DeskParts;
  /** In the order in which they were asked. */
  readonly #waiting = new Map<string, Waiting>();
  #revision = 0;
  #changed = Promise.withResolvers<void>();
  #watchers = 0;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** A question is open, or somebody waits for one. */
  get isUsed(): boolean {
    return this.#waiting.size + this.#watchers > 0;
  }

  #change(): void {
    this.#revision += 1;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
    this.#parts.onChange();
  }

  /** Resolves with the answer, or `refused` when it was withdrawn: nobody hears that. @throws APPROVAL_LIMIT, APPROVAL_UNAVAILABLE */
  async ask(
    question: ApprovalQuestion,
    { asker, signal }: { readonly asker: Standing; readonly signal: AbortSignal },
  ): Promise<GivenAnswer> {
    const { id } = question;
    if (this.#waiting.size >= openMax || this.#waiting.has(id))
      throw new GloveboxError("APPROVAL_LIMIT", "approval.desk-full", { values: { approval: id, maximum: openMax } });
    const bytes = Buffer.byteLength(JSON.stringify(question));
    if (bytes > questionBytesMax)
      throw new GloveboxError("APPROVAL_UNAVAILABLE", "approval.too-large", { values: { approval: id, bytes, maximum: questionBytesMax } });
    const { promise, resolve, reject } = Promise.withResolvers<GivenAnswer>();
    const over = new AbortController();
    const settle = (answer: ApprovalAnswer): void => resolve({ answer, by: "other-terminal" });
    const withdraw = (): void => settle("refused");
    signal.addEventListener("abort", withdraw, { once: true });
    if (signal.aborted) withdraw();
    this.#waiting.set(id, { question, asker, askedAtMs: this.#parts.nowMs(), settle });
    this.#change();
    this.#parts.tell(question, over.signal).then(resolve, reject);
    try {
      return await promise;
    } finally {
      over.abort();
      signal.removeEventListener("abort", withdraw);
      this.#waiting.delete(id);
      this.#change();
    }
  }

  #now(): OpenQuestions {
    const questions = [...this.#waiting.values()].map(({ question, askedAtMs }): OpenQuestion => {
      const { id, kind, lifetimeMs } = question;
      return { id, kind, about: aboutQuestion(question), askedAtMs, expiresAtMs: askedAtMs + lifetimeMs };
    });
    return { revision: this.#revision, questions };
  }

  /** @param io `after`: waits until the revision is another, or nobody listens any more */
  async list({ after, signal }: { readonly after?: number; readonly signal: AbortSignal }): Promise<OpenQuestions> {
    if (after !== this.#revision || signal.aborted) return this.#now();
    const gone = Promise.withResolvers<void>();
    const leave = (): void => gone.resolve();
    signal.addEventListener("abort", leave, { once: true });
    this.#watchers += 1;
    this.#parts.onChange();
    try {
      await Promise.race([this.#changed.promise, gone.promise]);
      return this.#now();
    } finally {
      signal.removeEventListener("abort", leave);
      this.#watchers -= 1;
      this.#parts.onChange();
    }
  }

  #open(approval: string): Waiting {
    const found = this.#waiting.get(approval);
    if (found === undefined) throw new GloveboxError("APPROVAL_UNKNOWN", "approval.unknown", { values: { approval } });
    return found;
  }

  /** @throws APPROVAL_UNKNOWN */
  show(approval: string): ApprovalQuestion {
    return this.#open(approval).question;
  }

  /**
   * Anybody who may answer may refuse. A grant comes from the foreground of a terminal, and not of one at which the question's own asker, or
   * whoever started it, stands. @throws APPROVAL_UNKNOWN, ACCESS_REFUSED
   */
  answer(approval: string, answer: ApprovalAnswer, from: Standing): void {
    const { asker, settle } = this.#open(approval);
    if (answer === "granted") {
      if (!from.isInForeground) throw new GloveboxError("ACCESS_REFUSED", "approval.granted-from-nowhere", { values: { approval } });
      if (from.terminals.some((terminal) => asker.terminals.includes(terminal)))
        throw new GloveboxError("ACCESS_REFUSED", "approval.same-terminal", { values: { approval } });
    }
    this.#waiting.delete(approval);
    settle(answer);
  }
}

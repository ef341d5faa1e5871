// The masker of one sandbox: started before the sandbox's first command, ended with it. Without it a promise is broken, so its end is the
// sandbox's. INVARIANT I-02, I-05, I-09
import { Duplex } from "node:stream";
import type { LateMasks } from "../../contracts/boundary.ts";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { wellFormedByteText } from "../../kit/byte-text.ts";
import { spawnProcess } from "../../kit/spawn.ts";
import { markerOf } from "../../linux/linux.ts";
import type { MaskPlan } from "./mask-plan.ts";
import { goFrame, type MaskedMatch, MaskerDecoder, type MaskerMessage, planFrames, settleFrame } from "./masker-frames.ts";
import { troubleError } from "./masker-trouble.ts";
import { rulesMax } from "./landlock-plan.ts";

/** What it did before the first command. */
export interface MaskerReady {
  readonly directories: number;
  readonly masks: number;
  readonly scanUs: number;
  /** Paths of matches that Landlock must know. */
  readonly found: readonly string[];
  /** Paths of matches whose content may have further names. */
  readonly named: readonly string[];
}

const lateMax = 100;
/** Matches whose other names are looked for: more are a tree that somebody made to be so. */
const namedMax = 10_000;

function tooManyRules(path: string): GloveboxError {
  return new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.too-many-rules", {
    values: { path: wellFormedByteText(path), maximum: rulesMax },
  });
}

function tooManyNames(path: string): GloveboxError {
  return new GloveboxError("PATH_RULE_UNENFORCEABLE", "wall.mask-linked", {
    values: { path: wellFormedByteText(path), maximum: namedMax },
  });
}

export class Masker {
  readonly #plan: MaskPlan;
  readonly #isKept: (path: string) => boolean;
  readonly #child: ReturnType<typeof spawnProcess>;
  readonly #channel: Duplex;
  readonly #decoder = new MaskerDecoder();
  readonly #ready = Promise.withResolvers<MaskerReady>();
  readonly #ended = Promise.withResolvers<GloveboxError | undefined>();
  readonly #found: string[] = [];
  readonly #named: string[] = [];
  readonly #late: { path: string; rule: string; windowUs: number }[] = [];
  readonly #settling: { readonly resolve: () => void; readonly reject: (reason: GloveboxError) => void }[] = [];
  #isReady: MaskerReady | undefined;
  #lateCount = 0;
  #longestUs = 0;
  #behind = 0;
  #trouble: GloveboxError | undefined;
  #end: GloveboxError | undefined;
  #isClosing = false;

  /**
   * Starts it and tells it the plan; it does nothing before `open`.
   * @param isKept which matches are handed back
   */
  constructor(program: string, sandboxId: string, plan: MaskPlan, isKept: (path: string) => boolean) {
    this.#plan = plan;
    this.#isKept = isKept;
    this.#child = spawnProcess(program, [markerOf(sandboxId)], {
      environment: {},
      cwd: "/",
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      ownGroup: true,
    });
    this.#ready.promise.catch(() => {}); // reported to whoever waits for it
    const channel: unknown = this.#child.stdio[3];
    if (!(channel instanceof Duplex)) throw new GloveboxError("INTERNAL", "wall.masker-lost");
    this.#channel = channel;
    channel.on("data", (chunk: Buffer) => this.#receive(chunk));
    channel.on("error", () => {}); // its end says the rest
    this.#child.on("error", (error) =>
      this.#fail(new GloveboxError("WALL_UNAVAILABLE", "wall.masker-lost", { cause: systemErrorCode(error) })),
    );
    this.#child.on("close", (code) => this.#finish(code === 0));
    channel.write(planFrames(plan));
  }

  /** Resolves once with why it ended although nobody closed it, or with undefined. */
  get ended(): Promise<GloveboxError | undefined> {
    return this.#ended.promise;
  }

  /** Undefined before its first look is over. */
  get ready(): MaskerReady | undefined {
    return this.#isReady;
  }

  get lateMasks(): LateMasks {
    return {
      total: this.#lateCount,
      longestUs: this.#longestUs,
      behind: this.#behind,
      trouble: this.#trouble?.sentence,
      first: this.#late,
    };
  }

  /**
   * Resolves when every match that exists is masked and every directory watched.
   * @param guardPid the sandbox's first process; 0: only look
   * @throws WALL_UNAVAILABLE, PATH_RULE_UNENFORCEABLE
   */
  open(guardPid: number): Promise<MaskerReady> {
    if (guardPid === 0) this.#isClosing = true; // it ends by itself
    this.#channel.write(goFrame(guardPid));
    return this.#ready.promise;
  }

  /**
   * Resolves when all that changed before the call is hidden.
   * @throws why it ended
   */
  async settle(): Promise<void> {
    if (this.#isClosing) return; // nothing more is asked of it: the sandbox closes, or (a test of the inner wall alone) it only looked
    if (this.#end !== undefined) throw this.#end;
    if (this.#isReady === undefined) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#settling.push({ resolve, reject });
    this.#channel.write(settleFrame());
    await promise;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#channel.destroy();
    this.#child.kill("SIGKILL"); // it keeps nothing, and may be in the middle of a large tree
    await this.#ended.promise;
  }

  #receive(chunk: Buffer): void {
    try {
      for (const message of this.#decoder.push(chunk)) this.#accept(message);
    } catch (error) {
      // Fails closed because a masker that cannot be understood may have said that it gives up.
      this.#fail(error instanceof GloveboxError ? error : new GloveboxError("WALL_UNAVAILABLE", "wall.masker-lost", { cause: error }));
    }
  }

  #accept(message: MaskerMessage): void {
    switch (message.kind) {
      case "found":
        this.#noteFound(message.match);
        return;
      case "late":
        this.#noteLate(message);
        return;
      case "behind":
        this.#behind += 1;
        return;
      case "settled":
        this.#settling.shift()?.resolve();
        return;
      case "trouble":
        this.#fail(troubleError(message));
        return;
      case "ready": {
        const { directories, masks, scanUs } = message;
        this.#isReady = { directories, masks, scanUs, found: this.#found, named: this.#named };
        this.#ready.resolve(this.#isReady);
      }
    }
  }

  #noteFound({ path, hasNames }: MaskedMatch): void {
    if (this.#isKept(path)) this.#found.push(path);
    if (hasNames) this.#named.push(path);
    // Each takes a rule of its own or more: so many cannot be told to Landlock.
    if (this.#found.length > rulesMax) this.#fail(tooManyRules(path));
    if (this.#named.length > namedMax) this.#fail(tooManyNames(path));
  }

  #noteLate({ match, windowUs }: MaskerMessage & { kind: "late" }): void {
    this.#lateCount += 1;
    this.#longestUs = Math.max(this.#longestUs, windowUs);
    const rule = this.#plan.rules[match.rule]?.text ?? "unknown";
    if (this.#late.length < lateMax) this.#late.push({ path: wellFormedByteText(match.path), rule, windowUs });
  }

  #fail(error: GloveboxError): void {
    this.#trouble ??= error;
    this.#child.kill("SIGKILL");
    if (this.#child.pid === undefined) this.#finish(false);
  }

  /** @param isOrderly its own word that host or sandbox had ended before */
  #finish(isOrderly: boolean): void {
    const isExpected = this.#isClosing || (isOrderly && this.#isReady !== undefined);
    if (!isExpected) this.#trouble ??= new GloveboxError("WALL_UNAVAILABLE", "wall.masker-lost");
    const reason = this.#trouble;
    this.#end = reason ?? new GloveboxError("SANDBOX_CLOSED", "guard.closed");
    this.#ready.reject(this.#end);
    for (const waiting of this.#settling.splice(0)) waiting.reject(this.#end);
    this.#ended.resolve(reason);
  }
}

// The sandboxes of one broker that outlive a command: who may use them, how many there may be, and when they end. INVARIANT I-10
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { AskPerson } from "../contracts/approval.ts";
import type { RunIo } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { makeActionId, makeSandboxId, makeTaskId } from "../contracts/ids.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { ReloadedRules } from "../contracts/reached-broker.ts";
import {
  expiresSoon,
  type OpenedSandbox,
  type PortConnection,
  type PrunedSandbox,
  type RescuedFiles,
  type SandboxAccess,
  type SandboxCheckpoint,
  type SandboxCommand,
  type SandboxCommandResult,
  type SandboxDoor,
  type SandboxEnd,
  type SandboxLine,
  type SandboxLog,
  type SandboxOpening,
  type SandboxUse,
} from "../contracts/sandbox-door.ts";
import type { Sentence } from "../contracts/sentence.ts";
import { callAfter } from "../kit/call-after.ts";
import { showDuration } from "../kit/show-quantity.ts";
import { ActionRecord } from "./action-record.ts";
import type { BrokerParts } from "./broker-parts.ts";
import { type EndedSandbox, type EndReason, endedError } from "./end-reason.ts";
import { buildEnvironment } from "./environment.ts";
import { LiveSandbox } from "./live-sandbox.ts";
import { openTask } from "./open-task.ts";
import { type Lifetimes, lifetimesOf } from "./sandbox-lifetimes.ts";

/** Of one user at once. */
export const sandboxQuotas = { open: 128, opening: 8 } as const;
/** Ended sandboxes whose holders are told why. */
const endedKept = 256;

export interface SandboxesNeeds {
  /** The policy of a selection, and the broker's parts for it. */
  readonly prepare: (opening: SandboxOpening) => Promise<{ readonly policy: CompiledPolicy; readonly parts: BrokerParts }>;
  readonly nowMs: () => number;
  /** One of the programs that opening starts by their paths, when it is not the one that was there at the beginning. */
  readonly replacedProgram: () => string | undefined;
}

export interface SandboxesParts extends SandboxesNeeds {
  /** Called when `count` may have changed. */
  readonly onChange: () => void;
  /** Called before anybody can use it: who finds its id finds its token. When it rejects, the sandbox is closed. */
  readonly onOpened: (sandbox: string, token: string) => Promise<void>;
  readonly onEnded: (sandbox: string) => void;
}

interface Held {
  readonly live: LiveSandbox;
  /** Names the documents of its policy. */
  readonly opening: SandboxOpening;
  readonly tokenDigest: Buffer;
  readonly openedAtMs: number;
  readonly idleMs: number;
  readonly expiresAtMs: number;
  readonly callOffExpiry: () => void;
  callOffIdle: (() => void) | undefined;
  idleUntilMs: number;
  /** Called when it has ended. */
  readonly waiting: Set<() => void>;
  /** Set by whoever ended it first. */
  ending: Promise<SandboxEnd> | undefined;
}

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest();

/** Of two secrets in constant time. */
export function equalSecrets(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

export class Sandboxes implements SandboxDoor {
  readonly #parts: SandboxesParts;
  readonly #held = new Map<string, Held>();
  readonly #ended = new Map<string, EndedSandbox & { readonly tokenDigest: Buffer }>();
  readonly #openings = new Set<Promise<OpenedSandbox>>();
  /** Aborted when the broker ends: nothing is opened any more. */
  readonly #closing = new AbortController();

  constructor(parts: SandboxesParts) {
    this.#parts = parts;
  }

  /** Open ones, and those that are being opened. */
  get count(): number {
    return this.#held.size + this.#openings.size;
  }

  #requireStaying(): void {
    if (this.#closing.signal.aborted) throw new GloveboxError("BROKER_UNAVAILABLE", "sandbox.broker-ending");
  }

  /** What set-up puts in their place belongs to another version of us. */
  #requireOwnPrograms(): void {
    const file = this.#parts.replacedProgram();
    if (file !== undefined) throw new GloveboxError("BROKER_VERSION", "sandbox.program-replaced", { values: { file } });
  }

  #requireRoom(): void {
    const { open, opening } = sandboxQuotas;
    if (this.#openings.size >= opening)
      throw new GloveboxError("SANDBOX_LIMIT", "sandbox.too-many-opening", { values: { maximum: opening, seconds: 1 } });
    if (this.count >= open) throw new GloveboxError("SANDBOX_LIMIT", "sandbox.too-many-open", { values: { maximum: open } });
  }

  /** @throws BROKER_UNAVAILABLE, BROKER_VERSION, SANDBOX_LIMIT, POLICY_*, and what opening a sandbox throws */
  async open(opening: SandboxOpening, io: { readonly signal: AbortSignal; readonly ask?: AskPerson }): Promise<OpenedSandbox> {
    this.#requireStaying();
    this.#requireRoom();
    const opened = this.#openOne(opening, AbortSignal.any([io.signal, this.#closing.signal]), io.ask);
    this.#openings.add(opened);
    this.#parts.onChange();
    try {
      return await opened;
    } finally {
      this.#openings.delete(opened);
      this.#parts.onChange();
    }
  }

  async #openOne(opening: SandboxOpening, signal: AbortSignal, ask: AskPerson | undefined): Promise<OpenedSandbox> {
    this.#requireOwnPrograms();
    const { policy, parts } = await this.#parts.prepare(opening);
    this.#requireStaying();
    const { ids, user } = parts;
    const { projectDirectory } = opening.policy;
    const identity = { task: makeTaskId(ids), action: makeActionId(ids), sandbox: makeSandboxId(ids) };
    const record = new ActionRecord(parts.ledger, identity, policy);
    const caller = opening.callerEnvironment;
    const environment = buildEnvironment({ policy, caller, user, cwd: projectDirectory, hasTerminal: false });
    await record.sandboxDecision(projectDirectory, Object.keys(environment));
    const task = await openTask({
      parts,
      policy,
      identity,
      record,
      projectDirectory,
      environment,
      signal,
      ask,
      caller: this.#closing.signal,
      outside: undefined,
      inputs: opening.inputs ?? [],
    });
    const token = randomBytes(32).toString("hex");
    const live = new LiveSandbox(task, opening.policy, () => this.#used(identity.sandbox));
    await this.#announce(identity.sandbox, live, token);
    const { idleMs, expiresAtMs } = this.#hold(identity.sandbox, live, { token, opening, ...lifetimesOf(policy, opening) });
    const presetNotes = policy.presets.flatMap((preset) => preset.notes);
    // Nobody waits for it any more, so nobody would ever close it.
    if (signal.aborted) await this.#end(identity.sandbox, "closed");
    this.#requireStaying();
    return { sandbox: identity.sandbox, task: identity.task, token, policyHash: policy.hash, idleMs, expiresAtMs, presetNotes };
  }

  async #announce(sandbox: string, live: LiveSandbox, token: string): Promise<void> {
    try {
      await this.#parts.onOpened(sandbox, token);
    } catch (error) {
      // Nobody could use it.
      await live.close("broker").finally(() => this.#parts.onEnded(sandbox));
      throw error;
    }
  }

  #hold(sandbox: string, live: LiveSandbox, given: Lifetimes & { readonly token: string; readonly opening: SandboxOpening }): Held {
    const { token, opening, idleMs, hardMs } = given;
    const openedAtMs = this.#parts.nowMs();
    const callOffExpiry = callAfter(hardMs, this.#parts.nowMs, () => this.#expire(sandbox, "expired"));
    const times = { openedAtMs, idleMs, expiresAtMs: openedAtMs + hardMs, idleUntilMs: openedAtMs + idleMs };
    const state = { callOffIdle: undefined, waiting: new Set<() => void>(), ending: undefined };
    const held: Held = { live, opening, tokenDigest: digestOf(token), ...times, callOffExpiry, ...state };
    this.#held.set(sandbox, held);
    this.#used(sandbox);
    void live.usedUp.then(({ limit }) => this.#expire(sandbox, limit));
    return held;
  }

  /** The idle time begins anew; it does not run while a command or a connection does, nor where it would end later than all of the sandbox's time. */
  #used(sandbox: string): void {
    const held = this.#held.get(sandbox);
    if (held === undefined || held.ending !== undefined) return;
    held.callOffIdle?.();
    const { nowMs } = this.#parts;
    held.idleUntilMs = nowMs() + held.idleMs;
    const isOutlived = held.idleUntilMs >= held.expiresAtMs;
    held.callOffIdle = held.live.isBusy || isOutlived ? undefined : callAfter(held.idleMs, nowMs, () => this.#expire(sandbox, "idle"));
  }

  #expire(sandbox: string, reason: EndReason): void {
    // A close that fails leaves its journal, and the next start reaps what it names.
    this.#end(sandbox, reason).catch(() => {});
  }

  async #end(sandbox: string, reason: EndReason): Promise<SandboxEnd | undefined> {
    const held = this.#held.get(sandbox);
    if (held === undefined) return undefined;
    held.ending ??= this.#endHeld(sandbox, held, reason);
    return held.ending;
  }

  async #endHeld(sandbox: string, held: Held, reason: EndReason): Promise<SandboxEnd> {
    held.callOffIdle?.();
    held.callOffExpiry();
    try {
      return await held.live.close(reason);
    } finally {
      this.#held.delete(sandbox);
      this.#remember(sandbox, held, reason);
      for (const tell of held.waiting) tell();
      this.#parts.onEnded(sandbox);
      this.#parts.onChange();
    }
  }

  #remember(sandbox: string, { tokenDigest, live }: Held, reason: EndReason): void {
    this.#ended.set(sandbox, { sandbox, isContainer: live.isContainer, tokenDigest, reason });
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= endedKept) return;
      this.#ended.delete(oldest);
    }
  }

  /** Unknown and foreign are one answer: it tells nobody which sandboxes there are. */
  #heldBy(access: SandboxAccess): Held {
    const { sandbox, token } = access;
    const given = digestOf(token);
    const held = this.#held.get(sandbox);
    if (held !== undefined && timingSafeEqual(given, held.tokenDigest)) return this.#unexpired(held, sandbox);
    const ended = this.#ended.get(sandbox);
    if (ended !== undefined && timingSafeEqual(given, ended.tokenDigest)) throw endedError(ended);
    throw new GloveboxError("SANDBOX_UNKNOWN", "sandbox.unknown", { values: { sandbox } });
  }

  /** Whoever comes before the timer, after its time, finds it closed all the same. @throws CONTAINER_EXPIRED, SANDBOX_CLOSED */
  #unexpired(held: Held, sandbox: string): Held {
    if (this.#parts.nowMs() < held.expiresAtMs || held.ending !== undefined) return held;
    this.#expire(sandbox, "expired");
    throw endedError({ sandbox, isContainer: held.live.isContainer, reason: "expired" });
  }

  #use(access: SandboxAccess): LiveSandbox {
    return this.#heldBy(access).live;
  }

  /** @throws SANDBOX_UNKNOWN, SANDBOX_CLOSED, SANDBOX_LIMIT, and what `runCommand` throws for its command */
  async exec(access: SandboxAccess, command: SandboxCommand, io: RunIo): Promise<SandboxCommandResult> {
    const held = this.#heldBy(access);
    const result = await held.live.exec(command, io);
    return { ...result, notes: [...result.notes, ...this.#expiryNotes(access.sandbox, held)] };
  }

  /** What is left behind ends with it, and soon. */
  #expiryNotes(sandbox: string, { live, openedAtMs, expiresAtMs }: Held): readonly Sentence[] {
    const nowMs = this.#parts.nowMs();
    const { leftBehind } = live;
    if (leftBehind === undefined || leftBehind.count === 0 || !expiresSoon({ openedAtMs, expiresAtMs }, nowMs)) return [];
    const expires = showDuration(Math.max(0, expiresAtMs - nowMs));
    return [{ key: "cli.sandbox-exec.left-behind", values: { sandbox, expires, count: leftBehind.count } }];
  }

  async rescue(access: SandboxAccess, paths: readonly string[]): Promise<RescuedFiles> {
    return this.#use(access).rescue(paths);
  }

  async attach(access: SandboxAccess, action: string, io: RunIo): Promise<SandboxCommandResult> {
    return this.#use(access).attach(action, io);
  }

  async logs(access: SandboxAccess, action: string | undefined): Promise<readonly SandboxLog[]> {
    return this.#use(access).logs(action);
  }

  async endCommand(access: SandboxAccess, action: string): Promise<void> {
    return this.#use(access).endCommand(action);
  }

  async checkpoint(access: SandboxAccess): Promise<SandboxCheckpoint> {
    return this.#use(access).checkpoint();
  }

  async connect(access: SandboxAccess, port: number): Promise<PortConnection> {
    return this.#use(access).connect(port);
  }

  async stats(access: SandboxAccess): Promise<SandboxUse> {
    return this.#use(access).stats();
  }

  async pause(access: SandboxAccess): Promise<void> {
    return this.#use(access).pause();
  }

  async resume(access: SandboxAccess): Promise<void> {
    return this.#use(access).resume();
  }

  /** Of whoever may see all. */
  async list(): Promise<readonly SandboxLine[]> {
    return [...this.#held].map(([sandbox, { live, openedAtMs, idleUntilMs, expiresAtMs }]) => ({
      sandbox,
      task: live.task,
      projectDirectory: live.projectDirectory,
      policyHash: live.policyHash,
      openedAtMs,
      idleUntilMs,
      expiresAtMs,
      isPaused: live.isPaused,
      ...(live.leftBehind === undefined ? {} : { leftBehind: live.leftBehind }),
      commands: live.lines,
    }));
  }

  /** Its timer has not found out yet. */
  #overdueFor({ ending, live, callOffIdle, expiresAtMs, idleUntilMs }: Held): PrunedSandbox["reason"] | undefined {
    const nowMs = this.#parts.nowMs();
    if (ending !== undefined) return undefined;
    if (nowMs >= expiresAtMs) return "expired";
    return !live.isBusy && callOffIdle !== undefined && nowMs >= idleUntilMs ? "idle" : undefined;
  }

  async prune({ isDry }: { readonly isDry: boolean }): Promise<readonly PrunedSandbox[]> {
    const overdue = [...this.#held].flatMap(([sandbox, held]) => {
      const reason = this.#overdueFor(held);
      return reason === undefined ? [] : [{ sandbox, task: held.live.task, reason }];
    });
    if (!isDry) for (const { sandbox, reason } of overdue) await this.#end(sandbox, reason);
    return overdue;
  }

  async untilEnded(access: SandboxAccess, signal: AbortSignal): Promise<void> {
    const { waiting } = this.#heldBy(access);
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const tell = (): void => resolve();
    waiting.add(tell);
    signal.addEventListener("abort", tell, { once: true });
    await promise;
    waiting.delete(tell);
    signal.removeEventListener("abort", tell);
    if (!this.#held.has(access.sandbox)) throw this.goneError(access.sandbox);
  }

  async end(access: SandboxAccess): Promise<SandboxEnd> {
    return this.#endAs(access, "closed");
  }

  async kill(access: SandboxAccess): Promise<SandboxEnd> {
    return this.#endAs(access, "killed");
  }

  async #endAs(access: SandboxAccess, reason: EndReason): Promise<SandboxEnd> {
    const live = this.#use(access);
    return (await this.#end(access.sandbox, reason)) ?? live.close(reason);
  }

  /** To whoever may see all: how it ended, or that nobody knows it. */
  goneError(sandbox: string): GloveboxError {
    const ended = this.#ended.get(sandbox);
    if (ended !== undefined) return endedError(ended);
    return new GloveboxError("SANDBOX_UNKNOWN", "sandbox.unknown", { values: { sandbox } });
  }

  /** Of whoever owns it. @throws as `ReachedBroker.reload` */
  async reload(sandbox: string): Promise<ReloadedRules> {
    const held = this.#held.get(sandbox);
    if (held === undefined) throw this.goneError(sandbox);
    const { policy } = await this.#parts.prepare(held.opening);
    return held.live.reload(policy);
  }

  /** The broker ends: so does all that it holds, and what is being opened, which closes itself. */
  async closeAll(): Promise<void> {
    this.#closing.abort();
    const ends = [...this.#held.keys()].map((sandbox) => this.#end(sandbox, "broker"));
    await Promise.allSettled([...ends, ...this.#openings]);
  }
}

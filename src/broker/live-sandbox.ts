// One sandbox that outlives its commands: each command in it is an action of its own, decided and recorded like any other. INVARIANT I-01
import type { LeftInSandbox } from "../contracts/artifacts.ts";
import { canHandBack, canPause } from "../contracts/boundary.ts";
import type { ChangeSummary } from "../contracts/changes.ts";
import type { RunIo, RunRequest } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { actionIdSchema, makeActionId } from "../contracts/ids.ts";
import type { LimitHit } from "../contracts/limits.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { ReloadedRules } from "../contracts/reached-broker.ts";
import type {
  CommandLine,
  PortConnection,
  RescuedFiles,
  SandboxCheckpoint,
  SandboxCommand,
  SandboxCommandResult,
  SandboxEnd,
  SandboxLog,
  SandboxOpening,
  SandboxUse,
} from "../contracts/sandbox-door.ts";
import { ActionRecord } from "./action-record.ts";
import { type Action, admit } from "./admit.ts";
import { refusedConnections } from "./connection-lines.ts";
import { type EndReason, endedError } from "./end-reason.ts";
import { endNotes } from "./end-notes.ts";
import { buildEnvironment } from "./environment.ts";
import { connectPort } from "./connect-port.ts";
import { LiveCommand } from "./live-command.ts";
import { endTask, leaveTask, type OpenTask, recordTaskEnd } from "./open-task.ts";
import { childOf, exitCodeOf, outcomeOf } from "./outcome.ts";
import { pausedError } from "./pauses.ts";
import { performCommand, recordBreak, recordCommandEnd } from "./perform-command.ts";
import { refuseUnrecordable } from "./refuse-unrecordable.ts";
import { reloadRules } from "./reload-rules.ts";
import { rescueFiles } from "./rescue-files.ts";
import { returnedBytes, type Watched } from "./run-result.ts";
import { checkpointsMax, checkpointTask } from "./task-checkpoint.ts";

/** The guard serves 256; some stay for ports. */
export const commandsAtOnce = 64;
export const connectionsAtOnce = 64;
/** Ended commands of which `ls` and `logs` still know. */
const endedKept = 16;

export class LiveSandbox {
  readonly #task: OpenTask;
  readonly #selection: SandboxOpening["policy"];
  readonly #commands = new Map<string, LiveCommand>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #onUse: () => void;
  #left: LeftInSandbox | undefined;
  #checkpoints = 0;
  #pausing: Promise<void> = Promise.resolve();
  #running = 0;
  #connections = 0;
  #closing: { readonly reason: EndReason; readonly end: Promise<SandboxEnd> } | undefined;

  /** @param onUse called when a command or a connection begins and when one ends */
  constructor(task: OpenTask, selection: SandboxOpening["policy"], onUse: () => void) {
    this.#task = task;
    this.#selection = selection;
    this.#onUse = onUse;
  }

  get projectDirectory(): string {
    return this.#task.projectDirectory;
  }

  get policyHash(): string {
    return this.#task.policy.hash;
  }

  get task(): string {
    return this.#task.identity.task;
  }

  get isContainer(): boolean {
    return this.#task.policy.boundary === "container";
  }

  /** A limit of the whole sandbox, whoever in it used it up: nothing more can run here. */
  get usedUp(): Promise<LimitHit> {
    return this.#task.awaitLimit().exhausted;
  }

  get isPaused(): boolean {
    return this.#task.pauses.isPaused;
  }

  /** Of a container: as the last command that ended found it. */
  get leftBehind(): LeftInSandbox | undefined {
    return this.#left;
  }

  get isBusy(): boolean {
    return this.#running + this.#connections > 0;
  }

  get lines(): readonly CommandLine[] {
    return [...this.#commands.values()].map(({ line }) => line);
  }

  #requireOpen(): void {
    const { sandbox } = this.#task.identity;
    const { isContainer } = this;
    if (this.#closing !== undefined) throw endedError({ sandbox, isContainer, reason: this.#closing.reason });
  }

  #requireRunning(): void {
    this.#requireOpen();
    if (this.isPaused) throw pausedError(this.#task.identity.sandbox);
  }

  #admitOne(): void {
    this.#requireRunning();
    const { sandbox } = this.#task.identity;
    if (this.#running < commandsAtOnce) return;
    throw new GloveboxError("SANDBOX_LIMIT", "sandbox.too-many-commands", { values: { sandbox, maximum: commandsAtOnce, seconds: 1 } });
  }

  #admitConnection(): void {
    this.#requireRunning();
    if (this.#connections < connectionsAtOnce) return;
    const values = { sandbox: this.#task.identity.sandbox, maximum: connectionsAtOnce, seconds: 1 };
    throw new GloveboxError("SANDBOX_LIMIT", "sandbox.too-many-connections", { values });
  }

  #requestOf(command: SandboxCommand): RunRequest {
    const { argv, cwd = this.projectDirectory, callerEnvironment, pty } = command;
    return { policy: this.#selection, argv, cwd, callerEnvironment, ...(pty === undefined ? {} : { pty }) };
  }

  #actionOf(command: SandboxCommand, live: LiveCommand, identity: Action["identity"]): Action {
    const { parts, policy } = this.#task;
    const request = this.#requestOf(command);
    const { cwd, callerEnvironment: caller, pty } = request;
    const built = buildEnvironment({ policy, caller, user: parts.user, cwd, hasTerminal: pty !== undefined });
    return {
      parts,
      policy,
      request,
      io: live.io,
      identity,
      record: new ActionRecord(parts.ledger, identity, policy, true),
      environment: { ...built, ...command.environment },
      bringsEnvironment: true,
      wallMs: Math.min(policy.limits.wallMs, command.wallMs ?? Infinity),
      onLaterOutput: live.keep,
      outside: undefined,
    };
  }

  /** @throws SANDBOX_CLOSED, SANDBOX_LIMIT, and what `runCommand` throws for its command */
  async exec(command: SandboxCommand, caller: RunIo): Promise<SandboxCommandResult> {
    this.#admitOne();
    refuseUnrecordable(command.argv);
    const { parts, identity: opening } = this.#task;
    const identity = { ...opening, action: makeActionId(parts.ids) };
    const about = { action: identity.action, argv: command.argv, startedAtMs: parts.clock.wallMs(), ask: caller.ask };
    const live = new LiveCommand(about, command.isDetached === true ? undefined : caller);
    this.#keep(live);
    const performed = this.#perform(this.#actionOf(command, live, identity), live);
    if (command.isDetached !== true) return performed;
    performed.catch(() => {}); // told to whoever waits for the start, or attaches
    await live.started;
    return { ...live.snapshot(), task: this.task };
  }

  #keep(live: LiveCommand): void {
    this.#commands.set(live.action, live);
    const ended = [...this.#commands.values()].filter(({ state }) => state === "ended");
    for (const { action } of ended.slice(0, Math.max(0, ended.length - endedKept))) this.#commands.delete(action);
  }

  async #perform(action: Action, live: LiveCommand): Promise<SandboxCommandResult> {
    this.#running += 1;
    this.#onUse();
    const performed = this.#performRecorded(action, live);
    this.#pending.add(performed);
    try {
      const result = await performed;
      live.end(result);
      return result;
    } catch (error) {
      live.fail(error);
      throw error;
    } finally {
      this.#pending.delete(performed);
      this.#running -= 1;
      this.#onUse();
    }
  }

  async #performRecorded(action: Action, live: LiveCommand): Promise<SandboxCommandResult> {
    const { record, policy } = action;
    const permit = await admit(action);
    const watched = await performCommand(action, this.#task, permit).catch(async (error: unknown) => {
      await recordBreak(action, error);
      throw error;
    });
    live.leave(() => watched.execution.killTree());
    void watched.execution.gone.then(() => live.settle());
    const { report, commitments } = watched;
    const ended = recordCommandEnd(action, this.#task, watched);
    // What it handed back comes before the result that tells of its end.
    if (report.refusedCalls.total > 0 || canHandBack(this.#task.sandbox)) await ended;
    // Not awaited one by one: appends that wait together share the ledger's lock and its write, in the order in which they were asked for.
    // On the device before the result is released; the head over it is signed later, with many others.
    const about = { returnedBytes: returnedBytes(report, policy), durability: "synced" } as const;
    const [{ leftBehind, inSandbox }] = await Promise.all([ended, record.result(outcomeOf(report), report, commitments, about)]);
    this.#left = inSandbox ?? this.#left;
    action.parts.step("result recorded");
    return { ...this.#resultOf(action, watched), ...(leftBehind === undefined ? {} : { leftBehind }) };
  }

  #resultOf({ identity, record, request }: Action, { report }: Watched): SandboxCommandResult {
    const { stdout, stderr, durationMs, limitHits, isLeftRunning } = report;
    const ended = { task: identity.task, outcome: outcomeOf(report), child: childOf(report.exit), limitHits };
    return {
      ...ended,
      action: identity.action,
      exitCode: exitCodeOf(report),
      notes: endNotes(ended, request, report.refusedCalls),
      stdoutBytes: stdout.bytes,
      stderrBytes: stderr.bytes,
      durationMs,
      ledger: record.range,
      isLeftRunning,
    };
  }

  /** @throws SANDBOX_UNKNOWN for a command that is not known (any more) */
  attach(action: string, caller: RunIo): Promise<SandboxCommandResult> {
    return this.#commandOf(action).attach(caller);
  }

  #commandOf(action: string): LiveCommand {
    const live = this.#commands.get(action);
    const { sandbox } = this.#task.identity;
    if (live === undefined) throw new GloveboxError("SANDBOX_UNKNOWN", "sandbox.command-unknown", { values: { sandbox, action } });
    return live;
  }

  /** @throws SANDBOX_CLOSED, SANDBOX_UNKNOWN, LEDGER_UNWRITABLE */
  async endCommand(action: string): Promise<void> {
    this.#requireOpen();
    const live = this.#commandOf(action);
    const { parts, identity, policy } = this.#task;
    const record = new ActionRecord(parts.ledger, { ...identity, action: actionIdSchema.parse(live.action) }, policy, true);
    await live.endAll(() => record.stopped());
    this.#onUse();
  }

  logs(action: string | undefined): readonly SandboxLog[] {
    const known = [...this.#commands.values()].filter((live) => action === undefined || live.action === action);
    return known.flatMap(({ log }) => log ?? []);
  }

  /** @throws SANDBOX_CLOSED, SANDBOX_LIMIT, LEDGER_UNWRITABLE */
  async checkpoint(): Promise<SandboxCheckpoint> {
    this.#requireOpen();
    if (this.#checkpoints === checkpointsMax) {
      const values = { sandbox: this.#task.identity.sandbox, maximum: checkpointsMax };
      throw new GloveboxError("SANDBOX_LIMIT", "sandbox.too-many-checkpoints", { values });
    }
    const made = checkpointTask(this.#task, (this.#checkpoints += 1));
    this.#onUse();
    this.#pending.add(made);
    return made.finally(() => this.#pending.delete(made));
  }

  /** @throws SANDBOX_CLOSED, SANDBOX_PAUSED, SANDBOX_LIMIT, and what `rescueFiles` throws */
  async rescue(paths: readonly string[]): Promise<RescuedFiles> {
    this.#admitOne();
    const rescued = rescueFiles(this.#task, paths);
    this.#pending.add(rescued);
    this.#running += 1;
    this.#onUse();
    try {
      return await rescued;
    } finally {
      this.#pending.delete(rescued);
      this.#running -= 1;
      this.#onUse();
    }
  }

  /** @throws SANDBOX_CLOSED, SANDBOX_LIMIT, and what `connectPort` throws */
  async connect(port: number): Promise<PortConnection> {
    this.#admitConnection();
    this.#connections += 1;
    this.#onUse();
    const leave = (): void => {
      this.#connections -= 1;
      this.#onUse();
    };
    try {
      await this.#task.record.portConnected(port);
      const connection = await connectPort(this.#task.sandbox, port);
      void connection.ended.then(leave);
      return connection;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async stats(): Promise<SandboxUse> {
    this.#requireOpen();
    const { sandbox, identity } = this.#task;
    const { openCommands, processes, held } = await sandbox.stats();
    const used = sandbox.usage();
    const seen = used === undefined ? {} : { cpuMs: used.cpuMs, peakMemoryBytes: Math.max(used.peakMemoryBytes, held?.memoryBytes ?? 0) };
    return { sandbox: identity.sandbox, task: this.task, isPaused: this.isPaused, openCommands, processes, ...seen, ...held };
  }

  /** One after the other. @throws SANDBOX_CLOSED, PAUSE_UNAVAILABLE, LEDGER_UNWRITABLE */
  pause(): Promise<void> {
    return this.#turn(async () => {
      const { sandbox, pauses, record, identity } = this.#task;
      if (pauses.isPaused) return;
      if (!canPause(sandbox)) throw new GloveboxError("PAUSE_UNAVAILABLE", "sandbox.no-freezer", { values: { sandbox: identity.sandbox } });
      await record.pause("execution.paused");
      // From here on nothing new is let in.
      pauses.begin();
      try {
        await sandbox.pause();
      } catch (error) {
        pauses.end();
        await record.pause("execution.resumed");
        throw error;
      }
    });
  }

  /** @throws SANDBOX_CLOSED, LEDGER_UNWRITABLE */
  resume(): Promise<void> {
    return this.#turn(async () => {
      const { sandbox, pauses, record } = this.#task;
      if (!pauses.isPaused || !canPause(sandbox)) return;
      await record.pause("execution.resumed");
      sandbox.resume();
      pauses.end();
    });
  }

  async #turn(work: () => Promise<void>): Promise<void> {
    const mine = this.#pausing.then(() => {
      this.#requireOpen();
      return work();
    });
    this.#pausing = mine.catch(() => {}); // its caller's to tell
    await mine;
    this.#onUse();
  }

  /** @throws SANDBOX_CLOSED, WALL_UNAVAILABLE */
  async reload(policy: CompiledPolicy): Promise<ReloadedRules> {
    this.#requireOpen();
    return reloadRules(this.#task, policy);
  }

  /** Idempotent. Ends every command, waits for their records, and leaves nothing. */
  close(reason: EndReason): Promise<SandboxEnd> {
    this.#closing ??= { reason, end: this.#end(reason) };
    return this.#closing.end;
  }

  async #end(reason: EndReason): Promise<SandboxEnd> {
    const task = this.#task;
    const isKilled = reason === "killed";
    const cancel = (): void => {
      for (const live of this.#commands.values()) live.cancel();
    };
    if (!isKilled) cancel();
    try {
      await this.#pausing;
      await endTask(task, isKilled ? "atOnce" : undefined);
      cancel(); // those that wait for a person have not begun
      await Promise.allSettled(this.#pending);
      const { changes, traffic } = await recordTaskEnd(task, reason);
      return this.#endOf(changes, refusedConnections(traffic));
    } finally {
      await leaveTask(task);
    }
  }

  #endOf(changes: ChangeSummary | undefined, refused: SandboxEnd["refusedConnections"]): SandboxEnd {
    const { identity, record } = this.#task;
    const { task, sandbox } = identity;
    return { sandbox, task, ...(changes === undefined ? {} : { changes }), refusedConnections: refused, ledger: record.range };
  }
}

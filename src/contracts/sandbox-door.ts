// Sandboxes that outlive a command, as doors ask for them. The broker implements it; whoever is no broker reaches one through its door socket.
import type { AskPerson } from "./approval.ts";
import type { ArtifactSummary, LeftBehind, LeftInSandbox } from "./artifacts.ts";
import type { ChangeSummary } from "./changes.ts";
import type { PolicySelection, RunIo, RunOutcome, RunResult } from "./door.ts";
import type { SandboxId, TaskId } from "./ids.ts";
import type { LimitHit } from "./limits.ts";
import type { Sentence } from "./sentence.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export interface SandboxOpening {
  readonly policy: PolicySelection;
  /** What the policy passes of it, every command gets that brings nothing else. */
  readonly callerEnvironment: Variables;
  /** Files and directories of the host, absolute, of which its commands get copies to read at INPUT_DIR. Absent: none. */
  readonly inputs?: readonly string[];
  /** Closed after this long without a command or a connection to a port; at most, and when absent, as `sandboxLifetimes` says. */
  readonly idleMs?: number;
  /** Closed this long after it was opened; likewise. */
  readonly hardMs?: number;
  /** Closed also when who opened it is gone: a process whose connection to the broker has closed. */
  readonly endsWithCaller?: true;
}

/** Milliseconds. What nobody asks for shorter, and never longer; a container may be used as long as its policy says. INVARIANT I-10 */
export const sandboxLifetimes = { idleMs: 8 * 3_600_000, hardMs: 24 * 3_600_000 } as const;

/** What is left behind in a container is warned of in its last tenth, at most a day and at least an hour long. */
export function expiresSoon(
  { openedAtMs, expiresAtMs }: { readonly openedAtMs: number; readonly expiresAtMs: number },
  nowMs: number,
): boolean {
  const hourMs = 3_600_000;
  return expiresAtMs - nowMs <= Math.max(hourMs, Math.min(24 * hourMs, (expiresAtMs - openedAtMs) / 10));
}

export interface OpenedSandbox {
  readonly sandbox: SandboxId;
  readonly task: TaskId;
  /** 64 hex digits: who has it may use the sandbox. */
  readonly token: string;
  readonly policyHash: string;
  readonly idleMs: number;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
  readonly presetNotes: readonly Sentence[];
}

export interface SandboxAccess {
  readonly sandbox: string;
  readonly token: string;
}

export interface SandboxCommand {
  readonly argv: readonly [string, ...string[]];
  /** Absolute. Absent: the project. */
  readonly cwd?: string;
  /** Only what the policy passes is taken from it. */
  readonly callerEnvironment: Variables;
  /** Given to the command as it is. */
  readonly environment: Readonly<Record<string, string>>;
  readonly pty?: { readonly rows: number; readonly columns: number };
  /** Ended after this long, where its policy does not say sooner. Milliseconds. */
  readonly wallMs?: number;
  /** The answer comes as soon as it runs; its output is kept for `logs` and `attach`. */
  readonly isDetached?: true;
}

/** One command's end, or for a detached one its start: then `outcome` is `ok` and `child` is undefined. */
export interface SandboxCommandResult extends Pick<
  RunResult,
  "exitCode" | "outcome" | "child" | "notes" | "stdoutBytes" | "stderrBytes" | "durationMs" | "ledger"
> {
  readonly task: string;
  readonly action: string;
  readonly limitHits: readonly LimitHit[];
  /** Processes that it started are still there. */
  readonly isLeftRunning: boolean;
  /** What it wrote elsewhere in a container, and will end with it; absent when there was nothing. Untrusted. */
  readonly leftBehind?: LeftBehind | undefined;
}

/** What was kept of files that were left behind. */
export interface RescuedFiles {
  readonly task: string;
  /** Under which `artifacts` lists them, by their paths. */
  readonly action: string;
  /** Absent when there was nothing. */
  readonly artifacts?: ArtifactSummary | undefined;
  /** Of the paths that were named: where nothing lies. Absolute. */
  readonly missing: readonly string[];
}

export interface CommandLine {
  readonly action: string;
  /** Its beginning: at most 256 characters. Escaped by whoever shows it. */
  readonly argv: readonly string[];
  readonly startedAtMs: number;
  readonly state: "running" | "left-running" | "ended";
  readonly outcome?: RunOutcome | undefined;
  readonly exitCode?: number | undefined;
}

/** What an open sandbox has and has used, as the host sees it. */
export interface SandboxUse {
  readonly sandbox: string;
  readonly task: string;
  readonly isPaused: boolean;
  readonly openCommands: number;
  /** What its commands started, and what descends from it. */
  readonly processes: number;
  /** Since it was opened. Absent where its boundary cannot see it; so are the others. */
  readonly cpuMs?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly peakMemoryBytes?: number | undefined;
  /** In file systems of its own; what it wrote to the host's is not among it. */
  readonly privateBytes?: number | undefined;
}

export interface SandboxLine {
  readonly sandbox: string;
  readonly task: string;
  readonly projectDirectory: string;
  readonly policyHash: string;
  readonly openedAtMs: number;
  readonly idleUntilMs: number;
  readonly expiresAtMs: number;
  readonly isPaused: boolean;
  /** Of a container: what its commands left behind, as far as it is known. */
  readonly leftBehind?: LeftInSandbox | undefined;
  /** The last ones, oldest first. */
  readonly commands: readonly CommandLine[];
}

/** One whose time is over. */
export interface PrunedSandbox {
  readonly sandbox: string;
  readonly task: string;
  readonly reason: "expired" | "idle";
}

export interface SandboxLog {
  readonly action: string;
  readonly state: CommandLine["state"];
  /** The last bytes of both channels as they came. Untrusted. */
  readonly bytes: Uint8Array;
  readonly droppedBytes: number;
}

/** A point to which the files of the write roots can be put back. */
export interface SandboxCheckpoint {
  readonly task: string;
  /** From 1 on, within the task. */
  readonly checkpoint: number;
  /** Paths that differ from before the task. */
  readonly changes: number;
  /** Paths that could not be listed; see docs/file-changes.md. */
  readonly missed: number;
  readonly keptBytes: number;
  /** ISO date. */
  readonly keptUntil: string;
}

export interface SandboxEnd {
  readonly sandbox: string;
  readonly task: string;
  readonly changes?: ChangeSummary | undefined;
  readonly refusedConnections: readonly Sentence[];
  readonly ledger: { readonly firstSeq: number; readonly lastSeq: number };
}

/** The bytes of one connection to a port inside. */
/** Each direction ends by itself, as with TCP; who is done with both closes it. */
export interface PortConnection {
  /** Ends when the server sends no more. */
  readonly received: AsyncIterable<Uint8Array>;
  /** Resolves when they are on their way; rejects when nobody takes them. */
  send(bytes: Uint8Array): Promise<void>;
  /** Nothing more is sent. */
  end(): void;
  /** Both directions are over. Idempotent. */
  close(): void;
  /** Resolves when nothing inside serves it any more. */
  readonly ended: Promise<void>;
}

export interface SandboxDoor {
  /** @throws like `Door.run`, and SANDBOX_LIMIT */
  open(opening: SandboxOpening, io: { readonly signal: AbortSignal; readonly ask?: AskPerson }): Promise<OpenedSandbox>;
  /** @throws SANDBOX_UNKNOWN, SANDBOX_LIMIT, SANDBOX_CLOSED, and what `Door.run` throws for its command */
  exec(access: SandboxAccess, command: SandboxCommand, io: RunIo): Promise<SandboxCommandResult>;
  /** Takes the output of a detached command from what is kept of it on, and its input. @throws SANDBOX_UNKNOWN */
  attach(access: SandboxAccess, action: string, io: RunIo): Promise<SandboxCommandResult>;
  /** @throws SANDBOX_UNKNOWN */
  logs(access: SandboxAccess, action: string | undefined): Promise<readonly SandboxLog[]>;
  /** @throws SANDBOX_UNKNOWN; what opening a command throws; when nothing listens there, the connection ends */
  connect(access: SandboxAccess, port: number): Promise<PortConnection>;
  /** Ends a command with all that it started, also what it left running; nothing when all of it has ended. @throws SANDBOX_UNKNOWN, LEDGER_UNWRITABLE */
  endCommand(access: SandboxAccess, action: string): Promise<void>;
  /** Keeps the files as they are. @throws SANDBOX_UNKNOWN, SANDBOX_LIMIT, LEDGER_UNWRITABLE */
  checkpoint(access: SandboxAccess): Promise<SandboxCheckpoint>;
  /**
   * Keeps what its commands left behind, as artifacts of its task.
   * @param paths inside: absolute, or from the project on; none: everything
   * @throws SANDBOX_UNKNOWN, ARTIFACT_UNKNOWN for what no container ends, LEDGER_UNWRITABLE, and what starting a command throws
   */
  rescue(access: SandboxAccess, paths: readonly string[]): Promise<RescuedFiles>;
  /** @throws SANDBOX_UNKNOWN */
  stats(access: SandboxAccess): Promise<SandboxUse>;
  /** Stops what its commands started. Idempotent. Until it is resumed nothing new starts in it. @throws SANDBOX_UNKNOWN, PAUSE_UNAVAILABLE */
  pause(access: SandboxAccess): Promise<void>;
  /** Idempotent. @throws SANDBOX_UNKNOWN */
  resume(access: SandboxAccess): Promise<void>;
  /** Of whoever may see all. @throws ACCESS_REFUSED */
  list(): Promise<readonly SandboxLine[]>;
  /** Of whoever may see all: closes what its time or idle time ends and is still there, as after a sleep of the machine. @param options `isDry`: only tells */
  prune(options: { readonly isDry: boolean }): Promise<readonly PrunedSandbox[]>;
  /** Resolves when `signal` is aborted. @throws SANDBOX_CLOSED, and why, as soon as it has ended; SANDBOX_UNKNOWN */
  untilEnded(access: SandboxAccess, signal: AbortSignal): Promise<void>;
  /** Closes it. Idempotent for whoever has the token. @throws SANDBOX_UNKNOWN */
  end(access: SandboxAccess): Promise<SandboxEnd>;
  /** Ends it at once: nothing in it is asked to end first. Otherwise as `end`. @throws SANDBOX_UNKNOWN */
  kill(access: SandboxAccess): Promise<SandboxEnd>;
}

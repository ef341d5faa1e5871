// A sandbox that stays open between commands, as a program holds it.
import type {
  PortConnection,
  RescuedFiles,
  SandboxAccess,
  SandboxCheckpoint,
  SandboxCommand,
  SandboxDoor,
  SandboxEnd,
  SandboxLog,
  SandboxUse,
} from "../contracts/sandbox-door.ts";
import type { CapturedChannels } from "./captured-output.ts";
import { SandboxCells } from "./cells/sandbox-cells.ts";
import { type CallOptions, performCaptured, signalOf, type TerminalSize } from "./command-call.ts";
import { PublicError, type Say, told } from "./public-error.ts";
import { RunningCommand } from "./running-command.ts";
import { SandboxFiles } from "./sandbox-files.ts";
import { type ToldResult, toldResult } from "./told-result.ts";
import { toldLines, type ToldLine, type ToldSheet } from "./told-sheet.ts";

export type Argv = readonly [program: string, ...rest: string[]];

export interface CommandOptions extends Pick<CallOptions, "signal"> {
  /** Where it starts, as a path inside: absolute, or from the project on. Absent: the project. */
  readonly cwd?: string;
  /** Variables that it is given as they are, beside those that the policy passes of the caller's. */
  readonly env?: Readonly<Record<string, string>>;
  /** A terminal of this size made for it; then both channels are one. */
  readonly pty?: TerminalSize;
}

export interface ExecOptions extends CommandOptions, CallOptions {}

/** How a command ended. Units are in the names: bytes, milliseconds, and `ledger` the sequence numbers of its records. */
export interface CommandResult extends ToldResult, CapturedChannels {}

export interface SandboxClosed extends Omit<SandboxEnd, "refusedConnections"> {
  /** What was refused, each with the change of the policy that would allow it. */
  readonly refusedConnections: readonly ToldLine[];
  /** The seven answers for everything that happened in it. */
  readonly sheet: ToldSheet;
}

/** A port of this machine's loopback that leads inside. */
export interface PortForwarding {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Ends its connections. Resolves when the port is free. */
  close(): Promise<void>;
  /** Resolves when it is closed, by you or because its sandbox has ended. */
  readonly ended: Promise<void>;
}

export type Forward = (port: number, dial: () => Promise<PortConnection>) => Promise<PortForwarding>;

export interface OpenSandboxParts {
  readonly door: SandboxDoor;
  readonly access: SandboxAccess;
  readonly task: string;
  /** Absolute. */
  readonly project: string;
  readonly callerEnvironment: SandboxCommand["callerEnvironment"];
  readonly sheetOf: (task: string) => Promise<ToldSheet>;
  readonly say: Say;
  readonly forward: Forward;
  readonly onClosed: (sandbox: OpenSandbox) => void;
}

export class OpenSandbox implements AsyncDisposable {
  readonly #parts: OpenSandboxParts;
  /** Its files, by their paths inside. */
  readonly files: SandboxFiles;
  /** Code cells in it, with a state that lasts. Of containers. */
  readonly cells: SandboxCells;
  #closed: Promise<SandboxClosed> | undefined;

  constructor(parts: OpenSandboxParts) {
    this.#parts = parts;
    this.files = new SandboxFiles((argv, options) => this.exec(argv, options), parts.say);
    const { door, access, callerEnvironment } = parts;
    this.cells = new SandboxCells(
      {
        exec: (command, io) => door.exec(access, { ...command, callerEnvironment, environment: {} }, io),
        endCommand: (action) => door.endCommand(access, action),
      },
      parts.say,
    );
  }

  /** `s-` and 25 characters; `glovebox sandbox exec ID` takes it too. */
  get id(): string {
    return this.#parts.access.sandbox;
  }

  /** `t-` and 25 characters: `glovebox explain TASK`, `diff TASK` and `undo TASK` take it. */
  get task(): string {
    return this.#parts.task;
  }

  /** Id and token. Whoever has both may use the sandbox: it is a secret. */
  get access(): SandboxAccess {
    const { sandbox, token } = this.#parts.access;
    return { sandbox, token };
  }

  /** The project inside, where commands start. Absolute. */
  get project(): string {
    return this.#parts.project;
  }

  #command(argv: Argv, { cwd, env = {}, pty }: CommandOptions): SandboxCommand {
    const { project, callerEnvironment } = this.#parts;
    const directory = cwd === undefined || cwd.startsWith("/") ? cwd : `${project}/${cwd}`;
    return {
      argv,
      callerEnvironment,
      environment: env,
      ...(directory === undefined ? {} : { cwd: directory }),
      ...(pty === undefined ? {} : { pty }),
    };
  }

  /**
   * Runs one command to its end. It resolves whatever the command did, and also when a limit ended it: see `outcome` and `exitCode`. What it
   * leaves running stays until the sandbox is closed.
   * @throws PublicError: POLICY_DENIED, APPROVAL_UNAVAILABLE, SANDBOX_CLOSED, SANDBOX_LIMIT, BROKER_UNAVAILABLE, ...
   */
  exec(argv: Argv, options: ExecOptions = {}): Promise<CommandResult> {
    const { door, access, say } = this.#parts;
    const command = this.#command(argv, options);
    return performCaptured({ say, perform: async (io) => toldResult(await door.exec(access, command, io), say) }, options);
  }

  /** Starts one command and resolves when it runs: its output is to be read, and its input to be ended. @throws like `exec` */
  start(argv: Argv, options: CommandOptions = {}): Promise<RunningCommand> {
    const { door, access, say } = this.#parts;
    const command = this.#command(argv, options);
    return RunningCommand.start({ say, signal: signalOf(options), perform: (io) => door.exec(access, command, io) });
  }

  /**
   * Starts one command that goes on without a reader, a server for instance. Resolves when it runs, with its id. The last 64 KiB of its output
   * are kept for `logs` and `attach`. @throws like `exec`
   */
  async detach(argv: Argv, options: CommandOptions = {}): Promise<{ readonly action: string }> {
    const { door, access, say } = this.#parts;
    const command: SandboxCommand = { ...this.#command(argv, options), isDetached: true };
    const { action } = await performCaptured({ say, perform: (io) => door.exec(access, command, io) }, { signal: signalOf(options) });
    return { action };
  }

  /** From what is kept of a detached command's output on. Aborting the signal leaves the command; it goes on. @throws SANDBOX_UNKNOWN */
  attach(action: string, options: Pick<CommandOptions, "signal"> = {}): Promise<RunningCommand> {
    const { door, access, say } = this.#parts;
    return RunningCommand.start({ say, signal: signalOf(options), perform: (io) => door.attach(access, action, io) });
  }

  /** What is kept of the output of detached commands, and of what others left running: at most the last 64 KiB of each. Untrusted. */
  logs(action?: string): Promise<readonly SandboxLog[]> {
    const { door, access, say } = this.#parts;
    return told(say, () => door.logs(access, action));
  }

  /** Ends a command with all that it started, also what it left running; nothing when all has ended. @throws SANDBOX_UNKNOWN */
  endCommand(action: string): Promise<void> {
    const { door, access, say } = this.#parts;
    return told(say, () => door.endCommand(access, action));
  }

  /** A connection to a TCP port of the sandbox's own loopback. Where nothing listens, it ends at once. @throws SANDBOX_CLOSED, SANDBOX_LIMIT */
  connect(port: number): Promise<PortConnection> {
    const { door, access, say } = this.#parts;
    return told(say, () => door.connect(access, port));
  }

  /**
   * What listens on this TCP port inside answers on a port of this machine's loopback, until it is closed: any process of this machine can
   * connect there. When the sandbox has ended, so has it. @param options `listen`: that port; a free one when absent @throws what listen(2) reports
   */
  async forward(port: number, { listen = 0 }: { readonly listen?: number } = {}): Promise<PortForwarding> {
    const { door, access, forward } = this.#parts;
    const forwarding = await forward(listen, () => this.connect(port));
    const isClosed = new AbortController();
    // Whatever says that there is nothing to reach any more.
    door.untilEnded(access, isClosed.signal).catch(() => forwarding.close());
    const close = (): Promise<void> => {
      isClosed.abort();
      return forwarding.close();
    };
    return { port: forwarding.port, close, ended: forwarding.ended };
  }

  /**
   * Keeps the files of the write roots as they are now. After the close `glovebox diff TASK --since N` shows what came later, and
   * `glovebox undo TASK --since N` puts it back. At most 32. @throws SANDBOX_CLOSED, SANDBOX_LIMIT, LEDGER_UNWRITABLE
   */
  checkpoint(): Promise<SandboxCheckpoint> {
    const { door, access, say } = this.#parts;
    return told(say, () => door.checkpoint(access));
  }

  /**
   * Keeps what commands of a container wrote elsewhere than in their `$OUTPUT_DIR`, before it ends with it: `glovebox.artifacts(task)` has it under
   * the action that is told, by its path inside. @param paths inside: absolute, or from the project on; none: everything
   * @throws PublicError SANDBOX_UNKNOWN, CONTAINER_EXPIRED, ARTIFACT_UNKNOWN for a path elsewhere and for a sandbox that is no container
   */
  rescue(paths: readonly string[] = []): Promise<RescuedFiles> {
    const { door, access, say } = this.#parts;
    return told(say, () => door.rescue(access, paths));
  }

  /** The seven answers for what has happened in it so far. */
  sheet(): Promise<ToldSheet> {
    return this.#parts.sheetOf(this.#parts.task);
  }

  /** What it has and has used, as the host sees it. Bytes and milliseconds. @throws SANDBOX_UNKNOWN, SANDBOX_CLOSED */
  stats(): Promise<SandboxUse> {
    const { door, access, say } = this.#parts;
    return told(say, () => door.stats(access));
  }

  /** Stops what runs in it until `resume()`; meanwhile `exec` and the like are refused with SANDBOX_PAUSED. Idempotent. @throws PAUSE_UNAVAILABLE */
  pause(): Promise<void> {
    const { door, access, say } = this.#parts;
    return told(say, () => door.pause(access));
  }

  /** Idempotent. @throws SANDBOX_UNKNOWN, SANDBOX_CLOSED */
  resume(): Promise<void> {
    const { door, access, say } = this.#parts;
    return told(say, () => door.resume(access));
  }

  /** As `close()`, but at once: nothing in it is asked to end first. */
  kill(): Promise<SandboxClosed> {
    this.#closed ??= this.#close("kill");
    return this.#closed;
  }

  /** Ends everything in it. Resolves when nothing is left on the host and all is recorded. Idempotent. @throws SANDBOX_UNKNOWN, SANDBOX_CLOSED */
  close(): Promise<SandboxClosed> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(how: "end" | "kill" = "end"): Promise<SandboxClosed> {
    const { door, access, say } = this.#parts;
    this.#parts.onClosed(this);
    const { refusedConnections, ...end } = await told(say, () => door[how](access));
    return { ...end, refusedConnections: toldLines(refusedConnections, say), sheet: await this.sheet() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close().catch((error: unknown) => {
      // It expired, a limit of it was used up, or its broker ended: nothing of it is left.
      if (!(error instanceof PublicError && ["SANDBOX_CLOSED", "CONTAINER_EXPIRED", "BROKER_UNAVAILABLE"].includes(error.code)))
        throw error;
    });
  }
}

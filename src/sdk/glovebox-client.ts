// Glovebox as a program uses it: commands that run once, and sandboxes that stay open. It is handed the way in, and starts nothing itself.
import type { Door, PolicySelection, RunResult } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { ReachedBroker } from "../contracts/reached-broker.ts";
import type { SandboxAccess, SandboxLine, SandboxOpening } from "../contracts/sandbox-door.ts";
import type { CapturedChannels } from "./captured-output.ts";
import { type CallOptions, performCaptured, signalOf, type TerminalSize } from "./command-call.ts";
import { type Argv, type Forward, OpenSandbox } from "./open-sandbox.ts";
import { type Say, told } from "./public-error.ts";
import { TaskArtifacts } from "./task-artifacts.ts";
import { toldLines, type ToldLine, type ToldSheet, toldSheet } from "./told-sheet.ts";

/** The policy of a call: built-in, system, user and project files, and over them what is named here. */
export interface PolicyOptions {
  /** A directory that exists: writable inside, at the same path. Relative ones are meant from the process's current directory on. Never `/`, or the home directory or above. */
  readonly project: string;
  /** A policy file. Relative: from the process's current directory on. */
  readonly policyFile?: string;
  /** A fragment of a policy document, as strong as flags of the command line: e.g. `{ limits: { wall: "30s" } }`. docs/policy.md has all keys. */
  readonly policy?: Readonly<Record<string, unknown>>;
}

export interface RunOptions extends PolicyOptions, CallOptions {
  /** As a path inside: absolute, or from the project on. Absent: the project. */
  readonly cwd?: string;
  readonly pty?: TerminalSize;
  /** Files and directories of which the command gets copies to read, at `$INPUT_DIR`. Relative: from the process's current directory on. */
  readonly inputs?: readonly string[];
}

export interface OpenOptions extends PolicyOptions, Pick<CallOptions, "signal"> {
  /** Files and directories of which its commands get copies to read, at `$INPUT_DIR`. Relative: from the process's current directory on. */
  readonly inputs?: readonly string[];
  /** Closed after this long without a command or a connection to a port. Milliseconds; at most, and when absent, 8 hours; of a container: `container.expires` of its policy. */
  readonly idleMs?: number;
  /** Closed this long after it was opened. Milliseconds; at most, and when absent, 24 hours; of a container: `container.expires` of its policy. */
  readonly hardMs?: number;
  /**
   * It stays when this Glovebox is closed or its process ends, until it is closed by its id or expires. Only where `broker` is `attach`. Absent: it
   * ends with them.
   */
  readonly outlives?: true;
}

/** How a command ended that ran in a sandbox of its own, and the seven answers for it. */
export interface OnceResult extends Omit<RunResult, "sheet" | "notes" | "refusedConnections" | "presetNotes">, CapturedChannels {
  readonly sheet: ToldSheet;
  /** Why it ended, when that was not its own choice. Empty otherwise. */
  readonly notes: readonly ToldLine[];
  /** What was refused, each with the change of the policy that would allow it. */
  readonly refusedConnections: readonly ToldLine[];
  /** What the policy's presets left out. */
  readonly presetNotes: readonly ToldLine[];
}

export interface GloveboxParts {
  readonly door: Pick<Door, "run" | "explainPolicy" | "explainTask" | "artifacts">;
  /** The broker that holds sandboxes; called when one is first needed. */
  readonly reach: () => Promise<ReachedBroker>;
  readonly say: Say;
  /** The broker is this process itself. */
  readonly isHolding: boolean;
  /** Of whoever calls; only what a policy passes is taken from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute and without links. @throws GloveboxError USAGE_INVALID for what cannot be a project */
  readonly projectAt: (directory: string) => Promise<string>;
  /** Absolute. */
  readonly fileAt: (file: string) => string;
  /** Listens on this machine's loopback, and joins each connection to one that is dialled. */
  readonly forward: Forward;
  /** Of everything above, when nothing is needed any more. */
  readonly close: () => Promise<void>;
}

export class GloveboxClient implements AsyncDisposable {
  readonly #parts: GloveboxParts;
  /** Those that end with this. */
  readonly #own = new Set<OpenSandbox>();
  #broker: Promise<ReachedBroker> | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: GloveboxParts) {
    this.#parts = parts;
  }

  async #selection({ project, policyFile, policy }: PolicyOptions): Promise<PolicySelection> {
    const { projectAt, fileAt } = this.#parts;
    return {
      projectDirectory: await projectAt(project),
      ...(policyFile === undefined ? {} : { policyFile: fileAt(policyFile) }),
      ...(policy === undefined ? {} : { overrides: policy }),
    };
  }

  async #reach(): Promise<ReachedBroker> {
    if (this.#closed !== undefined) throw new GloveboxError("BROKER_UNAVAILABLE", "library.closed");
    this.#broker ??= this.#parts.reach();
    try {
      return await this.#broker;
    } catch (error) {
      this.#broker = undefined; // the next call tries again
      throw error;
    }
  }

  /** A broker leaves when nobody has needed it for a while, or is ended: then another one is reached. */
  async #withBroker<Value>(work: (broker: ReachedBroker) => Promise<Value>): Promise<Value> {
    const broker = await this.#reach();
    try {
      return await work(broker);
    } catch (error) {
      if (!(error instanceof GloveboxError && error.code === "BROKER_UNAVAILABLE")) throw error;
      this.#broker = undefined;
      return work(await this.#reach());
    }
  }

  /**
   * Runs one command in a sandbox of its own, which is gone when this resolves. It resolves whatever the command did, and also when a limit ended
   * it: see `outcome` and `exitCode`.
   * @throws PublicError: POLICY_*, APPROVAL_UNAVAILABLE, WALL_UNAVAILABLE, ... when nothing was started
   */
  async run(argv: Argv, options: RunOptions): Promise<OnceResult> {
    const { door, say, environment, fileAt } = this.#parts;
    const policy = await told(say, () => this.#selection(options));
    const { projectDirectory } = policy;
    const { cwd = "", pty, inputs } = options;
    const request = {
      policy,
      argv,
      cwd: cwd.startsWith("/") ? cwd : cwd === "" ? projectDirectory : `${projectDirectory}/${cwd}`,
      callerEnvironment: environment,
      ...(pty === undefined ? {} : { pty }),
      ...(inputs === undefined ? {} : { inputs: inputs.map(fileAt) }),
    };
    const result = await performCaptured({ say, perform: (io) => door.run(request, io) }, options);
    const { sheet, notes, refusedConnections, presetNotes = [] } = result;
    return {
      ...result,
      sheet: toldSheet(sheet, say),
      notes: toldLines(notes, say),
      refusedConnections: toldLines(refusedConnections, say),
      presetNotes: toldLines(presetNotes, say),
    };
  }

  /** Opens a sandbox that stays until it is closed or expires. @throws PublicError like `run`, SANDBOX_LIMIT, BROKER_UNAVAILABLE */
  async open(options: OpenOptions): Promise<OpenSandbox> {
    const signal = signalOf(options);
    signal.throwIfAborted();
    try {
      const sandbox = await told(this.#parts.say, () => this.#open(options, signal));
      // It was open before the broker heard that nobody wants it.
      if (signal.aborted) await sandbox[Symbol.asyncDispose]();
      return sandbox;
    } finally {
      signal.throwIfAborted();
    }
  }

  async #open(options: OpenOptions, signal: AbortSignal): Promise<OpenSandbox> {
    const { idleMs, hardMs, outlives, inputs } = options;
    if (outlives === true && this.#parts.isHolding) throw new GloveboxError("USAGE_INVALID", "library.cannot-outlive");
    const opening: SandboxOpening = {
      policy: await this.#selection(options),
      callerEnvironment: this.#parts.environment,
      ...(inputs === undefined ? {} : { inputs: inputs.map(this.#parts.fileAt) }),
      ...(idleMs === undefined ? {} : { idleMs }),
      ...(hardMs === undefined ? {} : { hardMs }),
      ...(outlives === true ? {} : { endsWithCaller: true }),
    };
    return this.#withBroker(async (broker) => {
      const { sandbox, token, task } = await broker.sandboxes.open(opening, { signal });
      const held = this.#held(broker, { access: { sandbox, token }, task, project: opening.policy.projectDirectory });
      if (outlives !== true) this.#own.add(held);
      return held;
    });
  }

  #held(broker: ReachedBroker, about: { readonly access: SandboxAccess; readonly task: string; readonly project: string }): OpenSandbox {
    const { say, environment, forward } = this.#parts;
    return new OpenSandbox({
      forward,
      ...about,
      door: broker.sandboxes,
      callerEnvironment: environment,
      sheetOf: (task) => this.sheet(task),
      onClosed: (sandbox) => void this.#own.delete(sandbox),
      say,
    });
  }

  /** A sandbox that is open already, of this user. @param sandbox its id @throws PublicError SANDBOX_UNKNOWN */
  async use(sandbox: string): Promise<OpenSandbox> {
    return told(this.#parts.say, () =>
      this.#withBroker(async (broker) => {
        const access = await broker.access(sandbox);
        const line = (await broker.sandboxes.list()).find((candidate) => candidate.sandbox === sandbox);
        if (line === undefined) throw new GloveboxError("SANDBOX_UNKNOWN", "sandbox.unknown", { values: { sandbox } });
        return this.#held(broker, { access, task: line.task, project: line.projectDirectory });
      }),
    );
  }

  /** The open sandboxes of this user, with their last commands. Words of commands are untrusted. */
  async list(): Promise<readonly SandboxLine[]> {
    return told(this.#parts.say, () => this.#withBroker((broker) => broker.sandboxes.list()));
  }

  /** The seven answers for a policy. @throws PublicError POLICY_* */
  async explain(options: PolicyOptions): Promise<ToldSheet> {
    const { door, say } = this.#parts;
    return told(say, async () => toldSheet(await door.explainPolicy(await this.#selection(options)), say));
  }

  /** The seven answers for a task. @throws PublicError TASK_UNKNOWN */
  async sheet(task: string): Promise<ToldSheet> {
    const { door, say } = this.#parts;
    return told(say, async () => toldSheet(await door.explainTask(task), say));
  }

  /** The files that the commands of a task handed back by their `$OUTPUT_DIR`; also after its end, until they expire. */
  artifacts(task: string): TaskArtifacts {
    const { door, say } = this.#parts;
    return new TaskArtifacts(door.artifacts, task, say);
  }

  /** Ends the sandboxes that were opened here, but for those that outlive it. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    try {
      await Promise.all([...this.#own].map((sandbox) => sandbox[Symbol.asyncDispose]()));
      await (await this.#broker?.catch(() => undefined))?.[Symbol.asyncDispose]();
    } finally {
      await this.#parts.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

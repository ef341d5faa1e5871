// The Boundary port: what every kind of wall (process, container, microvm, desktop, wasi, and the memory fake) offers.
import type { ArtifactBounds } from "./artifacts.ts";
import type { EgressEndpoint } from "./egress.ts";
import type { SandboxId, TaskId } from "./ids.ts";
import type { LimitHit, LimitMechanism, Limits, UsageEvidence } from "./limits.ts";
import type { CacheName } from "./package-caches.ts";
import type { Sentence } from "./sentence.ts";

export type BoundaryKind = "process" | "container" | "microvm" | "desktop" | "wasi" | "memory";

/** One fact about this machine. */
export interface ProbeLine {
  /** Stable name, e.g. `bubblewrap`, `landlock`, `seccomp`, `user-namespaces`, `guard`. */
  readonly name: string;
  /** `incompatible`: what programs want and no sandbox gives, on any machine. */
  readonly state: "works" | "missing" | "not-built" | "incompatible";
  /** Version, ABI or path: shown as it is. */
  readonly detail: string;
  /** The command or setting that repairs it, or what to do instead; undefined when it works. */
  readonly fix: Sentence | undefined;
  /** True when `open` refuses without it. */
  readonly required: boolean;
}

export interface ProbeReport {
  readonly kind: BoundaryKind;
  /** True when every required line works. */
  readonly usable: boolean;
  readonly lines: readonly ProbeLine[];
}

/** A denial by pattern: of what matches now, and of what will. */
export interface PathGlob {
  /** As a person reads it: absolute, with the pattern's own characters. */
  readonly text: string;
  /** From `/` on; what comes before the first pattern is canonical. See kit/path-glob.ts. */
  readonly segments: readonly { readonly kind: "literal" | "glob" | "any"; readonly text: string }[];
  /** Nobody looks for it in the toolchains of the default view: programs, of which some have tens of thousands of directories. */
  readonly sparesToolchains?: true;
}

/** Path rules; every literal path is absolute, canonical (no symlink in it at open) and in host spelling, which is also the spelling inside. */
export interface PathPolicy {
  /** `system`: the operating system read-only minus its secrets; `none`: only what allowRead names (plus the loader's needs). */
  readonly readDefault: "system" | "none";
  readonly allowRead: readonly string[];
  readonly denyRead: readonly string[];
  /** Beats every allow but one that names exactly the path that matches; all below a match is denied with it. Absent: none. */
  readonly denyReadGlobs?: readonly PathGlob[];
  /** Write roots: directories. */
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  /** Names that are never made, replaced or written in a write root, beside the built-in ones: `name`, or `above/name`. Letter case does not count. */
  readonly protectedNames?: readonly string[];
  /** Every open is mediated, also one that only reads: what a rule denies is unreadable from the moment it appears. */
  readonly strict?: boolean;
  /**
   * Lists of allowed places, each from before somebody spoke who may only narrow (an untrusted project; anybody above a floor): what the
   * boundary hides by default is opened by an entry of allowRead or allowWrite only where every one of these lists opens it too. Absent:
   * whoever wrote the entries may open what they name.
   */
  readonly openedWithin?: readonly (readonly string[])[];
}

/** Who the host says is asking. */
export interface HostUser {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  /** Absolute, canonical. Absent inside except for what the policy opens. */
  readonly home: string;
}

/** Package caches that outlive the sandbox, and that other sandboxes of its project may have at the same time. INVARIANT I-16 */
export interface ProjectCaches {
  /** The same for all tasks that share them. */
  readonly id: string;
  readonly names: readonly CacheName[];
  readonly places: readonly {
    /** On the host: absolute, canonical, an existing directory or file in which nothing else ever looks. */
    readonly source: string;
    /** Relative to the private home. */
    readonly inside: string;
  }[];
}

/** What a container starts from in the place of the host's own programs. */
export interface SandboxTemplate {
  readonly name: string;
  /** `sha256:`: what it holds, byte for byte. */
  readonly id: string;
  /** Its tree on the host: absolute. Read-only by agreement: others have it too. INVARIANT I-16 */
  readonly directory: string;
}

export interface SandboxSpec {
  readonly taskId: TaskId;
  readonly sandboxId: SandboxId;
  /** The project: where commands start unless told otherwise. Readable; writable only when a write root covers it. */
  readonly projectDirectory: string;
  /** An existing empty 0700 host directory that belongs to this sandbox alone and is deleted with it. */
  readonly privateDirectory: string;
  readonly paths: PathPolicy;
  /** The complete environment of every command; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files of the private home, relative to it, with their text. Absent: none. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  /** Absent: whatever lies in its private home ends with it. */
  readonly caches?: ProjectCaches;
  /** Of a container. Absent: the host's own programs. */
  readonly template?: SandboxTemplate;
  /** An existing host directory of this sandbox alone, which INPUT_DIR shows read-only. Everybody may read what lies in it. Absent: none. */
  readonly inputDirectory?: string;
  readonly limits: Limits;
  readonly user: HostUser;
  /** Commands may make user, pid and net namespaces of their own. Absent: none. */
  readonly nestedNamespaces?: boolean;
  /** Where what leaves the sandbox goes. Absent: nothing leaves, and the sandbox has a loopback only. */
  readonly egress?: EgressEndpoint;
}

/** A kernel object about to be made, in words from which the reaper can find and remove it. */
export interface KernelObject {
  readonly kind: "process" | "directory" | "socket" | "cgroup" | "mount";
  /** process: the marker its command line carries (the sandbox id); the others: an absolute path. */
  readonly name: string;
}

export interface OpenContext {
  readonly signal: AbortSignal;
  /** Returns after the entry is in the task journal. Called BEFORE each object is made. INVARIANT I-09 */
  readonly journal: (object: KernelObject) => Promise<void>;
}

export interface Command {
  /** argv[0] is looked up in the environment's PATH inside the sandbox unless it holds a slash. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute; must exist inside. */
  readonly cwd: string;
  /** Replaces the sandbox's environment when given. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A terminal made by the guard; then stdout and stderr are one channel. */
  readonly pty?: { readonly rows: number; readonly columns: number };
  /** False: its input has ended before it starts, and `endStdin` says nothing new. */
  readonly hasInput?: boolean | undefined;
  /**
   * One name, which nobody inside can have known before: of a new, empty directory that OUTPUT_DIR leads to. Only where `canHandBack`; other
   * sandboxes have none.
   */
  readonly output?: string;
  /** Called as the mediator refuses a call, before the caller learns of it; for each of the first 100. */
  readonly onRefused?: (() => void) | undefined;
}

export type SignalName =
  | "SIGHUP"
  | "SIGINT"
  | "SIGQUIT"
  | "SIGTERM"
  | "SIGKILL"
  | "SIGUSR1"
  | "SIGUSR2"
  | "SIGWINCH"
  | "SIGCONT"
  | "SIGSTOP"
  | "SIGTSTP";

export interface OutputChunk {
  readonly channel: "stdout" | "stderr";
  readonly bytes: Uint8Array;
}

/** A sandbox that lets the host connect to what listens inside. */
export interface Dialling {
  /** Starts what joins its stdin and stdout to a TCP port of the sandbox's loopback; it exits with 1 when nothing listens there. */
  dial(port: number): Promise<Execution>;
}

export function canDial(sandbox: Sandbox): sandbox is Sandbox & Dialling {
  return "dial" in sandbox;
}

/** How much is told of what a command left behind. */
export interface LeftBounds {
  readonly count: number;
  /** What was written later than this. Milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** A sandbox whose commands may each have a directory for files that they hand back. */
export interface HandingBack {
  /** Places whose files end with the sandbox. Absolute, inside. */
  readonly endingPlaces: readonly string[];
  /**
   * Starts what tells on its stdout of the files at the top of a command's output directory, and then of those that were left behind; see
   * guard/collected-frames.ts.
   */
  collect(output: string, bounds: ArtifactBounds, left: LeftBounds): Promise<Execution>;
  /** Likewise of what lies at or below paths in those places, whatever wrote it; without any, of all that commands wrote there. */
  rescue(paths: readonly string[], bounds: ArtifactBounds): Promise<Execution>;
}

export function canHandBack(sandbox: Sandbox): sandbox is Sandbox & HandingBack {
  return "collect" in sandbox;
}

/** A sandbox whose commands can be stopped for a while without noticing. */
export interface Pausable {
  /** Resolves when nothing that its commands started runs any more; commands can still be ended. @throws PAUSE_UNAVAILABLE, and then everything runs */
  pause(): Promise<void>;
  /** Idempotent. */
  resume(): void;
}

export function canPause(sandbox: Sandbox): sandbox is Sandbox & Pausable {
  return "pause" in sandbox;
}

/** What the guard reports: a claim, since the guard lives inside. */
export interface UsageClaim {
  readonly userMs: number;
  readonly systemMs: number;
  readonly maxRssBytes: number;
}

export type ExitReport =
  | { readonly kind: "exited"; readonly code: number; readonly usage: UsageClaim }
  | { readonly kind: "signalled"; readonly signal: number; readonly usage: UsageClaim }
  /** Nothing ran. 127: no such file; 126: found but not executable. */
  | {
      readonly kind: "not-started";
      readonly code: 126 | 127;
      readonly errno: string;
      /** What failed was not the program: the start directory does not exist inside or may not be entered; no more processes are allowed; its output directory could not be made. */
      readonly stage?: "directory" | "processes" | "output";
    }
  /** The sandbox ended underneath the command (guard died, protocol violation). */
  | { readonly kind: "lost"; readonly reason: string };

/** A call that the mediator refused. A claim, since the guard lives inside. */
export interface RefusedCall {
  readonly call: "open" | "mkdir" | "mknod" | "rename" | "link" | "symlink" | "truncate" | "bind" | "connect" | "attributes" | "remove";
  /** errno name that the program got. */
  readonly errno: string;
  readonly rule:
    | "listedName"
    | "gitConfig"
    | "gitHook"
    | "gitPointer"
    | "gitPointerUnwritten"
    | "gitStructure"
    | "device"
    | "folding"
    | "listedPath"
    | "hostSocket"
    | "crowded"
    | "deniedRead"
    | "outside"
    | "noNetwork";
  /** Absolute, inside, or what the call named, as an address; bytes that are not UTF-8 are replaced. */
  readonly path: string;
}

export interface RefusedCalls {
  /** All of them. */
  readonly total: number;
  /** The first, at most 100. */
  readonly first: readonly RefusedCall[];
}

/** A file that a rule denies and that appeared, or was replaced, while the sandbox was open: readable until it was masked. */
export interface LateMask {
  /** Absolute; for people: bytes that are not UTF-8 are written `\\xHH`. */
  readonly path: string;
  readonly rule: string;
  /** From the kernel's notice to the mask, as the host measured it. */
  readonly windowUs: number;
}

export interface LateMasks {
  /** All of them. */
  readonly total: number;
  readonly longestUs: number;
  /** How often notices were lost and everything was looked at again. */
  readonly behind: number;
  /** Why nothing could be hidden any more, which ended the sandbox. */
  readonly trouble: Sentence | undefined;
  /** The first, at most 100. */
  readonly first: readonly LateMask[];
}

export const noLateMasks: LateMasks = { total: 0, longestUs: 0, behind: 0, trouble: undefined, first: [] };

export interface Execution {
  /** Must be read to its end by exactly one reader: unread output holds the command back (credit, no growth). Ends after the command's last writer closes or the tree is killed. */
  readonly output: AsyncIterable<OutputChunk>;
  /** Resolves when the bytes are accepted under back-pressure; rejects with SANDBOX_CLOSED when the command is gone. */
  writeStdin(bytes: Uint8Array): Promise<void>;
  endStdin(): void;
  /** To the command's process group. */
  signal(name: SignalName): void;
  resize(size: { readonly rows: number; readonly columns: number }): void;
  /** Ends every process that descends from this command, also those that left its session. Resolves when none is left. */
  killTree(): Promise<void>;
  /** Never rejects. */
  readonly exit: Promise<ExitReport>;
  /** Resolves when no process that descends from this command is left; what the command leaves running keeps it waiting. Never rejects. */
  readonly gone: Promise<void>;
  /** What the mediator refused so far; complete once `gone` has resolved. */
  readonly refusedCalls: RefusedCalls;
}

/** As the host sees it. */
export interface HeldResources {
  /** Of all its processes, with what lies in file systems of its own that are memory. */
  readonly memoryBytes: number;
  /** What lies in its own file systems; what it wrote to the host's is not among it. */
  readonly privateBytes: number;
}

export interface SandboxStats {
  /** What commands started and what descends from it, as counted from the host; the guard and its keepers are not among them. */
  readonly processes: number;
  readonly openCommands: number;
  /** Absent once it has ended, and where the boundary cannot see it. */
  readonly held?: HeldResources;
}

/** What stood between the task and the host: shown on the answer sheet, recorded at open. */
export interface WallReport {
  /** e.g. `bubblewrap`, `landlock`, `seccomp`; with version or ABI. */
  readonly layers: readonly { readonly name: string; readonly detail: string }[];
  readonly limits: readonly LimitMechanism[];
  /** Effective answers in host spelling, for the sheet: each with the layers that hold it. */
  readonly reads: readonly string[];
  readonly hidden: readonly string[];
  readonly writes: readonly string[];
  /** Places inside that may be written and end with the sandbox, where that is all there is; absent: the boundary does not list them. */
  readonly private?: readonly string[] | undefined;
  readonly connects: readonly string[];
  /** Package caches that it shares with other tasks of its project; absent: none. INVARIANT I-16 */
  readonly caches?: Pick<ProjectCaches, "id" | "names"> | undefined;
  /** What it starts from, which others may have too; absent: the host's own programs. INVARIANT I-16 */
  readonly template?: Pick<SandboxTemplate, "name" | "id"> | undefined;
  /** uid and gid as the host sees them, and the capabilities inside (normally none). */
  readonly identity: {
    readonly hostUid: number;
    readonly hostGid: number;
    readonly insideUid: number;
    readonly capabilities: readonly string[];
  };
}

export interface Sandbox {
  readonly id: SandboxId;
  readonly walls: WallReport;
  /** So far; complete once `close` has resolved. */
  readonly lateMasks: LateMasks;
  /** Rejects with SANDBOX_CLOSED after close began, GUARD_PROTOCOL after a violation. */
  exec(command: Command): Promise<Execution>;
  stats(): Promise<SandboxStats>;
  /** What was used since the sandbox opened, also after it has ended; undefined where the boundary cannot see it. */
  usage(): UsageEvidence | undefined;
  /**
   * The name that the process gave itself whose captured connection has this port, as the host saw it a moment ago; unescaped, at most 15
   * bytes. Undefined when it was not found.
   */
  whoConnects(localPort: number): string | undefined;
  /** Resolves with the first limit of `walls.limits` that the boundary saw used up; stays open when there is none. Whoever runs the command ends it. */
  readonly exhausted: Promise<LimitHit>;
  /** Idempotent. SIGTERM, 2 s, then the tree, or the tree `atOnce`; afterwards the host holds nothing of the sandbox. */
  close(how?: "atOnce"): Promise<void>;
}

export interface Boundary {
  readonly kind: BoundaryKind;
  /** What works on this machine, what does not, why, and the fix. Never throws. */
  probe(): Promise<ProbeReport>;
  /** Builds every promised wall or rejects (WALL_UNAVAILABLE, PATH_RULE_UNENFORCEABLE, SANDBOX_OPEN_FAILED); on rejection nothing is left. INVARIANT I-02 */
  open(spec: SandboxSpec, context: OpenContext): Promise<Sandbox>;
}

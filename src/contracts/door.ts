// What a door (CLI now; library, HTTP, MCP later) can ask for. compose.ts builds it; no door builds anything itself.
import type { AnswerSheet } from "./answer-sheet.ts";
import type { AskPerson } from "./approval.ts";
import type { ArtifactDoor, ArtifactSummary, LeftBehind } from "./artifacts.ts";
import type { CacheDoor } from "./cache-door.ts";
import type { TemplateDoor } from "./template-door.ts";
import type { OutputChunk, ProbeLine, SignalName } from "./boundary.ts";
import type { LimitHit, UsageEvidence } from "./limits.ts";
import type { ChangeSummary, TaskDiff, UndoReport } from "./changes.ts";
import type { Digest } from "./ids.ts";
import type { StoredRecord } from "./ledger.ts";
import type { PlaceJudgement, PlaceQuestion } from "./place-judgement.ts";
import type { PodSecurityReport, PodSecurityRequest } from "./pod-security.ts";
import type { ImportedPolicy, PolicyImportRequest } from "./policy-import.ts";
import type { CompiledPolicy, ConnectionAnswer, PolicyProblem } from "./policy-port.ts";
import type { BrokerServing, ReachedBroker, SharedBroker } from "./reached-broker.ts";
import type { Sentence } from "./sentence.ts";
import type { SettingsDoor } from "./settings-door.ts";
import type { ChallengeReport, Checklist, ProofReport } from "./proof.ts";

/** A policy as it holds on this machine. */
export interface EffectivePolicy extends CompiledPolicy {
  /** Entries of allowRead and allowWrite, absolute, that open nothing, because who wrote them may only narrow: see `PathPolicy.openedWithin`. */
  readonly withheld: readonly string[];
}

/** Which documents make the policy of a call, besides built-in, system, user and project files. */
export interface PolicySelection {
  /** Where the task starts; its `glovebox.yaml` / `.glovebox/policy.yaml` is the project policy. Absolute. */
  readonly projectDirectory: string;
  /** `--policy FILE`: stands in the place of the user file's strength (flags). */
  readonly policyFile?: string;
  /** A whole document that stands in no file, in the same place; `label` names it in findings. */
  readonly document?: { readonly label: string; readonly text: string };
  /** Flags as a fragment of a policy document, e.g. `{filesystem: {allowWrite: ["."]}}`. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

export interface RunRequest {
  readonly policy: PolicySelection;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The environment the caller holds; only what the policy passes is taken from it. */
  readonly callerEnvironment: Readonly<Record<string, string | undefined>>;
  /** Files and directories of the host, absolute, of which the command gets copies to read at INPUT_DIR. Absent: none. Never outside. */
  readonly inputs?: readonly string[];
  /** Outside any sandbox: by the entry of the policy that is named, or as it is. Always asked of a person. */
  readonly outside?: { readonly entry: string | undefined };
  /** A terminal inside, when the caller has one and asked for it. */
  readonly pty?: { readonly rows: number; readonly columns: number };
}

/** How a running command and its caller reach each other. */
export interface RunIo {
  readonly signal: AbortSignal;
  /** Bytes for the command's stdin; undefined gives it an empty one. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Digest of all of `stdin`, where the caller holds the whole of it already: then an approval covers it. */
  readonly stdinDigest?: Digest;
  /** How to ask a person. Absent: nobody can be asked, and what would ask is refused. */
  readonly ask?: AskPerson;
  /** Called when a person elsewhere is asked about the command. */
  onAsked?(approval: string): void;
  /** Resolves when the caller has taken the bytes; that is the back-pressure. */
  onOutput(chunk: OutputChunk): Promise<void>;
  /** Called once, when the command runs: gives the caller the way to pass signals and terminal sizes on. */
  onStart(control: { signal(name: SignalName): void; resize(size: { readonly rows: number; readonly columns: number }): void }): void;
}

export type RunOutcome = "ok" | "failed" | "denied" | "limit" | "timeout" | "cancelled" | "lost";

export interface RunResult {
  readonly task: string;
  readonly action: string;
  readonly policyHash: string;
  readonly outcome: RunOutcome;
  /** What the process of the door should exit with, by the rule of docs/formats.md, "Exit codes". */
  readonly exitCode: number;
  /** The child's own end, when it ran. */
  readonly child:
    | {
        readonly kind: "exited" | "signalled" | "not-started" | "lost";
        readonly value: number;
        /** Of `not-started`: the start directory, the number of processes or the output directory is what failed, not the program. */
        readonly stage?: "directory" | "processes" | "output";
      }
    | undefined;
  readonly limitHits: readonly LimitHit[];
  /** Why it ended when that was not the command's own choice. */
  readonly notes: readonly Sentence[];
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly durationMs: number;
  /** What the host saw the command use; undefined where it could not see. */
  readonly usage: UsageEvidence | undefined;
  /** Absent when nothing changed in the write roots. */
  readonly changes?: ChangeSummary;
  /** Absent when it handed nothing back. */
  readonly artifacts?: ArtifactSummary;
  /** What it wrote elsewhere in a container, and ended with it; absent when there was nothing. */
  readonly leftBehind?: LeftBehind;
  /** What the policy's presets left out or did not follow; absent when there is nothing to say. */
  readonly presetNotes?: readonly Sentence[];
  readonly ledger: { readonly firstSeq: number; readonly lastSeq: number };
  /** What was refused, and the change of the policy that would allow it. */
  readonly refusedConnections: readonly Sentence[];
  readonly sheet: AnswerSheet;
}

export interface DoctorReport {
  readonly usable: boolean;
  readonly sections: readonly { readonly name: string; readonly lines: readonly ProbeLine[] }[];
}

export interface VerifyReport {
  /** 0 ok, 1 altered, 2 truncated, 3 unknown key, 4 gap, 5 torn write (recovered or not yet), 6 unreadable (docs/formats.md, "Exit codes"). */
  readonly exit: 0 | 1 | 2 | 3 | 4 | 5 | 6;
  readonly records: number;
  readonly treeHeads: number;
  readonly root: string;
  /** What is wrong, each naming segment and sequence number. */
  readonly findings: readonly {
    readonly exit: number;
    readonly segment: string;
    readonly seq: number;
    readonly situation: string;
    readonly values: Readonly<Record<string, string | number>>;
  }[];
}

/** Of a past task; `paths` are absolute, none means all. */
export interface ChangesSelection {
  readonly task: string;
  readonly paths: readonly string[];
  /** The number of one of its checkpoints: only what the task changed after it. */
  readonly since?: number;
}

export interface AbandonedTask {
  readonly task: string;
  /** Absent when its broker was gone before it had one. */
  readonly sandbox?: string;
}

export interface TrustedPolicy {
  readonly file: string;
  readonly digest: string;
}

export interface Door {
  /** The broker that holds sandboxes which outlive a command; started when none runs. @throws BROKER_UNAVAILABLE, BROKER_VERSION */
  reachBroker(): Promise<SharedBroker>;
  /** A broker of this process alone, for whoever wants no other. */
  holdBroker(): ReachedBroker;
  /** @throws SANDBOX_UNKNOWN when none runs, and like `reachBroker` */
  reachRunningBroker(): Promise<SharedBroker>;
  /** Undefined when none runs. @throws BROKER_UNAVAILABLE, BROKER_VERSION */
  findBroker(): Promise<SharedBroker | undefined>;
  /** Ends the broker that runs, if one does, and every sandbox that it holds; also one of another version. @throws BROKER_UNAVAILABLE, BROKER_VERSION */
  stopBroker(): Promise<void>;
  /** Is that broker until nobody needs it. @returns false when another is. */
  serveBroker(serving: BrokerServing): Promise<boolean>;
  /** Removes what tasks left whose broker is gone, as every start does. @returns those tasks @param options `isDry`: only tells */
  pruneTasks(options: { readonly isDry: boolean }): Promise<readonly AbandonedTask[]>;
  /** Throws GloveboxError when nothing was started; otherwise resolves with the result, whatever the child did. */
  run(request: RunRequest, io: RunIo): Promise<RunResult>;
  doctor(): Promise<DoctorReport>;
  explainPolicy(selection: PolicySelection): Promise<AnswerSheet>;
  /** @param place canonical */
  explainConnection(selection: PolicySelection, place: { readonly host: string; readonly port: number }): Promise<ConnectionAnswer>;
  /** The answer sheet's claims, probed in a throw-away project under this policy. @throws what `run` throws when a sandbox does not open */
  prove(selection: PolicySelection): Promise<ProofReport>;
  /**
   * Runs a script (absolute) in a throw-away tree without our walls, then behind them. The caller has obtained consent to the first.
   * @throws what `run` throws when the policy does not let it run
   */
  challenge(selection: PolicySelection, options: { readonly script: string; readonly ask?: AskPerson }): Promise<ChallengeReport>;
  /** Ten points about running an agent's commands, each with evidence made now. @throws like `prove` */
  checklist(selection: PolicySelection): Promise<Checklist>;
  /** @throws TASK_UNKNOWN */
  explainTask(task: string): Promise<AnswerSheet>;
  /** What a task changed, against what lies there now. No entries when it changed nothing. @throws TASK_UNKNOWN, CHANGES_EXPIRED, USAGE_INVALID */
  diff(request: ChangesSelection & { readonly isBrief: boolean }): Promise<TaskDiff>;
  /** Puts files back as they were before a task. @throws CHANGES_EDITED, CHANGES_NOT_KEPT and what `diff` throws; then nothing was touched */
  undo(request: ChangesSelection & { readonly isPartial: boolean }): Promise<UndoReport>;
  /** Files that tasks handed back. */
  readonly artifacts: ArtifactDoor;
  /** Package caches of projects. */
  readonly caches: CacheDoor;
  /** What containers start from. */
  readonly templates: TemplateDoor;
  /** What was replaced in the settings of other tools. */
  readonly settings: SettingsDoor;
  /** The effective policy of a selection. @throws POLICY_* */
  policy(selection: PolicySelection): Promise<EffectivePolicy>;
  /** Whether a place may be touched on the host in an agent's name. @throws POLICY_* */
  judgePlace(selection: PolicySelection, question: PlaceQuestion): Promise<PlaceJudgement>;
  /** The settings of another tool as a policy. @throws POLICY_* for the file and for what cannot be taken over */
  importPolicy(request: PolicyImportRequest): Promise<ImportedPolicy>;
  /** A file of Kubernetes objects or an OCI runtime spec, by the Pod Security Standards. @throws SPEC_UNREADABLE */
  judgePodSecurity(request: PodSecurityRequest): Promise<PodSecurityReport>;
  /** All problems of one file, none thrown. */
  checkPolicyFile(file: string, projectDirectory: string): Promise<readonly PolicyProblem[]>;
  /** Pins the hash of the project's policy file in the user's state. */
  trustPolicy(projectDirectory: string): Promise<TrustedPolicy>;
  policySchema(): unknown;
  /** Newest first. */
  records(filter: { readonly task?: string; readonly limit: number }): Promise<readonly StoredRecord[]>;
  record(seq: number): Promise<StoredRecord>;
  verify(options: { readonly directory?: string; readonly publicKeyFile?: string }): Promise<VerifyReport>;
}

// The seven answers about one task, from what was recorded of it. Nothing here looks at the machine: the record is the source.
import type { AnswerSheet, Question } from "../contracts/answer-sheet.ts";
import type { LeftBehind } from "../contracts/artifacts.ts";
import type { LateMasks, RefusedCall, RefusedCalls, WallReport } from "../contracts/boundary.ts";
import type { RunOutcome } from "../contracts/door.ts";
import type { GivenInput } from "../contracts/inputs.ts";
import type { LimitHit, LimitMechanism, UsageEvidence } from "../contracts/limits.ts";
import type { ResolvedPreset } from "../contracts/preset.ts";
import type { Sentence } from "../contracts/sentence.ts";
import { showBytes, showDuration } from "../kit/show-quantity.ts";
import type { ChangeSummary } from "../contracts/changes.ts";
import { cacheDaysMax } from "./caches/cache-store.ts";
import { trafficLines } from "./connection-lines.ts";
import type { TaskTraffic } from "./task-egress.ts";
import { wellFormedByteText } from "../kit/byte-text.ts";
import { quoteArgument } from "../kit/escape-text.ts";

/** `open`: asked, and the broker ended before it recorded an answer. */
export interface AnsweredApproval {
  readonly id: string;
  readonly answer: "granted" | "refused" | "expired" | "withdrawn" | "open";
}

export interface SandboxCommandView {
  readonly argv: readonly string[];
  /** `open`: the broker ended before it recorded a result. */
  readonly outcome: RunOutcome | "refused" | "open";
}

/** Of all its commands together. */
export interface TaskArtifactsView {
  readonly count: number;
  readonly bytes: number;
  /** Directories, links, what was too large or one too many. */
  readonly others: number;
  /** What some command handed back could not be looked at whole. */
  readonly isWhole: boolean;
  readonly keptUntil: string;
}

/** What its commands wrote elsewhere in a container. */
export interface TaskLeftView {
  readonly count: number;
  /** False: there may have been more. */
  readonly isWhole: boolean;
  readonly first: readonly { readonly path: string; readonly bytes: number }[];
}

/** Of one command. */
export function leftBehindView(left: LeftBehind | undefined): TaskLeftView | undefined {
  return left === undefined
    ? undefined
    : { ...left, first: left.first.map(({ path, bytes }) => ({ path: wellFormedByteText(path), bytes })) };
}

/** What the record of one task says. A part that was not reached is undefined. */
export interface TaskView {
  readonly task: string;
  readonly policyHash: string;
  readonly verdict: string;
  readonly request: { readonly argv: readonly string[]; readonly cwd: string } | undefined;
  /** Of a sandbox that outlives its commands: all of them, in order. */
  readonly commands?: readonly SandboxCommandView[];
  readonly approvals: readonly AnsweredApproval[];
  readonly walls: WallReport | undefined;
  /** What it was given to read. */
  readonly inputs: readonly GivenInput[];
  /** The presets of its policy, as they were resolved when it began. */
  readonly presets: readonly Pick<ResolvedPreset, "name" | "sources">[];
  /** It ran outside any sandbox: no wall held it. */
  readonly isUnsandboxed: boolean;
  /** Error code when the sandbox could not be opened. */
  readonly refusal: string | undefined;
  readonly ending:
    | {
        readonly outcome: RunOutcome;
        readonly child: { readonly kind: string; readonly value: number };
        readonly limitHits: readonly LimitHit[];
        readonly stdoutBytes: number;
        readonly stderrBytes: number;
        readonly durationMs: number;
        readonly usage: UsageEvidence | undefined;
        readonly changes?: ChangeSummary;
      }
    | undefined;
  /** Files that its commands handed back; undefined when there were none. */
  readonly artifacts: TaskArtifactsView | undefined;
  /** Files that they wrote elsewhere in a container; undefined when there were none. */
  readonly leftBehind: TaskLeftView | undefined;
  /** Of a task without an ending of its own: a sandbox that outlives its commands. */
  readonly changes?: ChangeSummary | undefined;
  /** What the mediator refused. */
  readonly refusedCalls: RefusedCalls;
  /** What a rule denies and appeared while the sandbox was open. */
  readonly lateMasks: LateMasks;
  /** What it did with the network; undefined when nothing. */
  readonly traffic: TaskTraffic | undefined;
  /** True when a later start found the task abandoned and cleaned up. */
  readonly wasReaped: boolean;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** ISO date until which the record is kept; undefined when the task's details were erased. */
  readonly keptUntil: string | undefined;
}

type Lines = readonly Sentence[];

const say = (key: string, values: Readonly<Record<string, string | number>> = {}): Sentence => ({ key, values });

function listed(key: string, emptyKey: string, paths: readonly string[]): Lines {
  return paths.length === 0 ? [say(emptyKey)] : paths.map((path) => say(key, { path }));
}

/** Where the openings of presets come from. */
function presetLines({ presets }: Pick<TaskView, "presets">): Lines {
  return presets.flatMap(({ name, sources }) =>
    sources.map(({ value, what, source }) => say("preset.sheet.source", { preset: name, value, what, source })),
  );
}

/** What it shares with other tasks. INVARIANT I-16 */
function cacheLines({ caches }: WallReport): Lines {
  return caches === undefined ? [] : [say("task.shared.caches", { names: caches.names.join(", ") })];
}

const inputKeys: Readonly<Record<GivenInput["kind"], string>> = { file: "task.read.input-file", directory: "task.read.input-directory" };

function inputLines({ inputs }: Pick<TaskView, "inputs">): Lines {
  return inputs.map(({ kind, name, files, bytes, sha256, from }) =>
    say(inputKeys[kind], { name: wellFormedByteText(name), from: wellFormedByteText(from), files, bytes: showBytes(bytes), sha256 }),
  );
}

function writeLines({ writes, private: own }: WallReport): Lines {
  if (own === undefined) return listed("task.write.path", "task.write.nothing", writes);
  return [...own.map((path) => say("task.write.private", { path })), say("task.write.rest")];
}

function notOpened(): Lines {
  return [say("task.not-opened")];
}

function identity(walls: WallReport): Lines {
  const { hostUid, insideUid, capabilities } = walls.identity;
  const names =
    capabilities.length === 0
      ? say("task.identity.no-capabilities")
      : say("task.identity.capabilities", { names: capabilities.join(", ") });
  return [say("task.identity.uid", { hostUid, insideUid }), names];
}

const refusedKeys: Readonly<Record<RefusedCall["rule"], string>> = {
  listedName: "task.happened.refused-call.listed-name",
  gitConfig: "task.happened.refused-call.git-config",
  gitHook: "task.happened.refused-call.git-hook",
  gitPointer: "task.happened.refused-call.git-pointer",
  gitPointerUnwritten: "task.happened.refused-call.git-pointer-unwritten",
  gitStructure: "task.happened.refused-call.git-structure",
  device: "task.happened.refused-call.device",
  folding: "task.happened.refused-call.folding",
  listedPath: "task.happened.refused-call.listed-path",
  hostSocket: "task.happened.refused-call.host-socket",
  crowded: "task.happened.refused-call.crowded",
  deniedRead: "task.happened.refused-call.denied-read",
  outside: "task.happened.refused-call.outside",
  noNetwork: "task.happened.refused-call.no-network",
};

/** Enough to see what it was about; the record has the rest. */
const refusedShown = 5;

function refusedCalls({ total, first }: TaskView["refusedCalls"]): Lines {
  const alike = new Map(first.map((refused) => [`${refused.call} ${refused.rule} ${refused.path}`, refused]));
  const shown = [...alike.values()].slice(0, refusedShown).map(({ call, rule, path }) => say(refusedKeys[rule], { call, path }));
  return total > shown.length ? [...shown, say("task.happened.refused-more", { count: total - shown.length })] : shown;
}

const approvalKeys: Readonly<Record<AnsweredApproval["answer"], string>> = {
  granted: "task.happened.approval-granted",
  refused: "task.happened.approval-refused",
  expired: "task.happened.approval-expired",
  withdrawn: "task.happened.approval-withdrawn",
  open: "task.happened.approval-open",
};
function countWords(counts: ChangeSummary["counts"]): Readonly<Record<string, number>> {
  const { created, changed, deleted, mode, replaced, renamed } = counts;
  return { created, changed: changed + replaced, deleted, mode, renamed };
}

/** What changed in the write roots, and what of it the host will run. */
function changedFiles({ task }: TaskView, changes: ChangeSummary | undefined): Lines {
  if (changes === undefined) return [];
  const { counts, runsLater, quarantined } = changes;
  const rest = counts.runsLater - Math.min(counts.runsLater, refusedShown);
  return [
    say("task.happened.changes", { ...countWords(counts), task }),
    ...runsLater.slice(0, refusedShown).map((path) => say("task.happened.runs-later", { path: wellFormedByteText(path) })),
    ...(rest > 0 ? [say("task.happened.runs-later-more", { count: rest })] : []),
    ...(counts.missed > 0 ? [say("task.happened.changes-missed", { count: counts.missed })] : []),
    ...(counts.quarantined > 0 ? [say("task.happened.quarantined", { count: counts.quarantined })] : []),
    ...quarantined.map((path) => say("task.happened.quarantined-path", { path: wellFormedByteText(path) })),
  ];
}

function handedBack({ artifacts, task }: TaskView): Lines {
  if (artifacts === undefined) return [];
  const { count, bytes, others, isWhole } = artifacts;
  return [
    ...(count > 0 ? [say("task.happened.artifacts", { count, bytes: showBytes(bytes), task })] : []),
    ...(others > 0 ? [say("task.happened.artifacts-others", { count: others, task })] : []),
    ...(isWhole ? [] : [say("task.happened.artifacts-broken")]),
  ];
}

const leftShown = 5;

function leftBehind({ leftBehind: left }: TaskView): Lines {
  if (left === undefined) return [];
  const { count, isWhole, first } = left;
  if (count === 0) return isWhole ? [] : [say("task.happened.left-behind-unseen")];
  return [
    say(isWhole ? "task.happened.left-behind" : "task.happened.left-behind-at-least", { count }),
    ...first.slice(0, leftShown).map(({ path, bytes }) => say("task.happened.left-behind-file", { path, bytes: showBytes(bytes) })),
  ];
}

function lateMasks({ total, longestUs, behind, trouble, first }: LateMasks): Lines {
  const shown = first.slice(0, refusedShown).map(({ path, rule, windowUs }) => say("task.happened.late-mask", { path, rule, windowUs }));
  return [
    ...shown,
    ...(total > shown.length ? [say("task.happened.late-mask-more", { count: total - shown.length, longestUs })] : []),
    ...(behind > 0 ? [say("task.happened.masks-behind", { count: behind })] : []),
    ...(trouble === undefined ? [] : [say("task.happened.masks-broken"), trouble]),
  ];
}

/** More are in the ledger. */
const commandsShown = 20;

function commandLines({ commands, task }: TaskView): Lines {
  if (commands === undefined) return [];
  const rest = commands.length - commandsShown;
  return [
    say("task.happened.sandbox", { count: commands.length }),
    ...commands
      .slice(-commandsShown)
      .map(({ argv, outcome }) => say("task.happened.sandbox-command", { command: argv.map(quoteArgument).join(" "), outcome })),
    ...(rest > 0 ? [say("task.happened.sandbox-more", { count: rest, task })] : []),
  ];
}

function happened(view: TaskView): Lines {
  const lines: Sentence[] = [...commandLines(view)];
  if (view.request !== undefined) {
    lines.push(say("task.happened.command", { command: view.request.argv.map(quoteArgument).join(" "), cwd: view.request.cwd }));
  }
  lines.push(say("task.happened.verdict", { verdict: view.verdict }));
  lines.push(...view.approvals.map(({ id, answer }) => say(approvalKeys[answer], { approval: id })));
  if (view.refusal !== undefined) lines.push(say("task.happened.refused", { code: view.refusal }));
  if (view.wasReaped) lines.push(say("task.happened.reaped"));
  lines.push(...refusedCalls(view.refusedCalls), ...lateMasks(view.lateMasks), ...trafficLines(view.traffic));
  const { ending } = view;
  if (ending === undefined) return [...lines, ...handedBack(view), ...leftBehind(view), ...changedFiles(view, view.changes)];
  lines.push(say(`task.happened.${ending.child.kind}`, { value: ending.child.value, durationMs: ending.durationMs }));
  for (const hit of ending.limitHits)
    lines.push(say("task.happened.limit", { limit: hit.limit, allowed: hit.allowed, observed: hit.observed }));
  if (ending.usage !== undefined) {
    const { cpuMs, peakMemoryBytes, peakProcesses } = ending.usage;
    lines.push(say("task.happened.usage", { cpu: showDuration(cpuMs), memory: showBytes(peakMemoryBytes), processes: peakProcesses }));
  }
  lines.push(say("task.happened.output", { stdoutBytes: ending.stdoutBytes, stderrBytes: ending.stderrBytes }));
  lines.push(...handedBack(view), ...leftBehind(view), ...changedFiles(view, ending.changes));
  return lines;
}

function heldLimit({ limit, mechanism, strength, overshoot }: LimitMechanism): Sentence {
  if (strength === "supervised" && overshoot !== undefined) return say("task.held.limit-overshoot", { limit, mechanism, overshoot });
  return say(`task.held.limit-${strength}`, { limit, mechanism });
}

/** What a layer that is simply on does, in words; others say more by their detail. */
const layerKeys: Readonly<Record<string, string>> = {
  nestedNamespaces: "task.held.nested-namespaces",
  descriptors: "task.held.descriptors",
  noNewPrivs: "task.held.no-new-privs",
  capabilities: "task.held.capabilities",
  rlimits: "task.held.rlimits",
  seccomp: "task.held.seccomp",
  mediation: "task.held.mediation",
};

function heldLayer({ name, detail }: WallReport["layers"][number]): Sentence {
  const key = detail === "on" ? layerKeys[name] : undefined;
  return key === undefined ? say("task.held.layer", { name, detail }) : say(key);
}

function held(walls: WallReport): Lines {
  return [...walls.layers.map(heldLayer), ...walls.limits.map(heldLimit)];
}

function kept({ task, firstSeq, lastSeq, keptUntil, ending, changes: ofTask, artifacts, walls }: TaskView): Lines {
  const record =
    keptUntil === undefined
      ? say("task.kept.erased", { firstSeq, lastSeq })
      : say("task.kept.record", { firstSeq, lastSeq, until: keptUntil });
  const changes = ending?.changes ?? ofTask;
  const caches = walls?.caches;
  const more = [
    ...(artifacts === undefined || artifacts.count === 0 ? [] : [say("task.kept.artifacts", { until: artifacts.keptUntil, task })]),
    ...(changes === undefined ? [] : [say("task.kept.before", { until: changes.keptUntil, task })]),
    ...(caches === undefined ? [] : [say("task.kept.caches", { cache: caches.id, days: cacheDaysMax })]),
  ];
  return more.length > 0 ? [record, ...more] : [record, say("task.kept.nothing-else")];
}

type Answers = readonly (readonly [Question, Lines])[];

/** No wall held it: every answer is what the user may do. */
function unsandboxedAnswers(view: TaskView, walls: WallReport): Answers {
  const { hostUid } = walls.identity;
  return [
    ["read", [say("task.outside.read", { hostUid })]],
    ["write", [say("task.outside.write", { hostUid })]],
    ["connect", [say("task.outside.connect")]],
    ["identity", [say("task.outside.identity", { hostUid })]],
    ["happened", [say("task.outside.happened"), ...happened(view)]],
    ["kept", [...kept(view).slice(0, 1), say("task.outside.kept")]],
    ["held", [say("task.outside.held"), ...walls.limits.map(heldLimit)]],
  ];
}

function sandboxedAnswers(view: TaskView, walls: WallReport): Answers {
  return [
    [
      "read",
      [
        ...listed("task.read.path", "task.read.nothing", [...walls.writes, ...walls.reads]),
        ...inputLines(view),
        ...cacheLines(walls),
        ...walls.hidden.map((path) => say("task.read.hidden", { path })),
      ],
    ],
    ["write", [...writeLines(walls), ...cacheLines(walls)]],
    ["connect", [...listed("task.connect.target", "task.connect.nothing", walls.connects), ...presetLines(view)]],
    ["identity", identity(walls)],
    ["happened", happened(view)],
    ["kept", kept(view)],
    ["held", held(walls)],
  ];
}

function unopenedAnswers(view: TaskView): Answers {
  return [
    ["read", notOpened()],
    ["write", notOpened()],
    ["connect", notOpened()],
    ["identity", notOpened()],
    ["happened", happened(view)],
    ["kept", kept(view)],
    ["held", notOpened()],
  ];
}

/** All seven answers, in the order of the questions. */
export function taskAnswerSheet(view: TaskView): AnswerSheet {
  const { walls } = view;
  const opened = view.isUnsandboxed ? unsandboxedAnswers : sandboxedAnswers;
  const answers = walls === undefined ? unopenedAnswers(view) : opened(view, walls);
  return {
    subject: { kind: "task", id: view.task, policyHash: view.policyHash },
    answers: answers.map(([question, lines]) => ({ question, lines })),
  };
}

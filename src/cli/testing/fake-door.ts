// A door for tests: every method answers from a fixed value or from what the test puts in its place, and remembers what it was asked.
import type { AnswerSheet } from "../../contracts/answer-sheet.ts";
import { noChanges } from "../../contracts/changes.ts";
import type { Door, DoctorReport, EffectivePolicy, RunResult, VerifyReport } from "../../contracts/door.ts";
import { digestSchema, taskIdSchema } from "../../contracts/ids.ts";
import type { PodSecurityReport } from "../../contracts/pod-security.ts";
import type { ImportedPolicy } from "../../contracts/policy-import.ts";
import type { StoredRecord } from "../../contracts/ledger.ts";
import type { ChallengeReport, Checklist, Proof, ProofReport } from "../../contracts/proof.ts";
import type { TemplateEntry } from "../../contracts/template-door.ts";
import { fakeBroker } from "../../contracts/testing/fake-broker.ts";
import { smallLimits } from "../../contracts/testing/limits.ts";

export const fakeTask = taskIdSchema.parse("t-0193f0c2a1b2-4d5e6f708192");
const hash = digestSchema.parse(`sha256:${"ab".repeat(32)}`);

export const fakeTemplate: TemplateEntry = {
  name: "base",
  id: `sha256:${"cd".repeat(32)}`,
  architecture: "amd64",
  built: "2026-01-02T03:04:05.000Z",
  files: 3,
  bytes: 4096,
  packages: ["dash 0.5", "libc6 2.36"],
  removed: ["etc/machine-id"],
};

const questions = ["read", "write", "connect", "identity", "happened", "kept", "held"] as const;

/** Seven answers; the first has two lines with the given path in it. */
export function fakeSheet(path = "/home/ada/project"): AnswerSheet {
  return {
    subject: { kind: "task", id: fakeTask, policyHash: hash },
    answers: questions.map((question) => ({
      question,
      lines:
        question === "read"
          ? [
              { key: "task.read.path", values: { path } },
              { key: "task.read.hidden", values: { path } },
            ]
          : [{ key: "task.connect.nothing" }],
    })),
  };
}

export function fakeResult(changes: Partial<RunResult> = {}): RunResult {
  return {
    task: fakeTask,
    action: "a-0193f0c2a1b2-4d5e6f708192",
    policyHash: hash,
    outcome: "ok",
    exitCode: 0,
    child: { kind: "exited", value: 0 },
    limitHits: [],
    notes: [],
    stdoutBytes: 0,
    stderrBytes: 0,
    durationMs: 1234,
    usage: undefined,
    refusedConnections: [],
    ledger: { firstSeq: 12, lastSeq: 16 },
    sheet: fakeSheet(),
    ...changes,
  };
}

export function fakeRecord(changes: Partial<StoredRecord> = {}): StoredRecord {
  return {
    seq: 12,
    ts: "2025-11-29T17:23:05.123Z",
    type: "policy.decision",
    task: fakeTask,
    action: "a-0193f0c2a1b2-4d5e6f708192",
    policy: hash,
    body: { kind: "command", verdict: "allow" },
    detail: { argv: ["npm", "test"], cwd: "/home/ada/project" },
    ...changes,
  };
}

export const fakeDoctorReport: DoctorReport = {
  usable: true,
  sections: [
    { name: "process", lines: [{ name: "bubblewrap", state: "works", detail: "0.8.0 /usr/bin/bwrap", fix: undefined, required: true }] },
    { name: "later", lines: [{ name: "gate", state: "not-built", detail: "", fix: undefined, required: false }] },
  ],
};

export const fakeProof: Proof = {
  id: "write.outside",
  question: "write",
  claim: { key: "proof.claim.write-outside" },
  probe: { key: "proof.probe.write", values: { path: "/tmp/beside" } },
  inside: { key: "proof.inside.answered", values: { answer: "ENOENT" } },
  host: { key: "proof.host.unchanged", values: { path: "/tmp/beside" } },
  verdict: "held",
  heldBy: ["bubblewrap", "landlock"],
  missing: [],
};

export const fakeProofReport: ProofReport = { holds: true, policyHash: hash, task: fakeTask, proofs: [fakeProof], missingWalls: [] };

export const fakeChecklist: Checklist = {
  holds: true,
  policyHash: hash,
  points: [
    { number: 1, title: { key: "checklist.title.broker" }, verdict: "held", evidence: [{ key: "checklist.outside-recorded" }] },
    { number: 2, title: { key: "checklist.title.tenants" }, verdict: "not-built", evidence: [{ key: "checklist.shared-kernel" }] },
  ],
};

export const fakeChallenge: ChallengeReport = {
  holds: true,
  policyHash: hash,
  task: fakeTask,
  exitCode: 0,
  targets: [
    {
      id: "victim",
      what: { key: "challenge.target.victim" },
      outside: true,
      inside: false,
      verdict: "held",
      heldBy: ["bubblewrap", "landlock"],
    },
  ],
  projectChanges: { outside: 1, inside: 1 },
  refused: [],
};

export const fakeVerifyReport: VerifyReport = { exit: 0, records: 123, treeHeads: 4, root: "cd".repeat(32), findings: [] };

export function fakePolicy(): EffectivePolicy {
  return {
    hash,
    withheld: [],
    document: { apiVersion: "glovebox/v1", filesystem: { allowWrite: ["."], denyRead: [] }, limits: { returned: 16 } },
    origins: ["built-in", "flags"],
    valueOrigins: new Map([["filesystem.allowWrite", "flags"]]),
    boundary: "process",
    runtime: "runc",
    template: undefined,
    artifacts: { count: 1, bytes: 1 },
    containerExpiresMs: 1,
    paths: { readDefault: "system", allowRead: [], denyRead: [], allowWrite: [], denyWrite: [] },
    environment: { pass: [], set: {}, homeFiles: {} },
    caches: [],
    limits: { ...smallLimits, returnedBytes: 16 },
    approval: "auto-allow",
    egress: { rules: [], unruled: "deny", local: [], sentBytes: 1, connections: 0 },
    presets: [],
    allowUnsandboxed: false,
    nestedNamespaces: false,
    outside: [],
    approvals: [],
    pendingApprovals: 20,
    retentionDays: 400,
    auditArgv: "redacted",
    decide: () => ({ verdict: "allow", ruleId: undefined, reasonCode: "default", reason: "" }),
  };
}

export const fakeImport: ImportedPolicy = {
  document: { apiVersion: "glovebox/v1", filesystem: { allowWrite: ["."] } },
  yaml: "apiVersion: glovebox/v1\nfilesystem:\n  allowWrite:\n    - .\n",
  notes: [{ kind: "refused", key: "network.httpProxyPort", line: 3, reason: { key: "import.reason.other-proxy", values: {} } }],
};

export const fakePodSecurity: PodSecurityReport = {
  file: "/usr/pod.yaml",
  level: "restricted",
  isStandardOnly: false,
  objects: [
    {
      kind: "Pod",
      name: "web",
      document: 0,
      isJudged: true,
      violations: [
        {
          control: "hostNamespaces",
          level: "baseline",
          title: { key: "pod-security.control.host-namespaces" },
          rule: { key: "pod-security.rule.absent-or-false" },
          path: "spec.hostPID",
          line: 7,
          value: "true",
          patch: [{ op: "remove", path: "/spec/hostPID" }],
        },
        {
          control: "mutableImage",
          level: "beyond",
          title: { key: "pod-security.control.image" },
          rule: { key: "pod-security.rule.digest" },
          path: "spec.containers[0].image",
          line: 9,
          value: "web\u0007:latest",
          patch: [],
        },
      ],
    },
    { kind: "Service", name: "web", document: 1, isJudged: false, violations: [] },
  ],
  patches: [{ document: 0, patch: [{ op: "remove", path: "/spec/hostPID" }] }],
};

export interface FakeDoor extends Door {
  /** Method name and arguments of every call. */
  readonly calls: readonly { readonly method: string; readonly values: readonly unknown[] }[];
}

const fixedAnswers: Door = {
  run: async () => fakeResult(),
  reachBroker: async () => fakeBroker(),
  reachRunningBroker: async () => fakeBroker(),
  holdBroker: () => fakeBroker(),
  findBroker: async () => undefined,
  pruneTasks: async () => [],
  stopBroker: async () => {},
  serveBroker: async () => true,
  doctor: async () => fakeDoctorReport,
  explainPolicy: async () => ({ ...fakeSheet(), subject: { kind: "policy", hash } }),
  explainConnection: async () => ({ verdict: "deny", lines: [] }),
  explainTask: async () => fakeSheet(),
  prove: async () => fakeProofReport,
  checklist: async () => fakeChecklist,
  challenge: async () => fakeChallenge,
  policy: async () => fakePolicy(),
  judgePlace: async () => "open",
  importPolicy: async () => fakeImport,
  judgePodSecurity: async () => fakePodSecurity,
  checkPolicyFile: async () => [],
  trustPolicy: async (projectDirectory) => ({ file: `${projectDirectory}/glovebox.yaml`, digest: hash }),
  policySchema: () => ({ type: "object" }),
  diff: async ({ task }) => ({ task, entries: [], counts: noChanges }),
  undo: async ({ task }) => ({ task, restored: [], unchanged: [], refused: [] }),
  artifacts: {
    list: async () => [],
    open: async () => ({ artifact: { name: "a", bytes: 0, sha256: "00".repeat(32), mediaType: "text/plain", offset: 0 }, parts: [] }),
    verify: async () => [],
  },
  caches: { list: async () => [], remove: async (ids) => ids },
  templates: {
    list: async () => [fakeTemplate],
    show: async () => fakeTemplate,
    verify: async () => ({ name: "base", id: fakeTemplate.id, differences: [] }),
    build: async ({ onStep }) => (onStep("lists"), fakeTemplate),
    remove: async (names) => names,
  },
  settings: { find: async () => undefined, keep: async () => {}, forget: async () => {} },
  records: async () => [fakeRecord()],
  record: async (seq) => fakeRecord({ seq }),
  verify: async () => fakeVerifyReport,
};

/** @param replaced methods with an own answer */
export function createFakeDoor(replaced: Partial<Door> = {}): FakeDoor {
  const calls: { method: string; values: readonly unknown[] }[] = [];
  const answers: Door = { ...fixedAnswers, ...replaced };
  const note = (method: keyof Door, ...values: readonly unknown[]): void => void calls.push({ method, values });
  return {
    calls,
    run: (request, io) => (note("run", request), answers.run(request, io)),
    reachBroker: () => (note("reachBroker"), answers.reachBroker()),
    holdBroker: () => (note("holdBroker"), answers.holdBroker()),
    reachRunningBroker: () => (note("reachRunningBroker"), answers.reachRunningBroker()),
    findBroker: () => (note("findBroker"), answers.findBroker()),
    pruneTasks: (options) => (note("pruneTasks", options), answers.pruneTasks(options)),
    stopBroker: () => (note("stopBroker"), answers.stopBroker()),
    serveBroker: (serving) => (note("serveBroker"), answers.serveBroker(serving)),
    doctor: () => (note("doctor"), answers.doctor()),
    explainPolicy: (selection) => (note("explainPolicy", selection), answers.explainPolicy(selection)),
    explainConnection: (selection, place) => (note("explainConnection", selection, place), answers.explainConnection(selection, place)),
    challenge: (selection, options) => (note("challenge", selection, options), answers.challenge(selection, options)),
    checklist: (selection) => (note("checklist", selection), answers.checklist(selection)),
    prove: (selection) => (note("prove", selection), answers.prove(selection)),
    explainTask: (task) => (note("explainTask", task), answers.explainTask(task)),
    policy: (selection) => (note("policy", selection), answers.policy(selection)),
    judgePlace: (selection, question) => (note("judgePlace", selection, question), answers.judgePlace(selection, question)),
    importPolicy: (request) => (note("importPolicy", request), answers.importPolicy(request)),
    judgePodSecurity: (request) => (note("judgePodSecurity", request), answers.judgePodSecurity(request)),
    checkPolicyFile: (file, project) => (note("checkPolicyFile", file, project), answers.checkPolicyFile(file, project)),
    trustPolicy: (project) => (note("trustPolicy", project), answers.trustPolicy(project)),
    policySchema: () => (note("policySchema"), answers.policySchema()),
    diff: (request) => (note("diff", request), answers.diff(request)),
    undo: (request) => (note("undo", request), answers.undo(request)),
    settings: answers.settings,
    artifacts: {
      list: (task) => (note("artifacts", task), answers.artifacts.list(task)),
      open: (selection) => (note("artifacts", selection), answers.artifacts.open(selection)),
      verify: (task) => (note("artifacts", task), answers.artifacts.verify(task)),
    },
    templates: {
      list: () => (note("templates"), answers.templates.list()),
      show: (name) => (note("templates", name), answers.templates.show(name)),
      verify: (name) => (note("templates", name), answers.templates.verify(name)),
      build: (request) => (note("templates", request.name), answers.templates.build(request)),
      remove: (names) => (note("templates", names), answers.templates.remove(names)),
    },
    caches: { list: () => answers.caches.list(), remove: (ids) => (note("caches", ids), answers.caches.remove(ids)) },
    records: (filter) => (note("records", filter), answers.records(filter)),
    record: (seq) => (note("record", seq), answers.record(seq)),
    verify: (options) => (note("verify", options), answers.verify(options)),
  };
}

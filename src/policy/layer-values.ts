// One policy document as values to merge: flat, typed, in plain units, in canonical spelling. Absent means: this layer says nothing.
import type {
  AcceptedRisk,
  ApprovalRule,
  CommandRule,
  OutsideEntry,
  PolicyDocument,
  PolicyTest,
  PresetName,
} from "../contracts/policy-document.ts";
import type { EgressRule } from "../contracts/egress-rule.ts";
import type { CacheName } from "../contracts/package-caches.ts";
import type { ApprovalMode } from "../contracts/policy-port.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import { approvalMode } from "./approval-mode.ts";
import { ruleInCanonicalSpelling, spellLocalPlace } from "./egress-values.ts";
import { spellPattern } from "./path-pattern.ts";
import { parseDuration, parseSize } from "./units.ts";

export interface PolicyValues {
  readonly name: string;
  readonly description: string;
  readonly floor: boolean;
  readonly boundary: "auto" | "process" | "container";
  /** Of a container. */
  readonly runtime: "runc" | "crun" | "runsc";
  /** Of a container; "": the machine's own programs. */
  readonly template: string;
  readonly approval: ApprovalMode;
  readonly allowUnsandboxed: boolean;
  /** Those that trusted layers name. What they mean stands in the other values. */
  readonly presets: readonly PresetName[];
  readonly nestedNamespaces: boolean;
  /** Sorted by id. */
  readonly outside: readonly OutsideEntry[];
  /** Sorted by id. */
  readonly approvals: readonly ApprovalRule[];
  /** Canonical spellings of path-pattern.ts, sorted, each once. */
  readonly allowRead: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  /** Sorted. */
  readonly caches: readonly CacheName[];
  /** Names, not paths. */
  readonly protectAdd: readonly string[];
  readonly strict: boolean;
  readonly pass: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  readonly homeFiles: Readonly<Record<string, string>>;
  readonly cpuMs: number;
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly processes: number;
  readonly diskBytes: number;
  readonly openFiles: number;
  readonly outputBytes: number;
  readonly returnedBytes: number;
  readonly wallMs: number;
  readonly pendingApprovals: number;
  readonly egressBytes: number;
  readonly egressConnections: number;
  /** Of a container: what one command hands back. */
  readonly artifacts: number;
  readonly artifactBytes: number;
  /** Of a container: how long it can be used by its id. */
  readonly expiresMs: number;
  /** Infinity: no number of refusals stops a task. */
  readonly denials: number;
  /** Sorted by id. */
  readonly commands: readonly CommandRule[];
  /** Sorted by id. */
  readonly egress: readonly EgressRule[];
  /** `host:port`, sorted. */
  readonly allowLocal: readonly string[];
  /** Sorted by what they lift. */
  readonly acceptRisk: readonly AcceptedRisk[];
  readonly auditArgv: "redacted" | "digest";
  readonly retentionDays: number;
  /** Sorted by name. */
  readonly tests: readonly PolicyTest[];
}

export type Field = keyof PolicyValues;
export type LayerValues = { readonly [F in Field]?: PolicyValues[F] };

/** The limits: numbers of which the smaller one is the narrower. */
export const limitFields = [
  "cpuMs",
  "cpuCores",
  "memoryBytes",
  "processes",
  "diskBytes",
  "openFiles",
  "outputBytes",
  "returnedBytes",
  "wallMs",
  "pendingApprovals",
  "egressBytes",
  "egressConnections",
  "artifacts",
  "artifactBytes",
  "expiresMs",
  "denials",
] as const satisfies readonly Field[];

/** Where each value stands in a document. */
export const fieldPaths: Readonly<Record<Field, readonly string[]>> = {
  name: ["metadata", "name"],
  description: ["metadata", "description"],
  floor: ["floor"],
  boundary: ["boundary"],
  runtime: ["container", "runtime"],
  template: ["container", "template"],
  approval: ["approval"],
  allowUnsandboxed: ["allowUnsandboxed"],
  nestedNamespaces: ["nestedNamespaces"],
  outside: ["outside"],
  approvals: ["approvals"],
  presets: ["presets"],
  allowRead: ["filesystem", "allowRead"],
  denyRead: ["filesystem", "denyRead"],
  allowWrite: ["filesystem", "allowWrite"],
  denyWrite: ["filesystem", "denyWrite"],
  caches: ["filesystem", "caches"],
  protectAdd: ["filesystem", "protect", "add"],
  strict: ["filesystem", "strict"],
  pass: ["environment", "pass"],
  set: ["environment", "set"],
  homeFiles: ["environment", "homeFiles"],
  cpuMs: ["limits", "cpuTime"],
  cpuCores: ["limits", "cpuCores"],
  memoryBytes: ["limits", "memory"],
  processes: ["limits", "processes"],
  diskBytes: ["limits", "disk"],
  openFiles: ["limits", "openFiles"],
  outputBytes: ["limits", "output"],
  returnedBytes: ["limits", "returned"],
  wallMs: ["limits", "wall"],
  pendingApprovals: ["limits", "pendingApprovals"],
  egressBytes: ["limits", "egressBytes"],
  egressConnections: ["limits", "egressConnections"],
  artifacts: ["container", "artifacts"],
  artifactBytes: ["container", "artifactBytes"],
  expiresMs: ["container", "expires"],
  denials: ["limits", "denialsBeforeStop"],
  commands: ["commands"],
  egress: ["egress"],
  allowLocal: ["allowLocal"],
  acceptRisk: ["acceptRisk"],
  auditArgv: ["audit", "argv"],
  retentionDays: ["audit", "retention"],
  tests: ["tests"],
};

export const dayMs = 86_400_000;

/** Secrets that lie in projects themselves. Whoever writes exactly this gets exactly this: the document alone says what a policy means. */
export const builtInDenyRead = "~/**/.env";

/** What holds when no file says anything. */
export const builtInValues: PolicyValues = {
  name: "default",
  description: "",
  floor: false,
  boundary: "auto",
  runtime: "runc",
  template: "",
  approval: "auto-allow",
  allowUnsandboxed: false,
  nestedNamespaces: false,
  outside: [],
  approvals: [],
  presets: [],
  allowRead: [],
  denyRead: [builtInDenyRead],
  allowWrite: ["."],
  denyWrite: [],
  caches: [],
  protectAdd: [],
  strict: false,
  pass: ["CI", "LANG", "LC_*", "TERM", "TZ"],
  set: {},
  homeFiles: {},
  cpuMs: 10 * 60_000,
  cpuCores: 2,
  memoryBytes: 2 * 2 ** 30,
  processes: 256,
  diskBytes: 4 * 2 ** 30,
  openFiles: 1024,
  outputBytes: 64 * 2 ** 20,
  returnedBytes: 256 * 2 ** 10,
  wallMs: 15 * 60_000,
  pendingApprovals: 20,
  egressBytes: 50 * 2 ** 20,
  egressConnections: 64,
  artifacts: 1000,
  artifactBytes: 256 * 2 ** 20,
  expiresMs: 30 * dayMs,
  denials: Number.POSITIVE_INFINITY,
  commands: [],
  egress: [],
  allowLocal: [],
  acceptRisk: [],
  auditArgv: "redacted",
  retentionDays: 400,
  tests: [],
};

/** Each once, in UTF-16 order: the order that RFC 8785 uses. */
export function sortedOnce(items: Iterable<string>): readonly string[] {
  return [...new Set(items)].toSorted();
}

/** By a name, then by content; equal items once. */
export function sortedBy<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const byIdentity = new Map(items.map((item) => [JSON.stringify([nameOf(item), canonicalJson(item)]), item]));
  return [...byIdentity.entries()].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, item]) => item);
}

const paths = (texts: readonly string[] | undefined): readonly string[] | undefined =>
  texts === undefined ? undefined : sortedOnce(texts.map(spellPattern));

function testInCanonicalSpelling({ request: { argv, cwd, read, write, connect }, ...test }: PolicyTest): PolicyTest {
  const request = {
    ...(argv === undefined ? {} : { argv }),
    ...(cwd === undefined ? {} : { cwd: spellPattern(cwd) }),
    ...(read === undefined ? {} : { read: spellPattern(read) }),
    ...(write === undefined ? {} : { write: spellPattern(write) }),
    ...(connect === undefined ? {} : { connect: spellLocalPlace(connect) }),
  };
  return { ...test, request };
}

function ruleWithoutEmptyReason({ reason, ...rule }: CommandRule): CommandRule {
  return reason === undefined || reason === "" ? rule : { ...rule, reason };
}

/** Every default filled in. */
function entryInCanonicalSpelling({ cwd = "/", environment = {}, boundary = "outside", reason, ...entry }: OutsideEntry): OutsideEntry {
  return { ...entry, cwd: spellPattern(cwd), environment, boundary, ...(reason === undefined || reason === "" ? {} : { reason }) };
}

/** Drops what is undefined, so that merging can tell "says nothing". */
function present(values: { readonly [F in Field]?: PolicyValues[F] | undefined }): LayerValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

const size = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseSize(text));
const duration = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseDuration(text));

function limitValues(limits: NonNullable<PolicyDocument["limits"]>) {
  return {
    cpuMs: duration(limits.cpuTime),
    cpuCores: limits.cpuCores,
    memoryBytes: size(limits.memory),
    processes: limits.processes,
    diskBytes: size(limits.disk),
    openFiles: limits.openFiles,
    outputBytes: size(limits.output),
    returnedBytes: size(limits.returned),
    wallMs: duration(limits.wall),
    pendingApprovals: limits.pendingApprovals,
    egressBytes: size(limits.egressBytes),
    egressConnections: limits.egressConnections,
    denials: limits.denialsBeforeStop,
  };
}

/** Those that are not built were refused. */
function builtBoundary(boundary: PolicyDocument["boundary"]): PolicyValues["boundary"] | undefined {
  return boundary === "auto" || boundary === "process" || boundary === "container" ? boundary : undefined;
}

/** @param document checked: every path literal, every unit known, nothing unbuilt */
export function layerValues(document: PolicyDocument): LayerValues {
  const { filesystem = {}, environment = {}, limits = {}, audit = {}, metadata = {} } = document;
  const retentionMs = audit.retention === undefined ? undefined : parseDuration(audit.retention);
  return present({
    name: metadata.name,
    description: metadata.description,
    floor: document.floor,
    boundary: builtBoundary(document.boundary),
    runtime: document.container?.runtime,
    template: document.container?.template,
    artifacts: document.container?.artifacts,
    artifactBytes: size(document.container?.artifactBytes),
    expiresMs: duration(document.container?.expires),
    approval: approvalMode(document.approval),
    allowUnsandboxed: document.allowUnsandboxed,
    nestedNamespaces: document.nestedNamespaces,
    outside: document.outside === undefined ? undefined : sortedBy(document.outside.map(entryInCanonicalSpelling), (entry) => entry.id),
    approvals: document.approvals === undefined ? undefined : sortedBy(document.approvals, (rule) => rule.id),
    presets: document.presets,
    allowRead: paths(filesystem.allowRead),
    denyRead: paths(filesystem.denyRead),
    allowWrite: paths(filesystem.allowWrite),
    denyWrite: paths(filesystem.denyWrite),
    caches: filesystem.caches === undefined ? undefined : [...new Set(filesystem.caches)].toSorted(),
    protectAdd: filesystem.protect?.add === undefined ? undefined : sortedOnce(filesystem.protect.add),
    strict: filesystem.strict,
    pass: environment.pass === undefined ? undefined : sortedOnce(environment.pass),
    set: environment.set,
    homeFiles: environment.homeFiles,
    ...limitValues(limits),
    commands: document.commands === undefined ? undefined : sortedBy(document.commands.map(ruleWithoutEmptyReason), (rule) => rule.id),
    egress: document.egress === undefined ? undefined : sortedBy(document.egress.map(ruleInCanonicalSpelling), (rule) => rule.id),
    allowLocal: document.allowLocal === undefined ? undefined : sortedOnce(document.allowLocal.map(spellLocalPlace)),
    acceptRisk: document.acceptRisk === undefined ? undefined : sortedBy(document.acceptRisk, ({ what }) => what),
    auditArgv: audit.argv,
    retentionDays: retentionMs === undefined ? undefined : retentionMs / dayMs,
    tests: document.tests === undefined ? undefined : sortedBy(document.tests.map(testInCanonicalSpelling), (test) => test.name),
  });
}

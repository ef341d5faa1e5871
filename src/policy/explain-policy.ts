// The answer sheet of a policy: the half of the seven answers that follows from the document alone, before anything ran.
import type { AnswerSheet, Question } from "../contracts/answer-sheet.ts";
import type { CommandRule, OutsideEntry } from "../contracts/policy-document.ts";
import type { EgressRule } from "../contracts/egress-rule.ts";
import { acceptedRiskSchema, commandRuleSchema } from "../contracts/policy-document.ts";
import { egressRuleSchema } from "../contracts/egress-rule.ts";
import type { Verdict } from "../contracts/decision.ts";
import type { ApprovalMode, CompiledPolicy } from "../contracts/policy-port.ts";
import type { Sentence } from "../contracts/sentence.ts";
import { showWindow } from "../contracts/show-window.ts";
import { quoteArgument } from "../kit/escape-text.ts";
import { isObserved } from "./observed-rules.ts";
import { showDuration, showSize } from "./units.ts";

function each(key: string, name: string, items: readonly string[]): readonly Sentence[] {
  return items.map((item) => ({ key, values: { [name]: item } }));
}

const globTexts = ({ denyReadGlobs = [] }: CompiledPolicy["paths"]): readonly string[] => denyReadGlobs.map(({ text }) => text);

function readLines(policy: CompiledPolicy, withheld: readonly string[]): readonly Sentence[] {
  const { paths, boundary } = policy;
  const allowed = each("policy.sheet.read.allowed", "path", paths.allowRead);
  if (boundary === "container") return [programsLine(policy), ...cacheLines(policy), ...allowed];
  return [
    { key: "policy.sheet.read.system" },
    ...each("policy.sheet.read.root", "path", paths.allowWrite),
    ...cacheLines(policy),
    ...allowed,
    ...each("policy.sheet.read.withheld", "path", withheld),
    ...each("policy.sheet.read.denied", "path", paths.denyRead),
    ...(paths.denyReadGlobs ?? []).map(({ text, sparesToolchains }) => ({
      key: sparesToolchains === true ? "policy.sheet.read.denied-glob-spares" : "policy.sheet.read.denied-glob",
      values: { path: text },
    })),
    ...(paths.strict === true ? [{ key: "policy.sheet.read.strict" }] : []),
  ];
}

function programsLine({ template }: CompiledPolicy): Sentence {
  return template === undefined
    ? { key: "policy.sheet.container.read" }
    : { key: "policy.sheet.container.read-template", values: { template } };
}

/** INVARIANT I-16 */
function cacheLines({ caches }: CompiledPolicy): readonly Sentence[] {
  return caches.length === 0 ? [] : [{ key: "task.shared.caches", values: { names: caches.join(", ") } }];
}

function writeLines(policy: CompiledPolicy): readonly Sentence[] {
  const { paths } = policy;
  if (policy.boundary === "container") {
    const roots = each("policy.sheet.container.workspace", "path", paths.allowWrite);
    return [...roots, { key: "policy.sheet.container.private" }, ...cacheLines(policy), { key: "policy.sheet.write.rest" }];
  }
  if (paths.allowWrite.length === 0) return [{ key: "policy.sheet.write.nothing" }, ...cacheLines(policy)];
  return [
    ...each("policy.sheet.write.root", "path", paths.allowWrite),
    ...each("policy.sheet.write.denied", "path", [...new Set([...paths.denyWrite, ...paths.denyRead, ...globTexts(paths)])]),
    { key: "policy.sheet.write.listed" },
    ...each("policy.sheet.write.protected", "name", paths.protectedNames ?? []),
    ...cacheLines(policy),
    { key: "policy.sheet.write.rest" },
  ];
}

const connectKeys: Readonly<Record<Verdict, string>> = {
  allow: "policy.sheet.connect.allow",
  ask: "policy.sheet.connect.ask",
  deny: "policy.sheet.connect.deny",
};

/** `api.example.com port 443 (https)` */
function connectLine(rule: EgressRule): Sentence {
  const { id, verdict, hosts = [], cidr = [], ports, protocols } = rule;
  const values = { id, places: [...hosts, ...cidr].join(", "), ports: ports?.join(", ") ?? "*", protocols: protocols?.join(", ") ?? "*" };
  return { key: isObserved(rule) ? "policy.sheet.connect.observe" : connectKeys[verdict], values };
}

function windowLines({ egress }: CompiledPolicy): readonly Sentence[] {
  return egress.rules.flatMap(({ id, window }) =>
    window === undefined ? [] : [{ key: "policy.sheet.connect.window", values: { id, window: showWindow(window) } }],
  );
}

function requestLines(rules: readonly EgressRule[]): readonly Sentence[] {
  return rules.flatMap(({ id, methods, paths }) =>
    methods === undefined && paths === undefined
      ? []
      : [{ key: "policy.sheet.connect.requests", values: { id, methods: methods?.join(", ") ?? "*", paths: paths?.join(", ") ?? "*" } }],
  );
}

/** Who lifted a refusal, why and until when. */
function riskLines({ document }: CompiledPolicy): readonly Sentence[] {
  const risks = acceptedRiskSchema().array().parse(document["acceptRisk"]);
  return risks.map(({ what, why, owner, until }) => ({ key: "policy.sheet.held.risk", values: { what, why, owner, until } }));
}

/** Where the openings of presets come from; what their configuration asks for and does not get. */
function presetLines(presets: CompiledPolicy["presets"]): readonly Sentence[] {
  return presets.flatMap(({ name, sources, notes }) => [
    ...sources.map(({ value, what, source }) => ({ key: "preset.sheet.source", values: { preset: name, value, what, source } })),
    ...notes,
  ]);
}

function connectLines(policy: CompiledPolicy): readonly Sentence[] {
  const { document, egress } = policy;
  const rules = egressRuleSchema().array().parse(document["egress"]);
  const isOpen = egress.unruled === "ask" || egress.local.length > 0 || egress.rules.some(({ verdict }) => verdict !== "deny");
  if (!isOpen) return [{ key: "policy.sheet.connect.nothing" }];
  return [
    ...rules.map(connectLine),
    ...requestLines(rules),
    ...windowLines(policy),
    ...egress.local.map(({ host, port }) => ({ key: "policy.sheet.connect.local", values: { host, port } })),
    { key: egress.unruled === "ask" ? "policy.sheet.connect.rest-asks" : "policy.sheet.connect.rest" },
    { key: "policy.sheet.connect.limits", values: { bytes: showSize(egress.sentBytes), connections: egress.connections } },
  ];
}

function identityLines({ environment }: CompiledPolicy): readonly Sentence[] {
  const names = Object.keys(environment.set);
  return [
    { key: "policy.sheet.identity.user" },
    { key: "policy.sheet.identity.credentials" },
    environment.pass.length === 0
      ? { key: "policy.sheet.identity.pass-none" }
      : { key: "policy.sheet.identity.pass", values: { names: environment.pass.join(", ") } },
    ...(names.length === 0 ? [] : [{ key: "policy.sheet.identity.set", values: { names: names.join(", ") } }]),
  ];
}

const ruleKeys: Readonly<Record<Verdict, string>> = {
  allow: "policy.sheet.held.rule-allow",
  ask: "policy.sheet.held.rule-ask",
  deny: "policy.sheet.held.rule-deny",
};

const modeKeys: Readonly<Record<ApprovalMode, string>> = {
  "auto-allow": "policy.sheet.held.default",
  regular: "policy.sheet.held.regular",
  commands: "policy.sheet.held.regular",
  never: "policy.sheet.held.never",
  listed: "policy.sheet.held.listed",
};

function ruleLine({ id, verdict, match }: CommandRule): Sentence {
  return { key: ruleKeys[verdict], values: { id, words: match.argvPrefix.map(quoteArgument).join(" ") } };
}

function outsideLines({ allowUnsandboxed, outside }: CompiledPolicy): readonly Sentence[] {
  const entries = outside.map(({ id, program, arguments: words }) => ({
    key: "policy.sheet.held.outside-entry",
    values: { id, words: [program, ...words.map(showPattern)].join(" ") },
  }));
  return [{ key: allowUnsandboxed ? "policy.sheet.held.unsandboxed-asks" : "policy.sheet.held.unsandboxed-closed" }, ...entries];
}

function approvalLines({ approvals }: CompiledPolicy): readonly Sentence[] {
  return approvals.map(({ id, on, by }) => ({
    key: on === "egress" ? "policy.sheet.held.told-egress" : "policy.sheet.held.told-command",
    values: { id, places: by.join(", ") },
  }));
}

/** `compose {up|down} <name>` */
function showPattern(pattern: OutsideEntry["arguments"][number]): string {
  if (typeof pattern === "string") return quoteArgument(pattern);
  return "oneOf" in pattern ? `{${pattern.oneOf.map(quoteArgument).join("|")}}` : "<name>";
}

function heldLines(policy: CompiledPolicy): readonly Sentence[] {
  const { document, limits } = policy;
  const rules = commandRuleSchema().array().parse(document["commands"]);
  return [
    policy.boundary === "container"
      ? { key: "policy.sheet.held.container", values: { runtime: policy.runtime } }
      : { key: "policy.sheet.held.process" },
    ...rules.map(ruleLine),
    { key: modeKeys[policy.approval] },
    ...outsideLines(policy),
    ...approvalLines(policy),
    ...riskLines(policy),
    ...(policy.nestedNamespaces ? [{ key: "policy.sheet.held.nested-namespaces" }] : []),
    {
      key: "policy.sheet.held.limits",
      values: {
        wall: showDuration(limits.wallMs),
        output: showSize(limits.outputBytes),
        returned: showSize(limits.returnedBytes),
        files: limits.openFiles,
        cpu: showDuration(limits.cpuMs),
        cores: limits.cpuCores,
      },
    },
    {
      key: "policy.sheet.held.task-limits",
      values: { memory: showSize(limits.memoryBytes), disk: showSize(limits.diskBytes), processes: limits.processes },
    },
    ...(Number.isFinite(limits.denials) ? [{ key: "policy.sheet.held.denials", values: { count: limits.denials } }] : []),
  ];
}

/** The policy without the entries that open nothing. */
function asOpened(policy: CompiledPolicy, withheld: readonly string[]): CompiledPolicy {
  const opened = (list: readonly string[]): readonly string[] => list.filter((path) => !withheld.includes(path));
  const { paths } = policy;
  return { ...policy, paths: { ...paths, allowRead: opened(paths.allowRead), allowWrite: opened(paths.allowWrite) } };
}

/** @param withheld entries of allowRead and allowWrite that open nothing on this machine: said, not listed as open */
export function explainPolicy(compiled: CompiledPolicy, withheld: readonly string[] = []): AnswerSheet {
  const policy = asOpened(compiled, withheld);
  const answers: readonly (readonly [Question, readonly Sentence[]])[] = [
    ["read", readLines(policy, withheld)],
    ["write", writeLines(policy)],
    ["connect", [...connectLines(policy), ...presetLines(policy.presets)]],
    ["identity", identityLines(policy)],
    ["happened", [{ key: "policy.sheet.happened.nothing" }]],
    [
      "kept",
      [
        { key: "policy.sheet.kept.records", values: { days: policy.retentionDays } },
        { key: policy.auditArgv === "digest" ? "policy.sheet.kept.argv-digest" : "policy.sheet.kept.argv-redacted" },
        { key: "policy.sheet.kept.private" },
      ],
    ],
    ["held", heldLines(policy)],
  ];
  return { subject: { kind: "policy", hash: policy.hash }, answers: answers.map(([question, lines]) => ({ question, lines })) };
}

// Files as a whole: several documents, lists, namespaces, what is beside pods; and everything that is refused, bounded and explained.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSecurityLevel } from "../../contracts/pod-security.ts";
import { PolicyError } from "../../contracts/policy-error.ts";
import { judgeSpec } from "./judge-spec.ts";
import { maximumSpecBytes } from "./spec-format.ts";
import { applyPatch } from "./testing/apply-patch.ts";
import { goodSpec } from "./testing/oci.ts";
import { goodTemplate, judgeData, kinds, summaries, withValue } from "./testing/pods.ts";

const options = { level: "restricted", isStandardOnly: true } as const;
const judgeYaml = (text: string) => judgeSpec({ label: "x.yaml", format: "yaml", text }, options);
const pod = { apiVersion: "v1", kind: "Pod", ...goodTemplate() };
const openPod = (name: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  hostPID: true\n  containers: [{name: a, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]\n  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}\n`;

/** `situation line key` of each problem of a refused text. */
function refusals(text: string | Uint8Array, format: "yaml" | "json" = "yaml"): readonly string[] {
  try {
    judgeSpec({ label: "x", format, text }, options);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    assert.equal(error.code, "SPEC_UNREADABLE");
    return error.problems.map(({ situation, line, key }) => `${situation.replace("pod-security.", "")} ${line} ${key}`);
  }
  return [];
}

test("judgeSpec() judges every document of a stream, with the lines of the file", () => {
  const { objects, patches } = judgeYaml(`# head\n---\n${openPod("one")}---\n# nothing but a comment\n---\n${openPod("two")}`);
  assert.deepEqual(
    objects.map(({ kind, name, document, violations }) => [
      kind,
      name,
      document,
      violations.map(({ path, line, value }) => [path, line, value]),
    ]),
    [
      ["Pod", "one", 0, [["spec.hostPID", 7, "true"]]],
      ["Pod", "two", 1, [["spec.hostPID", 17, "true"]]],
    ],
  );
  assert.deepEqual(
    patches.map(({ document }) => document),
    [0, 1],
  );
});

test("judgeSpec() judges the items of lists, with paths and patches from the top of the document", () => {
  for (const [apiVersion, kind] of [
    ["v1", "List"],
    ["v1", "PodList"],
  ]) {
    const document = { apiVersion, kind, items: [pod, withValue(pod, ["spec", "hostIPC"], true)] };
    const report = judgeData(document);
    assert.deepEqual(summaries(report), ["hostNamespaces baseline items[1].spec.hostIPC"]);
    assert.deepEqual(report.patches, [{ document: 0, patch: [{ op: "remove", path: "/items/1/spec/hostIPC" }] }]);
  }
});

test("judgeSpec() says of a kind that holds no pod that it was not judged, and refuses a file with nothing else", () => {
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" } };
  const { objects } = judgeData({ apiVersion: "v1", kind: "List", items: [service, pod] });
  assert.deepEqual(
    objects.map(({ kind, isJudged }) => [kind, isJudged]),
    [
      ["Service", false],
      ["Pod", true],
    ],
  );
  assert.deepEqual(refusals(JSON.stringify(service), "json"), ["nothing 0 "]);
  for (const empty of ["", "# nothing\n", "---\n---\n"]) assert.deepEqual(refusals(empty), ["nothing 0 "]);
});

test("judgeSpec() asks of a namespace that the cluster enforces the level, by a version that has all of it", () => {
  const label = "pod-security.kubernetes.io/enforce";
  const namespace = (labels: unknown) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } });
  const cases: readonly (readonly [unknown, PodSecurityLevel, readonly string[]])[] = [
    [{ [label]: "restricted" }, "restricted", []],
    [{ [label]: "restricted" }, "baseline", []],
    [{ [label]: "baseline" }, "baseline", []],
    [{ [label]: "baseline" }, "restricted", [label]],
    [{ [label]: "privileged" }, "baseline", [label]],
    [{ [label]: "Restricted" }, "restricted", [label]],
    [{ "pod-security.kubernetes.io/warn": "restricted" }, "restricted", [label]],
    [undefined, "baseline", [label]],
    [{ [label]: "restricted", [`${label}-version`]: "latest" }, "restricted", []],
    [{ [label]: "restricted", [`${label}-version`]: "v1.31" }, "restricted", []],
    [{ [label]: "restricted", [`${label}-version`]: "v1.29" }, "restricted", [`${label}-version`]],
    [{ [label]: "restricted", [`${label}-version`]: "v2" }, "restricted", [`${label}-version`]],
  ];
  for (const [labels, level, expected] of cases) {
    const report = judgeData(namespace(labels), level);
    const told = expected.map((name) => `namespaceEnforcement ${level} metadata.labels["${name}"]`);
    assert.deepEqual(summaries(report), told);
    for (const { patch } of report.patches) assert.deepEqual(summaries(judgeData(applyPatch(namespace(labels), patch), level)), []);
  }
});

test("judgeSpec() asks of a pod for Windows nothing that only Linux knows, and everything else", () => {
  const bare = { name: "a", image: `a@sha256:${"0".repeat(64)}` };
  const spec = { os: { name: "windows" }, automountServiceAccountToken: false, containers: [bare] };
  const report = (changed: unknown) => summaries(judgeData({ apiVersion: "v1", kind: "Pod", spec: changed }, "restricted", true));
  assert.deepEqual(report(spec), ["runAsNonRoot restricted spec.securityContext.runAsNonRoot"]);
  assert.deepEqual(report({ ...spec, os: { name: "linux" } }), [
    "runAsNonRoot restricted spec.securityContext.runAsNonRoot",
    "allowPrivilegeEscalation restricted spec.containers[0].securityContext.allowPrivilegeEscalation",
    "seccompProfile_restricted restricted spec.securityContext.seccompProfile.type",
    "capabilities_restricted restricted spec.containers[0].securityContext.capabilities.drop",
  ]);
  const hostProcess = { ...spec, securityContext: { runAsNonRoot: true, windowsOptions: { hostProcess: true } } };
  assert.deepEqual(report(hostProcess), ["windowsHostProcess baseline spec.securityContext.windowsOptions.hostProcess"]);
});

test("judgeSpec() lets containers have from the pod what they do not say, and say better what the pod does not", () => {
  const container = (security: object) => ({
    name: "a",
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, ...security },
  });
  const good = { runAsNonRoot: true, seccompProfile: { type: "Localhost" } };
  const report = (securityContext: unknown, ...containers: readonly object[]) =>
    summaries(judgeData({ apiVersion: "v1", kind: "Pod", spec: { securityContext, containers } }, "restricted", true));
  assert.deepEqual(report(undefined, container(good), container(good)), []);
  assert.deepEqual(report(good, container({})), []);
  assert.deepEqual(report(undefined, container(good), container({})).length, 2);
  assert.deepEqual(report({ runAsNonRoot: false }, container(good)), ["runAsNonRoot restricted spec.securityContext.runAsNonRoot"]);
  assert.deepEqual(report(good, container({ runAsNonRoot: false })), [
    "runAsNonRoot restricted spec.containers[0].securityContext.runAsNonRoot",
  ]);
  // A user namespace of the pod relaxes nothing here.
  assert.equal(
    summaries(judgeData({ apiVersion: "v1", kind: "Pod", spec: { hostUsers: false, containers: [container({})] } }, "restricted", true))
      .length,
    2,
  );
});

test("judgeSpec() takes a limit of the whole pod for one of each container", () => {
  const limited = withValue(withValue(pod, ["spec", "containers", 0, "resources"], undefined), ["spec", "resources", "limits"], {
    memory: "1Gi",
    cpu: "1",
  });
  assert.deepEqual(summaries(judgeData(limited)), []);
});

test("judgeSpec() refuses kinds that it does not know, wherever they stand", () => {
  const unknown: readonly (readonly [unknown, string])[] = [
    [{ apiVersion: "apps/v1", kind: "Pod" }, ""],
    [{ apiVersion: "apps/v1beta1", kind: "Deployment" }, ""],
    [{ apiVersion: "argoproj.io/v1alpha1", kind: "Rollout" }, ""],
    [{ apiVersion: "v1", kind: "PersistentVolume" }, ""],
    [{ kind: "Pod" }, ""],
    [{}, ""],
    [{ ociVersion: "1.0", kind: "Pod" }, ""],
    [{ apiVersion: "v1", kind: "List", items: [{ apiVersion: "v1", kind: "List", items: [pod] }] }, "items[0]"],
    [{ apiVersion: "v1", kind: "List", items: [goodSpec()] }, "items[0]"],
  ];
  for (const [document, key] of unknown) {
    assert.deepEqual(refusals(JSON.stringify(document), "json"), [`kind-unknown 1 ${key}`]);
    // Beside a pod that passes, too.
    assert.ok(refusals(`${JSON.stringify(pod)}\n---\n${JSON.stringify(document)}\n`).length > 0);
  }
});

test("judgeSpec() refuses what has another type than it is read as, and names the place", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["hostPID: yes", "wrong-type 5 spec.hostPID"],
    ["hostPID: 'true'", "wrong-type 5 spec.hostPID"],
    ["hostPID: 1", "wrong-type 5 spec.hostPID"],
    ["volumes: {}", "wrong-type 5 spec.volumes"],
    ["volumes: [x]", "wrong-type 5 spec.volumes[0]"],
    ["volumes: [null]", "null-item 5 spec.volumes[0]"],
    ["initContainers: [null]", "null-item 5 spec.initContainers[0]"],
    ["securityContext: []", "wrong-type 5 spec.securityContext"],
    ["securityContext: {sysctls: [{name: 1}]}", "wrong-type 5 spec.securityContext.sysctls[0].name"],
    ["securityContext: {runAsUser: '0'}", "wrong-type 5 spec.securityContext.runAsUser"],
    ["HostPID: true", "letter-case 5 spec.HostPID"],
  ];
  for (const [line, expected] of cases) {
    assert.deepEqual(refusals(`apiVersion: v1\nkind: Pod\nspec:\n  containers: [{name: a}]\n  ${line}\n`), [expected], line);
  }
  for (const kind of kinds) assert.match(refusals(JSON.stringify(kind.wrap({})), "json")[0] ?? "", /^no-container/u);
});

test("judgeSpec() refuses everything by which one text could have two readings", () => {
  const head = "apiVersion: v1\nkind: Pod\n";
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [`${head}spec: &s {}\n`, ["anchor 3 spec"]],
    [`${head}spec: !!map {}\n`, ["anchor 3 spec"]],
    [`${head}<<: {}\n`, ["anchor 3 "]],
    [`${head}kind: Pod\n`, ["duplicate-key 3 kind"]],
    [`${head}spec: {} #\u2028hostPID: true\n`, ["two-readings 3 "]],
    [`${head}x: y\u0085hostPID: true\n`, ["two-readings 3 "]],
    [`${head}---x: 1\n`, ["two-readings 3 "]],
    [`${head}...x: 1\n`, ["two-readings 3 "]],
    [`%YAML 1.1\n---\n${head}`, ["unreadable 1 "]],
    [`${head}spec: [\n`, ["unreadable 4 "]],
    [`${head}spec: "\\x"\n`, ["unreadable 3 "]],
    [`${head}\0`, ["unreadable 3 "]],
    ["- a\n", ["wrong-type 1 ", "kind-unknown 1 "]],
    ["just text\n", ["wrong-type 1 ", "kind-unknown 1 "]],
  ];
  for (const [text, expected] of cases) assert.deepEqual([...new Set(refusals(text))], expected, JSON.stringify(text));
  assert.deepEqual(refusals('{"kind":"Pod","kind":"Pod"}', "json"), ["duplicate-key 1 kind"]);
  assert.deepEqual(refusals(Buffer.from([0xff, 0xfe])), ["unreadable 1 "]);
});

test("judgeSpec() bounds what a hostile file can cause", () => {
  const bomb = Array.from(
    { length: 12 },
    (_, level) => `l${level}: &l${level} [${Array.from({ length: 12 }, () => (level === 0 ? "x" : `*l${level - 1}`)).join(", ")}]`,
  );
  assert.ok(refusals(bomb.join("\n")).every((refusal) => refusal.startsWith("anchor")));
  assert.ok(refusals(bomb.join("\n")).length <= 100);
  assert.deepEqual(refusals("x".repeat(maximumSpecBytes + 1)), ["too-large 0 "]);
  assert.deepEqual(refusals(`apiVersion: v1\nkind: Pod\nspec: ${"[".repeat(100)}${"]".repeat(100)}\n`), ["too-deep 0 "]);
  assert.deepEqual(refusals(`a:\n${Array.from({ length: 40 }, (_, level) => `${" ".repeat(level + 1)}a:\n`).join("")}`), ["too-deep 34 "]);
  assert.ok(refusals(`{"a":${"[".repeat(200_000)}`, "json")[0]?.startsWith("too-deep"));
  assert.deepEqual(refusals("[".repeat(200_000)), ["too-deep 0 "]);
  assert.deepEqual(refusals("- ".repeat(500_000)), ["too-dense 0 "]);
  // Inside texts they are no punctuation.
  assert.deepEqual(refusals(`a: "${"[".repeat(100)}"\nb: |\n  ${"[\n  ".repeat(100)}\n`), ["kind-unknown 1 "]);
  assert.deepEqual(refusals("---\n".repeat(100_000)), ["too-many-documents 0 "]);
  const containers = JSON.stringify({ apiVersion: "v1", kind: "Pod", spec: { containers: Array.from({ length: 5000 }, () => ({})) } });
  assert.deepEqual(refusals(containers, "json"), ["too-many 1 "]);
  const faults = JSON.stringify({ apiVersion: "v1", kind: "Pod", spec: { containers: Array.from({ length: 1000 }, () => null) } });
  assert.ok(refusals(faults, "json").length <= 101);
});

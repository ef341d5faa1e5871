// Objects that pass everything, to be spoilt one field at a time, in every kind that holds a pod.
import type { PodSecurityLevel, PodSecurityReport } from "../../../contracts/pod-security.ts";
import { isRecord } from "../../plain-value.ts";
import { judgeSpec } from "../judge-spec.ts";

export type Path = readonly (string | number)[];

const image = `registry.example/web@sha256:${"a".repeat(64)}`;

const container = (name: string) => ({
  name,
  image,
  env: [{ name: "LANG", value: "C.UTF-8" }],
  ports: [{ containerPort: 8080 }],
  resources: { limits: { memory: "256Mi", cpu: "500m" } },
  livenessProbe: { httpGet: { path: "/", port: 8080 } },
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
});

/** Restricted, and what goes beyond it. */
export const goodTemplate = () => ({
  metadata: { name: "web", annotations: { note: "x" } },
  spec: {
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    containers: [container("web"), container("side")],
    initContainers: [container("init")],
    ephemeralContainers: [container("debug")],
    volumes: [
      { name: "scratch", emptyDir: {} },
      { name: "settings", configMap: { name: "settings" } },
    ],
  },
});

export interface Kind {
  readonly kind: string;
  /** Where the template stands. */
  readonly at: Path;
  readonly wrap: (template: unknown) => unknown;
}

const workload = (kind: string, apiVersion: string): Kind => ({
  kind,
  at: ["spec", "template"],
  wrap: (template) => ({ apiVersion, kind, metadata: { name: "web", namespace: "shop" }, spec: { template } }),
});

const mapping = (value: unknown): Record<string, unknown> => (isRecord(value) ? { ...value } : {});

/** The pod itself is the first. */
export const kinds: readonly [Kind, ...Kind[]] = [
  { kind: "Pod", at: [], wrap: (template) => ({ apiVersion: "v1", kind: "Pod", ...mapping(template) }) },
  { kind: "PodTemplate", at: ["template"], wrap: (template) => ({ apiVersion: "v1", kind: "PodTemplate", template }) },
  workload("ReplicationController", "v1"),
  workload("Deployment", "apps/v1"),
  workload("ReplicaSet", "apps/v1"),
  workload("StatefulSet", "apps/v1"),
  workload("DaemonSet", "apps/v1"),
  workload("Job", "batch/v1"),
  {
    kind: "CronJob",
    at: ["spec", "jobTemplate", "spec", "template"],
    wrap: (template) => ({ apiVersion: "batch/v1", kind: "CronJob", spec: { jobTemplate: { spec: { template } } } }),
  },
];

/** `value` undefined takes the field away. Missing mappings on the way are made. */
export function withValue(node: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list: unknown[] = Array.isArray(node) ? Array.from<unknown>(node) : [];
    list[step] = withValue(list[step], rest, value);
    return list;
  }
  const record = mapping(node);
  record[step] = withValue(record[step], rest, value);
  if (record[step] === undefined) Reflect.deleteProperty(record, step);
  return record;
}

export function judgeData(document: unknown, level: PodSecurityLevel = "restricted", isStandardOnly = false): PodSecurityReport {
  return judgeSpec({ label: "x.json", format: "json", text: JSON.stringify(document) }, { level, isStandardOnly });
}

/** `control level path` of each violation. */
export const summaries = ({ objects }: PodSecurityReport): readonly string[] =>
  objects.flatMap(({ violations }) => violations.map(({ control, level, path }) => `${control} ${level} ${path}`));

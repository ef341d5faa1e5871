// Documents -> the objects in them, by kind. A kind that is not known is a fault: whether it makes a pod is then not known either.
import { type Pod, podAt } from "./pod.ts";
import type { Cursor, ShapeFault } from "./spec-cursor.ts";

export type SpecObject = { readonly kind: string; readonly name: string; readonly root: Cursor } & (
  | { readonly holds: "pod"; readonly pod: Pod }
  | { readonly holds: "namespace" | "oci" | "nothing" }
);

export const ociKind = "OCI runtime spec";

/** `apiVersion/kind` -> where its pod template stands. */
const templates: ReadonlyMap<string, readonly string[]> = new Map([
  ["v1/Pod", []],
  ["v1/PodTemplate", ["template"]],
  ["v1/ReplicationController", ["spec", "template"]],
  ["apps/v1/Deployment", ["spec", "template"]],
  ["apps/v1/ReplicaSet", ["spec", "template"]],
  ["apps/v1/StatefulSet", ["spec", "template"]],
  ["apps/v1/DaemonSet", ["spec", "template"]],
  ["batch/v1/Job", ["spec", "template"]],
  ["batch/v1/CronJob", ["spec", "jobTemplate", "spec", "template"]],
]);

/** Kinds that hold no pod and bring none about: they lie beside pods in most files. */
const podless: ReadonlySet<string> = new Set([
  ...["ConfigMap", "LimitRange", "PersistentVolumeClaim", "ResourceQuota", "Secret", "Service", "ServiceAccount"].map(
    (kind) => `v1/${kind}`,
  ),
  ...["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"].map((kind) => `rbac.authorization.k8s.io/v1/${kind}`),
  ...["Ingress", "IngressClass", "NetworkPolicy"].map((kind) => `networking.k8s.io/v1/${kind}`),
  "autoscaling/v2/HorizontalPodAutoscaler",
  "policy/v1/PodDisruptionBudget",
  "scheduling.k8s.io/v1/PriorityClass",
]);

/** `v1/List`, `v1/PodList`, `apps/v1/DeploymentList`: their items say what they are. */
const isList = (type: string): boolean =>
  type.endsWith("List") && (type === "v1/List" || templates.has(type.slice(0, -"List".length)) || type === "v1/NamespaceList");

function nameOf(root: Cursor): string {
  const metadata = root.field("metadata");
  const name = metadata.field("name").text() ?? metadata.field("generateName").text() ?? "";
  const namespace = metadata.field("namespace").text();
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function* kubernetesObjects(root: Cursor, note: (fault: ShapeFault) => void): Generator<SpecObject> {
  const kind = root.field("kind").text() ?? "";
  const type = `${root.field("apiVersion").text() ?? ""}/${kind}`;
  if (isList(type)) {
    // A list inside a list is no kind that anything makes.
    for (const item of root.field("items").items()) yield* specObjects(item, note, false);
    return;
  }
  const name = nameOf(root);
  const template = templates.get(type);
  if (template !== undefined) {
    const pod = podAt(root.at(template));
    // Nothing to judge would be nothing found.
    if (pod.containers.length === 0) note({ situation: "pod-security.no-container", path: pod.spec.field("containers").path });
    yield { kind, name, root, holds: "pod", pod };
  } else if (type === "v1/Namespace") yield { kind, name, root, holds: "namespace" };
  else if (podless.has(type)) yield { kind, name, root, holds: "nothing" };
  else note({ situation: "pod-security.kind-unknown", path: root.path, values: { type } });
}

/** @param mayList false inside a list */
export function* specObjects(root: Cursor, note: (fault: ShapeFault) => void, mayList = true): Generator<SpecObject> {
  const isOci = root.field("ociVersion").value !== undefined;
  const isKubernetes = root.field("kind").value !== undefined || root.field("apiVersion").value !== undefined;
  const kind = root.field("kind").text() ?? "";
  if (isOci === isKubernetes || (!mayList && (isOci || kind.endsWith("List")))) {
    note({ situation: "pod-security.kind-unknown", path: root.path, values: { type: kind } });
  } else if (isOci) yield { kind: ociKind, name: root.field("hostname").text() ?? "", root, holds: "oci" };
  else yield* kubernetesObjects(root, note);
}

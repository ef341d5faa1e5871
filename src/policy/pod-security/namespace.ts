// What is asked of a namespace: that the cluster itself enforces the level there, by a version of the standard that has all of it.
import type { PodSecurityLevel } from "../../contracts/pod-security.ts";
import type { Control, Offence } from "./controls.ts";
import type { Cursor } from "./spec-cursor.ts";

const enforceLabel = "pod-security.kubernetes.io/enforce";
const versionLabel = "pod-security.kubernetes.io/enforce-version";
/** Older versions of the standard lack controls of today's. */
const oldestMinor = 30;

const enforcing: Readonly<Record<PodSecurityLevel, readonly string[]>> = {
  baseline: ["baseline", "restricted"],
  restricted: ["restricted"],
};

const control = (level: PodSecurityLevel, allowed: string): Control => ({
  id: "namespaceEnforcement",
  level,
  title: "pod-security.control.namespace",
  rule: { key: "pod-security.rule.present", values: { allowed } },
});

function isRecent(version: string): boolean {
  const minor = /^v1\.(\d{1,4})$/u.exec(version)?.[1];
  return version === "latest" || (minor !== undefined && Number(minor) >= oldestMinor);
}

export function* judgeNamespace(namespace: Cursor, level: PodSecurityLevel): Generator<Offence> {
  const labels = namespace.at(["metadata", "labels"]);
  const enforce = labels.field(enforceLabel);
  if (!enforcing[level].includes(enforce.text() ?? "")) {
    const { path, value } = enforce;
    yield { control: control(level, enforcing[level].join(", ")), path, value, fixes: [{ kind: "set", path, value: level }] };
  }
  const version = labels.field(versionLabel);
  const { path, value } = version;
  if (value === undefined || isRecent(version.text() ?? "")) return;
  const allowed = `latest, v1.${oldestMinor}`;
  yield { control: control(level, allowed), path, value, fixes: [{ kind: "set", path, value: "latest" }] };
}

// Controls that forbid values of single fields, as rows: where the field stands, which values are allowed, and what is written in their place.
import { type Control, controls, type Offence, profileTypes, seLinuxTypes } from "./controls.ts";
import type { Fix } from "./json-patch.ts";
import type { Pod } from "./pod.ts";
import type { Cursor } from "./spec-cursor.ts";

export interface FieldRow {
  readonly control: Control;
  /** `all`: of the pod and of each container. */
  readonly of: "pod" | "containers" | "all";
  readonly field: readonly string[];
  /** Told only of fields that are there. */
  readonly isAllowed: (field: Cursor) => boolean;
  /** Absent: the field is removed. */
  readonly instead?: unknown;
}

const isNotTrue = (field: Cursor): boolean => field.flag() === false;
const isEmptyText = (field: Cursor): boolean => field.text() === "";
const isNothing = (): boolean => false;
const isOneOf =
  (allowed: ReadonlySet<string>) =>
  (field: Cursor): boolean =>
    allowed.has(field.text() ?? "");

/** Places at which a kubelet, which stands outside the pod, may be told to connect to a host of the author's choice. */
const probeHosts: readonly (readonly string[])[] = [
  ...["livenessProbe", "readinessProbe", "startupProbe"].map((probe) => [probe]),
  ...["postStart", "preStop"].map((hook) => ["lifecycle", hook]),
].flatMap((place) => ["httpGet", "tcpSocket"].map((action) => [...place, action, "host"]));

export const baselineRows: readonly FieldRow[] = [
  { control: controls.hostProcess, of: "all", field: ["securityContext", "windowsOptions", "hostProcess"], isAllowed: isNotTrue },
  ...["hostNetwork", "hostPID", "hostIPC"].map((name): FieldRow => ({
    control: controls.hostNamespaces,
    of: "pod",
    field: [name],
    isAllowed: isNotTrue,
  })),
  { control: controls.privileged, of: "containers", field: ["securityContext", "privileged"], isAllowed: isNotTrue },
  ...probeHosts.map((field): FieldRow => ({ control: controls.hostProbes, of: "containers", field, isAllowed: isEmptyText })),
  {
    control: controls.seLinuxType,
    of: "all",
    field: ["securityContext", "seLinuxOptions", "type"],
    isAllowed: isOneOf(new Set(["", ...seLinuxTypes])),
  },
  ...["user", "role"].map((name): FieldRow => ({
    control: controls.seLinuxUser,
    of: "all",
    field: ["securityContext", "seLinuxOptions", name],
    isAllowed: isEmptyText,
  })),
  {
    control: controls.procMount,
    of: "containers",
    field: ["securityContext", "procMount"],
    isAllowed: isOneOf(new Set(["Default"])),
  },
  { control: controls.ulimits, of: "containers", field: ["securityContext", "ulimits"], isAllowed: isNothing },
];

export const restrictedRows: readonly FieldRow[] = [
  {
    control: controls.nonRootUser,
    of: "all",
    field: ["securityContext", "runAsUser"],
    isAllowed: (field) => field.number() !== 0,
    // What images for unprivileged use commonly call "nonroot": a number that no account of a distribution has.
    instead: 65_532,
  },
  {
    control: controls.cgroupMount,
    of: "containers",
    field: ["securityContext", "cgroupOptions", "mountMode"],
    isAllowed: isOneOf(new Set(["ReadOnly"])),
  },
];

export function placesOf(pod: Pod, of: FieldRow["of"]): readonly Cursor[] {
  if (of === "pod") return [pod.spec];
  return of === "containers" ? pod.containers : [pod.spec, ...pod.containers];
}

export function* judgeRows(pod: Pod, rows: readonly FieldRow[]): Generator<Offence> {
  for (const { control, of, field, isAllowed, instead } of rows) {
    for (const place of placesOf(pod, of)) {
      const found = place.at(field);
      if (found.value === undefined || isAllowed(found)) continue;
      const fix: Fix = instead === undefined ? { kind: "remove", path: found.path } : { kind: "set", path: found.path, value: instead };
      yield { control, path: found.path, value: found.value, fixes: [fix] };
    }
  }
}

/** A profile object without a type names none that is allowed. */
export function* judgeProfiles(pod: Pod, control: Control, name: "seccompProfile" | "appArmorProfile"): Generator<Offence> {
  for (const place of placesOf(pod, "all")) {
    const profile = place.at(["securityContext", name]);
    const type = profile.field("type");
    if (profile.value === undefined || profileTypes.has(type.text() ?? "")) continue;
    const fix: Fix = { kind: "set", path: profile.path, value: { type: "RuntimeDefault" } };
    yield { control, path: type.path, value: type.value, fixes: [fix] };
  }
}

// What an OCI runtime spec lets its process do: as whom, with which capabilities, under which filters, with what of /proc.
import { baselineCapabilities, controls, type Offence, restrictedCapabilities, safeSysctls, seLinuxTypes } from "./controls.ts";
import { denyingActions, maskedPaths, ociControls, readonlyPaths } from "./oci-controls.ts";
import { hasOwnUsers, type OwnParts } from "./oci-mounts.ts";
import type { Cursor } from "./spec-cursor.ts";

const capabilitySets = ["bounding", "effective", "inheritable", "permitted", "ambient"] as const;

/** `CAP_CHOWN` -> `CHOWN`; anything else names no capability that could be allowed. */
const capabilityName = (capability: Cursor): string => /^CAP_(.+)$/u.exec(capability.text() ?? "")?.[1] ?? "";

function addedCapabilities(process: Cursor): readonly Cursor[] {
  return capabilitySets.flatMap((set) => process.at(["capabilities", set]).items());
}

/** Engines do not agree on what a process has of which nothing is said. */
function* judgeCapabilities(process: Cursor): Generator<Offence> {
  const { path, value } = process.field("capabilities");
  if (value === undefined) {
    const none = Object.fromEntries(capabilitySets.map((set) => [set, []]));
    yield { control: ociControls.capabilitiesStated, path, value, fixes: [{ kind: "set", path, value: none }] };
  }
  for (const added of addedCapabilities(process)) {
    if (baselineCapabilities.has(capabilityName(added))) continue;
    yield { control: controls.capabilities, path: added.path, value: added.value, fixes: [{ kind: "remove", path: added.path }] };
  }
}

function* judgeLabels(process: Cursor): Generator<Offence> {
  const profile = process.field("apparmorProfile");
  if (profile.text() === "unconfined") {
    const { path, value } = profile;
    yield { control: ociControls.appArmor, path, value, fixes: [{ kind: "remove", path }] };
  }
  const { path, value, text } = process.field("selinuxLabel");
  const label = text() ?? "";
  if (label === "") return;
  const [user, role, type = "", ...level] = label.split(":");
  const isOurs = user === "system_u" && role === "system_r";
  if (isOurs && seLinuxTypes.has(type)) return;
  const good = ["system_u", "system_r", seLinuxTypes.has(type) ? type : "container_t", ...level].join(":");
  yield { control: controls.seLinuxType, path, value, fixes: [{ kind: "set", path, value: good }] };
}

/** What an engine hides by itself must be hidden here too; what lies below a hidden place is hidden with it. */
function* judgeProc(linux: Cursor): Generator<Offence> {
  const lists = [
    { name: "maskedPaths", needed: maskedPaths, control: ociControls.masked },
    { name: "readonlyPaths", needed: readonlyPaths, control: ociControls.readonly },
  ];
  for (const { name, needed, control } of lists) {
    const { path, value, items } = linux.field(name);
    const listed = items().map((item) => item.text() ?? "");
    const missing = needed.filter((place) => !listed.includes(place));
    if (missing.length > 0) yield { control, path, value, fixes: [{ kind: "set", path, value: [...listed, ...missing] }] };
  }
}

/** A profile is a list of hundreds of calls that only the engine's own knows: there is no patch. */
function* judgeFilter(linux: Cursor): Generator<Offence> {
  const seccomp = linux.field("seccomp");
  const { path, value, text } = seccomp.field("defaultAction");
  if (seccomp.value === undefined || denyingActions.has(text() ?? "")) return;
  yield { control: ociControls.seccomp, path, value, fixes: [] };
}

export function* judgeOciProcess(root: Cursor): Generator<Offence> {
  const process = root.field("process");
  const linux = root.field("linux");
  yield* judgeCapabilities(process);
  yield* judgeLabels(process);
  yield* judgeProc(linux);
  yield* judgeFilter(linux);
  for (const [name, { path }] of linux.field("sysctl").members()) {
    if (!safeSysctls.has(name)) yield { control: controls.sysctls, path, value: name, fixes: [{ kind: "remove", path }] };
  }
}

/** Uid 0 that every mapping leads to somebody who is not root outside. */
function isRootInsideAlone(linux: Cursor): boolean {
  const mappings = linux.field("uidMappings").items();
  const isOfNobody = (mapping: Cursor): boolean => (mapping.field("hostID").number() ?? 0) > 0;
  return hasOwnUsers(linux) && mappings.length > 0 && mappings.every(isOfNobody);
}

export function* judgeOciRestricted(root: Cursor, { isRootInside }: OwnParts): Generator<Offence> {
  const process = root.field("process");
  const seccomp = root.at(["linux", "seccomp"]);
  if (seccomp.value === undefined) yield { control: ociControls.seccompRequired, path: seccomp.path, value: undefined, fixes: [] };
  const escalation = process.field("noNewPrivileges");
  if (escalation.flag() !== true) {
    const { path, value } = escalation;
    yield { control: ociControls.escalation, path, value, fixes: [{ kind: "set", path, value: true }] };
  }
  const uid = process.at(["user", "uid"]);
  const isRoot = (uid.number() ?? 0) === 0;
  if (isRoot && !(isRootInside && isRootInsideAlone(root.field("linux")))) {
    const { path, value } = uid;
    yield { control: ociControls.user, path, value, fixes: [{ kind: "set", path, value: 65_532 }] };
  }
  for (const added of addedCapabilities(process)) {
    const name = capabilityName(added);
    if (restrictedCapabilities.has(name) || !baselineCapabilities.has(name)) continue;
    yield { control: controls.addOne, path: added.path, value: added.value, fixes: [{ kind: "remove", path: added.path }] };
  }
}

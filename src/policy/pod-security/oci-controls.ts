// The controls as they read in an OCI runtime spec, which says in full what a pod leaves to its engine. Not translated, because a runtime spec has
// nothing like it: host ports, the hosts of probes, Windows. Limits of processes are set by every engine, and stay its own.
import type { Sentence } from "../../contracts/sentence.ts";
import { type Control, controls } from "./controls.ts";

const reworded = (control: Control, rule: Sentence): Control => ({ ...control, rule });
const oneOf = (allowed: Iterable<string>): Sentence => ({ key: "pod-security.rule.present", values: { allowed: [...allowed].join(", ") } });
const absentOr = (allowed: Iterable<string>): Sentence => ({
  key: "pod-security.rule.absent-or",
  values: { allowed: [...allowed].join(", ") },
});
const absent: Sentence = { key: "pod-security.rule.absent" };

export const ownNamespaces = ["pid", "network", "ipc", "uts", "mount"] as const;
/** `/dev` of every container: memory, null, zero, full, random, tty. */
export const safeDevices: ReadonlySet<string> = new Set(["1:3", "1:5", "1:7", "1:8", "1:9", "5:0", "5:1", "5:2"]);
export const denyingActions: ReadonlySet<string> = new Set([
  "SCMP_ACT_ERRNO",
  "SCMP_ACT_KILL",
  "SCMP_ACT_KILL_PROCESS",
  "SCMP_ACT_KILL_THREAD",
  "SCMP_ACT_TRAP",
]);
export const maskedPaths = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/sys/firmware",
] as const;
export const readonlyPaths = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"] as const;
/** File systems that show nothing of the host by being mounted. */
export const harmlessTypes: ReadonlySet<string> = new Set(["cgroup", "cgroup2", "devpts", "mqueue", "proc", "sysfs", "tmpfs"]);

export const ociControls = {
  namespaces: reworded(controls.hostNamespaces, oneOf(ownNamespaces)),
  joined: reworded(controls.hostNamespaces, absent),
  propagation: reworded(controls.hostNamespaces, absentOr(["private", "rprivate", "slave", "rslave", "unbindable"])),
  hooks: reworded(controls.privileged, absent),
  devices: reworded(controls.privileged, { key: "pod-security.rule.oci-devices" }),
  deviceRules: reworded(controls.privileged, { key: "pod-security.rule.oci-device-rules" }),
  sysfs: reworded(controls.privileged, oneOf(["ro"])),
  bind: reworded(controls.hostPath, absent),
  mountType: reworded(controls.hostPath, oneOf(harmlessTypes)),
  root: reworded(controls.hostPath, { key: "pod-security.rule.oci-root" }),
  capabilitiesStated: reworded(controls.capabilities, { key: "pod-security.rule.oci-capabilities" }),
  masked: reworded(controls.procMount, oneOf(maskedPaths)),
  readonly: reworded(controls.procMount, oneOf(readonlyPaths)),
  procElsewhere: reworded(controls.procMount, { key: "pod-security.rule.oci-proc" }),
  appArmor: reworded(controls.appArmor, { key: "pod-security.rule.oci-app-armor" }),
  seccomp: reworded(controls.seccomp, oneOf(denyingActions)),
  seccompRequired: reworded(controls.seccompRequired, oneOf(denyingActions)),
  escalation: reworded(controls.escalation, oneOf(["true"])),
  user: controls.nonRootUser,
  cgroupMount: reworded(controls.cgroupMount, oneOf(["ro"])),
} as const satisfies Record<string, Control>;

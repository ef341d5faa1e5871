// The controls: which level asks each, its title, and what it allows. Ids are those of the checks of Kubernetes' own admission where it has them.
import type { ControlLevel } from "../../contracts/pod-security.ts";
import type { KeyPath } from "../key-path.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import type { Fix } from "./json-patch.ts";

export interface Control {
  readonly id: string;
  readonly level: ControlLevel;
  readonly title: string;
  readonly rule: Sentence;
}

/** What a control found. */
export interface Offence {
  readonly control: Control;
  readonly path: KeyPath;
  /** Undefined: the field is absent. */
  readonly value: unknown;
  /** None where nobody but the author can know what to write. */
  readonly fixes: readonly Fix[];
}

/** Added to a container beyond what a container engine gives by itself. */
export const baselineCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);
export const restrictedCapabilities: ReadonlySet<string> = new Set(["NET_BIND_SERVICE"]);
export const seLinuxTypes: ReadonlySet<string> = new Set(["container_t", "container_init_t", "container_kvm_t", "container_engine_t"]);
export const safeSysctls: ReadonlySet<string> = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ping_group_range",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_notsent_lowat",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_slow_start_after_idle",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.tcp_wmem",
]);
export const restrictedVolumeTypes: ReadonlySet<string> = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);
export const profileTypes: ReadonlySet<string> = new Set(["RuntimeDefault", "Localhost"]);

const absent: Sentence = { key: "pod-security.rule.absent" };
const absentOrFalse: Sentence = { key: "pod-security.rule.absent-or-false" };
const present = (allowed: string): Sentence => ({ key: "pod-security.rule.present", values: { allowed } });
const absentOr = (allowed: Iterable<string>): Sentence => ({
  key: "pod-security.rule.absent-or",
  values: { allowed: [...allowed].join(", ") },
});

/** @param title key of the catalogue */
const control = (id: string, level: ControlLevel, title: string, rule: Sentence): Control => ({ id, level, title, rule });

export const controls = {
  hostProcess: control("windowsHostProcess", "baseline", "pod-security.control.host-process", absentOrFalse),
  hostNamespaces: control("hostNamespaces", "baseline", "pod-security.control.host-namespaces", absentOrFalse),
  privileged: control("privileged", "baseline", "pod-security.control.privileged", absentOrFalse),
  capabilities: control("capabilities_baseline", "baseline", "pod-security.control.capabilities", absentOr(baselineCapabilities)),
  hostPath: control("hostPathVolumes", "baseline", "pod-security.control.host-path", absent),
  hostPorts: control("hostPorts", "baseline", "pod-security.control.host-ports", absentOr(["0"])),
  hostProbes: control("hostProbesAndHostLifecycle", "baseline", "pod-security.control.host-probes", absentOr(['""'])),
  appArmor: control("appArmorProfile", "baseline", "pod-security.control.app-armor", absentOr(profileTypes)),
  appArmorAnnotation: control(
    "appArmorProfile",
    "baseline",
    "pod-security.control.app-armor",
    absentOr(["runtime/default", "localhost/*"]),
  ),
  seLinuxType: control("seLinuxOptions", "baseline", "pod-security.control.se-linux", absentOr(seLinuxTypes)),
  seLinuxUser: control("seLinuxOptions", "baseline", "pod-security.control.se-linux", absent),
  procMount: control("procMount", "baseline", "pod-security.control.proc-mount", absentOr(["Default"])),
  seccomp: control("seccompProfile_baseline", "baseline", "pod-security.control.seccomp", absentOr(profileTypes)),
  sysctls: control("sysctls", "baseline", "pod-security.control.sysctls", absentOr(safeSysctls)),
  ulimits: control("ulimits", "baseline", "pod-security.control.ulimits", absent),
  volumeTypes: control("restrictedVolumes", "restricted", "pod-security.control.volume-types", absentOr(restrictedVolumeTypes)),
  escalation: control("allowPrivilegeEscalation", "restricted", "pod-security.control.escalation", present("false")),
  nonRoot: control("runAsNonRoot", "restricted", "pod-security.control.non-root", present("true")),
  nonRootUser: control("runAsUser", "restricted", "pod-security.control.non-root-user", { key: "pod-security.rule.not-zero" }),
  seccompRequired: control(
    "seccompProfile_restricted",
    "restricted",
    "pod-security.control.seccomp",
    present([...profileTypes].join(", ")),
  ),
  dropAll: control("capabilities_restricted", "restricted", "pod-security.control.capabilities", present("ALL")),
  addOne: control("capabilities_restricted", "restricted", "pod-security.control.capabilities", absentOr(restrictedCapabilities)),
  cgroupMount: control("cgroupOptions", "restricted", "pod-security.control.cgroup-mount", absentOr(["ReadOnly"])),
  credentials: control("credentialsInEnvironment", "beyond", "pod-security.control.credentials", {
    key: "pod-security.rule.no-credential",
  }),
  accountToken: control("serviceAccountToken", "beyond", "pod-security.control.account-token", { key: "pod-security.rule.no-token" }),
  image: control("mutableImage", "beyond", "pod-security.control.image", { key: "pod-security.rule.digest" }),
  limits: control("missingLimits", "beyond", "pod-security.control.limits", { key: "pod-security.rule.limit" }),
} as const satisfies Record<string, Control>;

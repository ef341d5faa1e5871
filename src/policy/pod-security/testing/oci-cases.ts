// Every control over OCI runtime specs as data: which values pass and which do not.
import { maskedPaths, readonlyPaths } from "../oci-controls.ts";
import type { Path } from "./pods.ts";

export interface OciCase {
  readonly control: string;
  readonly level: "baseline" | "restricted" | "beyond";
  readonly at: Path;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
  readonly told?: Path;
  readonly isUnpatched?: true;
}

const spaces = (...types: readonly string[]) => types.map((type) => ({ type }));
const all = ["pid", "network", "ipc", "uts", "mount"];
const mount = (rest: object) => ({ destination: "/data", ...rest });
const capabilitySets = ["bounding", "effective", "inheritable", "permitted", "ambient"];

export const ociCases: readonly OciCase[] = [
  {
    control: "hostNamespaces",
    level: "baseline",
    at: ["linux", "namespaces"],
    good: [spaces(...all), spaces("user", ...all)],
    bad: [undefined, null, [], ...all.map((left) => spaces(...all.filter((type) => type !== left))), spaces("Pid", ...all.slice(1))],
  },
  {
    control: "hostNamespaces",
    level: "baseline",
    at: ["linux", "namespaces", 1, "path"],
    good: [undefined, null],
    bad: ["/proc/1/ns/net", "/run/netns/other", ""],
  },
  {
    control: "hostNamespaces",
    level: "baseline",
    at: ["linux", "rootfsPropagation"],
    good: [undefined, "", "private", "rslave"],
    bad: ["shared", "rshared"],
  },
  {
    control: "hostNamespaces",
    level: "baseline",
    at: ["mounts", 5],
    told: ["mounts", 5, "options"],
    good: [mount({ type: "tmpfs", options: ["private"] })],
    bad: [mount({ type: "tmpfs", options: ["rshared"] })],
  },
  {
    control: "privileged",
    level: "baseline",
    at: ["hooks"],
    good: [undefined, {}, { prestart: [] }],
    bad: [{ prestart: [{ path: "/bin/true" }] }, { createRuntime: [{ path: "/bin/true" }] }, { future: [{}] }],
  },
  {
    control: "privileged",
    level: "baseline",
    at: ["linux", "devices"],
    told: ["linux", "devices", 0],
    good: [undefined, [], [{ path: "/dev/null", type: "c", major: 1, minor: 3 }], [{ path: "/dev/fifo", type: "p" }]],
    bad: [
      [{ path: "/dev/sda", type: "b", major: 8, minor: 0 }],
      [{ path: "/dev/mem", type: "c", major: 1, minor: 1 }],
      [{ path: "/dev/x", type: "c" }],
    ],
  },
  {
    control: "privileged",
    level: "baseline",
    at: ["linux", "resources", "devices"],
    good: [
      [{ allow: false, access: "rwm" }],
      [
        { allow: false, type: "a", access: "rwm" },
        { allow: true, type: "c", major: 1, minor: 5, access: "rw" },
        { allow: true, type: "c", major: 136, access: "rwm" },
      ],
    ],
    bad: [
      [],
      [{ allow: true, access: "rwm" }],
      [{ allow: false, access: "r" }],
      [{ allow: false, type: "b", access: "rwm" }],
      [
        { allow: false, access: "rwm" },
        { allow: true, type: "a", access: "rwm" },
      ],
      [
        { allow: false, access: "rwm" },
        { allow: true, type: "b", major: 8, access: "rwm" },
      ],
      [
        { allow: false, access: "rwm" },
        { allow: true, type: "c", major: 1, access: "rwm" },
      ],
    ],
  },
  { control: "privileged", level: "baseline", at: ["mounts", 1, "options"], good: [["ro"]], bad: [undefined, [], ["rw"]] },
  ...capabilitySets.map((set): OciCase => ({
    control: "capabilities_baseline",
    level: "baseline",
    at: ["process", "capabilities", set],
    told: ["process", "capabilities", set, 0],
    good: [undefined, [], ["CAP_NET_BIND_SERVICE"]],
    bad: [["CAP_SYS_ADMIN"], ["ALL"], ["CHOWN"], ["cap_chown"]],
  })),
  { control: "capabilities_baseline", level: "baseline", at: ["process", "capabilities"], good: [{}], bad: [undefined, null] },
  {
    control: "hostPathVolumes",
    level: "baseline",
    at: ["mounts", 5],
    told: ["mounts", 5, "source"],
    good: [mount({ type: "tmpfs" }), mount({ type: "mqueue" })],
    bad: [
      mount({ type: "bind", source: "/" }),
      mount({ type: "none", source: "/var/run/docker.sock", options: ["rbind", "ro"] }),
      mount({ type: "tmpfs", source: "/etc", options: ["bind"] }),
      mount({ source: "data", options: ["bind"] }),
      mount({ options: ["bind"] }),
    ],
  },
  {
    control: "hostPathVolumes",
    level: "baseline",
    at: ["mounts", 5],
    told: ["mounts", 5, "type"],
    good: [mount({ type: "tmpfs" })],
    bad: [
      mount({ type: "overlay", options: ["lowerdir=/"] }),
      mount({ type: "ext4", source: "/dev/sda" }),
      mount({ source: "/" }),
      mount({ type: "debugfs" }),
    ],
  },
  {
    control: "hostPathVolumes",
    level: "baseline",
    at: ["root", "path"],
    good: ["rootfs", "/var/lib/images/1"],
    bad: ["/", "//", "/tmp/..", "..", "a/../../..", "", undefined],
    isUnpatched: true,
  },
  {
    control: "appArmorProfile",
    level: "baseline",
    at: ["process", "apparmorProfile"],
    good: [undefined, "", "runtime-default"],
    bad: ["unconfined"],
  },
  {
    control: "seLinuxOptions",
    level: "baseline",
    at: ["process", "selinuxLabel"],
    good: [undefined, "", "system_u:system_r:container_t:s0:c1,c2"],
    bad: ["system_u:system_r:spc_t:s0", "unconfined_u:system_r:container_t:s0", "system_u:sysadm_r:container_t:s0", "x"],
  },
  {
    control: "procMount",
    level: "baseline",
    at: ["linux", "maskedPaths"],
    good: [[...maskedPaths, "/proc/interrupts"]],
    bad: [undefined, null, [], maskedPaths.slice(1)],
  },
  {
    control: "procMount",
    level: "baseline",
    at: ["linux", "readonlyPaths"],
    good: [[...readonlyPaths, "/x"]],
    bad: [undefined, [], readonlyPaths.slice(1)],
  },
  {
    control: "procMount",
    level: "baseline",
    at: ["mounts", 5],
    told: ["mounts", 5, "destination"],
    good: [{ destination: "/proc/", type: "proc" }],
    bad: [mount({ type: "proc" }), mount({ type: "sysfs", options: ["ro"] })],
  },
  {
    control: "seccompProfile_baseline",
    level: "baseline",
    at: ["linux", "seccomp", "defaultAction"],
    good: ["SCMP_ACT_ERRNO", "SCMP_ACT_KILL_PROCESS", "SCMP_ACT_TRAP"],
    bad: [undefined, "SCMP_ACT_ALLOW", "SCMP_ACT_LOG", "scmp_act_errno"],
    isUnpatched: true,
  },
  {
    control: "sysctls",
    level: "baseline",
    at: ["linux", "sysctl"],
    told: ["linux", "sysctl", "kernel.core_pattern"],
    good: [undefined, {}, { "net.ipv4.tcp_syncookies": "1" }],
    bad: [{ "kernel.core_pattern": "|/bin/x" }],
  },
  {
    control: "seccompProfile_restricted",
    level: "restricted",
    at: ["linux", "seccomp"],
    good: [{ defaultAction: "SCMP_ACT_ERRNO" }],
    bad: [undefined, null],
    isUnpatched: true,
  },
  {
    control: "allowPrivilegeEscalation",
    level: "restricted",
    at: ["process", "noNewPrivileges"],
    good: [true],
    bad: [undefined, null, false],
  },
  { control: "runAsUser", level: "restricted", at: ["process", "user", "uid"], good: [1, 65_534], bad: [undefined, null, 0, -0] },
  {
    control: "capabilities_restricted",
    level: "restricted",
    at: ["process", "capabilities", "bounding"],
    told: ["process", "capabilities", "bounding", 0],
    good: [["CAP_NET_BIND_SERVICE"]],
    bad: [["CAP_CHOWN"], ["CAP_KILL"]],
  },
  { control: "cgroupOptions", level: "restricted", at: ["mounts", 2, "options"], good: [["ro"]], bad: [undefined, [], ["rw"]] },
  {
    control: "credentialsInEnvironment",
    level: "beyond",
    at: ["process", "env", 0],
    good: ["PATH=/usr/bin", "AWS_REGION=x", "NOTHING"],
    bad: ["AWS_SECRET_ACCESS_KEY=x", "azure_client_secret=x", `ANY=AKIA${"A".repeat(16)}`],
  },
  {
    control: "serviceAccountToken",
    level: "beyond",
    at: ["mounts", 5],
    told: ["mounts", 5, "destination"],
    good: [mount({ type: "tmpfs" })],
    bad: ["/var/run/secrets/kubernetes.io/serviceaccount", "/run/secrets/kubernetes.io/serviceaccount/"].map((destination) => ({
      destination,
      type: "tmpfs",
    })),
  },
  ...[
    ["memory", "limit"],
    ["cpu", "quota"],
    ["pids", "limit"],
  ].map((field): OciCase => ({
    control: "missingLimits",
    level: "beyond",
    at: ["linux", "resources", ...field],
    good: [1],
    bad: [undefined, null, 0, -1],
  })),
];

// Every control over pods as data: which values pass and which do not. Places: `pod` is its spec, `container` each of the three lists.
import type { Path } from "./pods.ts";

export interface PodCase {
  readonly control: string;
  readonly level: "baseline" | "restricted" | "beyond";
  readonly in: "pod" | "container" | "metadata";
  readonly at: Path;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
  /** Where the violation is reported; absent: at `at`. */
  readonly told?: Path;
  /** Only its author can mend it. */
  readonly isUnpatched?: true;
  readonly lists?: readonly string[];
}

const flag = { good: [undefined, null, false], bad: [true] };
const host = { good: [undefined, null, ""], bad: ["169.254.169.254", "localhost"] };
const security = (name: string): Path => ["securityContext", name];
const both = (one: Omit<PodCase, "in">): readonly PodCase[] => [
  { ...one, in: "pod" },
  { ...one, in: "container" },
];

/** A profile that is stated badly; at the pod it may not be taken away under Restricted, which `restricted.test` says. */
const profiles = (control: string, name: string): readonly PodCase[] =>
  [
    {
      good: [{ type: "RuntimeDefault" }, { type: "Localhost", localhostProfile: "x.json" }],
      bad: [{ type: "Unconfined" }, { type: "" }, {}, { type: null }],
    },
  ].flatMap((values) => both({ control, level: "baseline", at: security(name), told: [...security(name), "type"], ...values }));

const added = (control: string, level: PodCase["level"], names: readonly string[]): PodCase => ({
  control,
  level,
  in: "container",
  at: ["securityContext", "capabilities", "add"],
  told: ["securityContext", "capabilities", "add", 0],
  good: [undefined, null, [], ["NET_BIND_SERVICE"]],
  bad: names.map((name) => [name]),
});

const volume = (control: string, level: PodCase["level"], type: string): PodCase => ({
  control,
  level,
  in: "pod",
  at: ["volumes", 0],
  told: ["volumes", 0, type],
  good: ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"].map((name) => ({
    name: "v",
    [name]: {},
  })),
  bad: [{ name: "v", [type]: { path: "/" } }],
});

const forbiddenVolumes = [
  ..."awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker gcePersistentDisk gitRepo glusterfs image iscsi".split(
    " ",
  ),
  ..."nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume ofTheFuture".split(" "),
];

export const podCases: readonly PodCase[] = [
  ...both({ control: "windowsHostProcess", level: "baseline", at: ["securityContext", "windowsOptions", "hostProcess"], ...flag }),
  ...["hostNetwork", "hostPID", "hostIPC"].map((name): PodCase => ({
    control: "hostNamespaces",
    level: "baseline",
    in: "pod",
    at: [name],
    ...flag,
  })),
  { control: "privileged", level: "baseline", in: "container", at: security("privileged"), ...flag },
  added("capabilities_baseline", "baseline", ["SYS_ADMIN", "NET_RAW", "ALL", "CAP_CHOWN", "chown", "BPF"]),
  volume("hostPathVolumes", "baseline", "hostPath"),
  {
    control: "hostPorts",
    level: "baseline",
    in: "container",
    at: ["ports", 0, "hostPort"],
    good: [undefined, null, 0],
    bad: [80, 65535, -1],
  },
  ...["livenessProbe", "readinessProbe", "startupProbe"].flatMap((probe) =>
    ["httpGet", "tcpSocket"].map((way): PodCase => ({
      control: "hostProbesAndHostLifecycle",
      level: "baseline",
      in: "container",
      at: [probe, way, "host"],
      ...host,
    })),
  ),
  ...["postStart", "preStop"].flatMap((hook) =>
    ["httpGet", "tcpSocket"].map((way): PodCase => ({
      control: "hostProbesAndHostLifecycle",
      level: "baseline",
      in: "container",
      at: ["lifecycle", hook, way, "host"],
      ...host,
    })),
  ),
  ...profiles("appArmorProfile", "appArmorProfile"),
  {
    control: "appArmorProfile",
    level: "baseline",
    in: "metadata",
    at: ["annotations", "container.apparmor.security.beta.kubernetes.io/web"],
    good: [undefined, "", "runtime/default", "localhost/web"],
    bad: ["unconfined", "docker/default"],
  },
  ...both({
    control: "seLinuxOptions",
    level: "baseline",
    at: ["securityContext", "seLinuxOptions", "type"],
    good: [undefined, null, "", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"],
    bad: ["spc_t", "unconfined_t"],
  }),
  ...["user", "role"].flatMap((name) =>
    both({
      control: "seLinuxOptions",
      level: "baseline",
      at: ["securityContext", "seLinuxOptions", name],
      good: [undefined, ""],
      bad: ["system_u"],
    }),
  ),
  {
    control: "procMount",
    level: "baseline",
    in: "container",
    at: security("procMount"),
    good: [undefined, "Default"],
    bad: ["Unmasked", ""],
  },
  ...profiles("seccompProfile_baseline", "seccompProfile"),
  {
    control: "sysctls",
    level: "baseline",
    in: "pod",
    at: ["securityContext", "sysctls"],
    told: ["securityContext", "sysctls", 0, "name"],
    good: [undefined, [], [{ name: "net.ipv4.tcp_syncookies", value: "1" }], [{ name: "net.ipv4.tcp_rmem", value: "1" }]],
    bad: [[{ name: "kernel.msgmax", value: "1" }], [{ name: "net/ipv4/tcp_syncookies", value: "1" }], [{ value: "1" }]],
  },
  {
    control: "ulimits",
    level: "baseline",
    in: "container",
    at: security("ulimits"),
    good: [undefined, null],
    bad: [[], [{ name: "nofile" }]],
  },
  ...forbiddenVolumes.map((type) => volume("restrictedVolumes", "restricted", type)),
  {
    control: "allowPrivilegeEscalation",
    level: "restricted",
    in: "container",
    at: security("allowPrivilegeEscalation"),
    good: [false],
    bad: [undefined, null, true],
  },
  { control: "runAsNonRoot", level: "restricted", in: "pod", at: security("runAsNonRoot"), good: [true], bad: [undefined, null, false] },
  {
    control: "runAsNonRoot",
    level: "restricted",
    in: "container",
    at: security("runAsNonRoot"),
    good: [undefined, null, true],
    bad: [false],
  },
  ...both({ control: "runAsUser", level: "restricted", at: security("runAsUser"), good: [undefined, null, 1, 65_534], bad: [0, -0] }),
  {
    control: "seccompProfile_restricted",
    level: "restricted",
    in: "pod",
    at: security("seccompProfile"),
    told: [...security("seccompProfile"), "type"],
    good: [{ type: "RuntimeDefault" }, { type: "Localhost" }],
    bad: [undefined, null],
  },
  {
    control: "capabilities_restricted",
    level: "restricted",
    in: "container",
    at: ["securityContext", "capabilities", "drop"],
    good: [["ALL"], ["CHOWN", "ALL"]],
    bad: [undefined, null, [], ["CHOWN"], ["all"], ["CAP_ALL"]],
  },
  added("capabilities_restricted", "restricted", ["CHOWN", "SETUID", "SYS_CHROOT", "KILL"]),
  {
    control: "cgroupOptions",
    level: "restricted",
    in: "container",
    at: ["securityContext", "cgroupOptions", "mountMode"],
    good: [undefined, null, "ReadOnly"],
    bad: ["Writable", ""],
  },
  {
    control: "credentialsInEnvironment",
    level: "beyond",
    in: "container",
    at: ["env", 0],
    good: [
      { name: "AWS_REGION", value: "x" },
      { name: "AWS_ROLE_ARN", value: "arn:aws:iam::1:role/x" },
      { name: "GOOGLE_APPLICATION_CREDENTIALS", value: "/x.json" },
    ],
    bad: [
      { name: "AWS_SECRET_ACCESS_KEY", value: "x" },
      { name: "aws_session_token", value: "x" },
      { name: "AZURE_CLIENT_SECRET", valueFrom: { secretKeyRef: { name: "a", key: "b" } } },
      { name: "ANY", value: `AKIA${"A".repeat(16)}` },
      { name: "KEY", value: "-----BEGIN PRIVATE KEY-----\nx" },
    ],
  },
  {
    control: "serviceAccountToken",
    level: "beyond",
    in: "pod",
    at: ["automountServiceAccountToken"],
    good: [false],
    bad: [undefined, null, true],
  },
  {
    control: "serviceAccountToken",
    level: "beyond",
    in: "pod",
    at: ["volumes", 0],
    told: ["volumes", 0, "projected", "sources", 0, "serviceAccountToken"],
    good: [{ name: "v", projected: { sources: [{ configMap: { name: "x" } }] } }],
    bad: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }],
  },
  {
    control: "serviceAccountToken",
    level: "beyond",
    in: "container",
    at: ["volumeMounts", 0],
    told: ["volumeMounts", 0, "mountPath"],
    good: [{ name: "scratch", mountPath: "/var/run/secrets/other" }],
    bad: [{ name: "scratch", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount/" }],
  },
  {
    control: "mutableImage",
    level: "beyond",
    in: "container",
    at: ["image"],
    good: [`a@sha256:${"0".repeat(64)}`, `a:1@sha256:${"f".repeat(64)}`],
    bad: [undefined, "a", "a:1", "a:latest", "a@sha256:00", `a@md5:${"0".repeat(64)}`],
    isUnpatched: true,
  },
  ...["memory", "cpu"].map((name): PodCase => ({
    control: "missingLimits",
    level: "beyond",
    in: "container",
    at: ["resources", "limits", name],
    good: ["1"],
    bad: [undefined, null],
    lists: ["containers", "initContainers"],
  })),
];

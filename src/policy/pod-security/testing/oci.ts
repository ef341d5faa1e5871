// An OCI runtime spec that passes everything, to be spoilt one field at a time.
import { maskedPaths, ownNamespaces, readonlyPaths } from "../oci-controls.ts";

export const goodSpec = () => ({
  ociVersion: "1.1.0",
  hostname: "box",
  root: { path: "rootfs", readonly: true },
  process: {
    user: { uid: 1000, gid: 1000 },
    args: ["true"],
    env: ["PATH=/usr/bin", "TERM=xterm"],
    cwd: "/",
    noNewPrivileges: true,
    capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
  },
  mounts: [
    { destination: "/proc", type: "proc", source: "proc" },
    { destination: "/sys", type: "sysfs", source: "sysfs", options: ["nosuid", "ro"] },
    { destination: "/sys/fs/cgroup", type: "cgroup", source: "cgroup", options: ["ro"] },
    { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755"] },
    { destination: "/dev/pts", type: "devpts", source: "devpts" },
  ],
  linux: {
    namespaces: [...ownNamespaces, "user", "cgroup"].map((type) => ({ type })),
    maskedPaths: [...maskedPaths],
    readonlyPaths: [...readonlyPaths],
    seccomp: { defaultAction: "SCMP_ACT_ERRNO", syscalls: [{ names: ["read"], action: "SCMP_ACT_ALLOW" }] },
    resources: {
      devices: [{ allow: false, access: "rwm" }],
      memory: { limit: 1024 },
      cpu: { quota: 100_000, period: 100_000 },
      pids: { limit: 64 },
    },
  },
});

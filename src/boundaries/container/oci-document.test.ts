// The document that a runtime gets: what it names, and what it must never name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { containerIdentity } from "./identity.ts";
import { ociDocument } from "./oci-document.ts";
import { allowedCalls, seccompProfile } from "./seccomp-profile.ts";

const root = { uid: 0, gid: 0, name: "root", home: "/root" };
const me = { uid: 1000, gid: 100, name: "me", home: "/home/me" };
const sandboxId = "s-01a22c0d548c-98a53ebba540";

const documentOf = (user: typeof root, isNetworkGiven = false) =>
  ociDocument({
    sandboxId,
    identity: containerIdentity(user, sandboxId),
    root: "/stage/root",
    sharedBytes: 4096,
    isNetworkGiven,
    boundProcessors: 1,
    guardArguments: [],
    places: [],
  });

test("containerIdentity() makes root's container two uids of nobody's, and an ordinary user's container the user", () => {
  const ours = containerIdentity(root, sandboxId);
  assert.equal(ours.insideUid, 1000);
  assert.deepEqual(
    ours.uidMappings.map(({ containerID, size }) => [containerID, size]),
    [
      [0, 1],
      [1000, 1],
    ],
  );
  assert.ok(ours.uidMappings.every(({ hostID }) => hostID >= 1_879_048_192));
  assert.equal(new Set(ours.uidMappings.map(({ hostID }) => hostID)).size, 2);
  const mine = containerIdentity(me, sandboxId);
  assert.deepEqual(
    [mine.uidMappings, mine.gidMappings],
    [[{ containerID: 0, hostID: 1000, size: 1 }], [{ containerID: 0, hostID: 100, size: 1 }]],
  );
});

test("ociDocument() has every namespace, no capability, no_new_privs, a read-only root and a seccomp profile, whoever asks", () => {
  for (const user of [root, me]) {
    const { process: started, root: rootFiles, linux } = documentOf(user);
    assert.deepEqual(linux.namespaces.map(({ type }) => type).toSorted(), ["cgroup", "ipc", "mount", "network", "pid", "user", "uts"]);
    assert.ok(linux.namespaces.every((namespace) => !("path" in namespace)));
    assert.deepEqual(Object.values(started.capabilities).flat(), []);
    assert.deepEqual([started.noNewPrivileges, rootFiles.readonly, started.terminal], [true, true, false]);
    assert.equal(linux.seccomp.defaultAction, "SCMP_ACT_ERRNO");
    assert.deepEqual(started.args, ["/run/glovebox/guard", "serve", `--sandbox=${sandboxId}`, "--processors=1"]);
  }
});

test("ociDocument() mounts nothing of the host, and every file system in memory has a size, or a number", () => {
  const { mounts } = documentOf(root);
  for (const { type, source, options } of mounts) {
    assert.ok(["proc", "tmpfs", "devpts"].includes(type) && !source.startsWith("/"), source);
    assert.ok(!options.some((option) => /bind|shared|^rw$/u.test(option)), options.join());
    if (type === "tmpfs") assert.ok(options.some((option) => option.startsWith("size=")));
    if (type === "devpts") assert.ok(options.includes("max=128"));
  }
});

test("seccompProfile() allows no call that reaches the machine, and namespaces by no way", () => {
  const never = `
    mount umount2 pivot_root move_mount open_tree fsopen mount_setattr setns chroot bpf perf_event_open
    userfaultfd keyctl add_key request_key io_uring_setup io_uring_enter kexec_load init_module finit_module
    delete_module reboot swapon iopl ioperm acct syslog quotactl settimeofday clock_settime adjtimex clock_adjtime
    sethostname open_by_handle_at name_to_handle_at clone clone3 unshare socket personality
  `
    .trim()
    .split(/\s+/u);
  assert.deepEqual(
    allowedCalls.filter((name) => never.includes(name)),
    [],
  );
  assert.equal(new Set(allowedCalls).size, allowedCalls.length);
  const { syscalls } = seccompProfile("x64");
  const masked = syscalls.filter(({ names }) => names.includes("clone") || names.includes("unshare"));
  // CLONE_NEWUSER, among others.
  assert.ok(masked.length === 2 && masked.every(({ args }) => ((args?.[0]?.value ?? 0) & 0x1000_0000) !== 0));
});

test("seccompProfile() of an unknown architecture allows it nothing", () => {
  assert.deepEqual(seccompProfile("riscv64").architectures, []);
});

test("ociDocument() makes no network where one is given, and every other namespace all the same", () => {
  const { linux } = documentOf(root, true);
  assert.deepEqual(linux.namespaces.map(({ type }) => type).toSorted(), ["cgroup", "ipc", "mount", "pid", "user", "uts"]);
});

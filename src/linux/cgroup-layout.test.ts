// Layouts of control groups as machines have them: version 1, version 2, both, containers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cgroupPlaces, groupAndAbove } from "./cgroup-layout.ts";

const mount = (root: string, point: string, type: string, options: string): string =>
  `30 25 0:26 ${root} ${point} rw,nosuid shared:9 - ${type} ${type} rw,${options}`;

test("cgroupPlaces() finds every tree of version 1 with the controllers that limit, and the unified tree beside them", () => {
  const mounts = [
    mount("/", "/sys/fs/cgroup/memory", "cgroup", "memory"),
    mount("/", "/sys/fs/cgroup/cpu,cpuacct", "cgroup", "cpu,cpuacct"),
    mount("/", "/sys/fs/cgroup/systemd", "cgroup", "xattr,name=systemd"),
    mount("/", "/sys/fs/cgroup/unified", "cgroup2", "nsdelegate"),
  ].join("\n");
  const memberships = "9:name=systemd:/\n4:memory:/a/b\n2:cpuacct,cpu:/\n0::/c\n";
  assert.deepEqual(cgroupPlaces({ mounts, memberships }), [
    { version: 1, controllers: [], mountPoint: "/sys/fs/cgroup/systemd", directory: "/sys/fs/cgroup/systemd" },
    { version: 1, controllers: ["memory"], mountPoint: "/sys/fs/cgroup/memory", directory: "/sys/fs/cgroup/memory/a/b" },
    { version: 1, controllers: ["cpu", "cpuacct"], mountPoint: "/sys/fs/cgroup/cpu,cpuacct", directory: "/sys/fs/cgroup/cpu,cpuacct" },
    { version: 2, controllers: [], mountPoint: "/sys/fs/cgroup/unified", directory: "/sys/fs/cgroup/unified/c" },
  ]);
});

test("cgroupPlaces() takes a mounted subtree for what it is, and leaves out what lies above it", () => {
  const mounts = mount("/docker/x", "/sys/fs/cgroup", "cgroup2", "nsdelegate");
  assert.deepEqual(
    cgroupPlaces({ mounts, memberships: "0::/docker/x/y" }).map(({ directory }) => directory),
    ["/sys/fs/cgroup/y"],
  );
  assert.deepEqual(cgroupPlaces({ mounts, memberships: "0::/docker/xy" }), []);
  assert.deepEqual(cgroupPlaces({ mounts, memberships: "0::/other" }), []);
});

test("cgroupPlaces() keeps colons of a group's name, and finds nothing in nonsense", () => {
  const mounts = mount("/", "/sys/fs/cgroup", "cgroup2", "x");
  assert.deepEqual(
    cgroupPlaces({ mounts, memberships: "0::/a:b" }).map(({ directory }) => directory),
    ["/sys/fs/cgroup/a:b"],
  );
  assert.deepEqual(cgroupPlaces({ mounts: "x\n\n - \n", memberships: "\n::\nmemory\n4:memory:/\n" }), []);
});

test("groupAndAbove() goes up to the mount point and no further", () => {
  const place = { version: 2, controllers: [], mountPoint: "/sys/fs/cgroup", directory: "/sys/fs/cgroup/a/b" } as const;
  assert.deepEqual(groupAndAbove(place), ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"]);
});

// The last look at a runtime spec of our own: what was put into it knowingly passes, everything else of the host refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { noParts } from "./oci-mounts.ts";
import { refuseOpenSpec } from "./refuse-open-spec.ts";
import { goodSpec } from "./testing/oci.ts";
import { ociCases } from "./testing/oci-cases.ts";
import { withValue } from "./testing/pods.ts";

const nothing = noParts;
const mounted = (source: string, options: readonly string[]): unknown =>
  withValue(goodSpec(), ["mounts", 5], { destination: "/x", type: "bind", source, options });

const isTooOpen = (error: unknown): boolean => error instanceof GloveboxError && error.code === "SPEC_TOO_OPEN";

test("refuseOpenSpec() lets a spec pass that keeps every control of Restricted", () => {
  assert.doesNotThrow(() => refuseOpenSpec(goodSpec(), nothing));
});

test("refuseOpenSpec() refuses each violation of the standard with the field", () => {
  for (const { at, bad, level } of ociCases) {
    for (const value of level === "beyond" ? [] : bad)
      assert.throws(() => refuseOpenSpec(withValue(goodSpec(), at, value), nothing), isTooOpen, at.join("."));
  }
  assert.throws(
    () => refuseOpenSpec(withValue(goodSpec(), ["process", "user", "uid"], 0), nothing),
    (error) => error instanceof GloveboxError && error.values["path"] === "process.user.uid" && error.values["control"] === "runAsUser",
  );
});

test("refuseOpenSpec() lets a bind mount pass that its maker names, read-only unless named as writable", () => {
  const binds = [
    { source: "/usr", isWritable: false },
    { source: "/srv/task/workspace", isWritable: true },
  ];
  const parts = { ...noParts, binds };
  assert.doesNotThrow(() => refuseOpenSpec(mounted("/usr", ["rbind", "ro"]), parts));
  assert.doesNotThrow(() => refuseOpenSpec(mounted("/srv/task/workspace", ["bind"]), parts));
  for (const [source, options] of [
    ["/usr", ["rbind"]],
    ["/usr", ["rbind", "ro", "rshared"]],
    ["/usr/", ["rbind", "ro"]],
    ["/srv/task/workspace/..", ["bind"]],
    ["/opt", ["bind", "ro"]],
  ] as const) {
    assert.throws(() => refuseOpenSpec(mounted(source, options), parts), isTooOpen, source);
  }
});

test("refuseOpenSpec() refuses the whole machine and the sockets of engines even where its maker names them", () => {
  for (const source of [
    "/",
    "/proc",
    "/run",
    "/var/run",
    "/etc",
    "/home",
    "/var/run/docker.sock",
    "/run/containerd/containerd.sock",
    "/run/podman/podman.sock",
  ]) {
    assert.throws(
      () => refuseOpenSpec(mounted(source, ["bind", "ro"]), { ...noParts, binds: [{ source, isWritable: true }] }),
      isTooOpen,
      source,
    );
  }
});

test("refuseOpenSpec() lets a namespace pass that its maker names, and no other", () => {
  const joining = (path: string): unknown => withValue(goodSpec(), ["linux", "namespaces", 1, "path"], path);
  const parts = { ...noParts, namespaces: ["/run/glovebox/ns/net"] };
  assert.doesNotThrow(() => refuseOpenSpec(joining("/run/glovebox/ns/net"), parts));
  assert.throws(() => refuseOpenSpec(joining("/proc/1/ns/net"), parts), isTooOpen);
});

test("refuseOpenSpec() lets uid 0 pass that is an ordinary user outside, where its maker says so", () => {
  const mapped = (hostID: unknown, namespaces: readonly object[] = goodSpec().linux.namespaces): unknown => {
    const root = withValue(goodSpec(), ["process", "user", "uid"], 0);
    return withValue(withValue(root, ["linux", "uidMappings"], [{ containerID: 0, hostID, size: 1 }]), ["linux", "namespaces"], namespaces);
  };
  const parts = { ...noParts, isRootInside: true };
  assert.doesNotThrow(() => refuseOpenSpec(mapped(1000), parts));
  assert.throws(() => refuseOpenSpec(mapped(1000), noParts), isTooOpen);
  assert.throws(() => refuseOpenSpec(mapped(0), parts), isTooOpen);
  assert.throws(() => refuseOpenSpec(mapped(undefined), parts), isTooOpen);
  const shared = goodSpec().linux.namespaces.filter(({ type }) => type !== "user");
  assert.throws(() => refuseOpenSpec(mapped(1000, shared), parts), isTooOpen);
  const joined = [...shared, { type: "user", path: "/proc/1/ns/user" }];
  assert.throws(() => refuseOpenSpec(mapped(1000, joined), { ...parts, namespaces: ["/proc/1/ns/user"] }), isTooOpen);
});

test("refuseOpenSpec() refuses what cannot be read as it is meant", () => {
  for (const spec of [undefined, null, [], "x", {}, { ociVersion: 1 }, withValue(goodSpec(), ["linux"], [])]) {
    assert.throws(() => refuseOpenSpec(spec, nothing), isTooOpen);
  }
});

test("refuseOpenSpec() misses no network of a spec that is started in one of its own, and every other namespace", () => {
  const given = { ...noParts, isNetworkGiven: true };
  const without = (gone: string): unknown =>
    withValue(
      goodSpec(),
      ["linux", "namespaces"],
      ["pid", "network", "ipc", "uts", "mount"].filter((type) => type !== gone).map((type) => ({ type })),
    );
  assert.doesNotThrow(() => refuseOpenSpec(without("network"), given));
  assert.throws(() => refuseOpenSpec(without("network"), nothing), isTooOpen);
  assert.throws(() => refuseOpenSpec(without("pid"), given), isTooOpen);
});

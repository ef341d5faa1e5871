// What Baseline asks of a pod.
import { baselineCapabilities, controls, type Offence, safeSysctls } from "./controls.ts";
import type { Pod } from "./pod.ts";
import { baselineRows, judgeProfiles, judgeRows } from "./pod-rows.ts";

const annotationPrefix = "container.apparmor.security.beta.kubernetes.io/";

function* judgeCapabilities({ containers }: Pod): Generator<Offence> {
  for (const container of containers) {
    for (const added of container.at(["securityContext", "capabilities", "add"]).items()) {
      if (baselineCapabilities.has(added.text() ?? "")) continue;
      yield { control: controls.capabilities, path: added.path, value: added.value, fixes: [{ kind: "remove", path: added.path }] };
    }
  }
}

/** The volume stays, empty: what mounts it would otherwise have nothing to mount. */
function* judgeHostPaths({ volumes }: Pod): Generator<Offence> {
  for (const volume of volumes) {
    const { path, value } = volume.field("hostPath");
    if (value === undefined) continue;
    const empty = volume.field("emptyDir");
    const fill = empty.value === undefined ? [{ kind: "set" as const, path: empty.path, value: {} }] : [];
    yield { control: controls.hostPath, path, value, fixes: [...fill, { kind: "remove", path }] };
  }
}

function* judgePorts({ containers }: Pod): Generator<Offence> {
  for (const container of containers) {
    for (const port of container.field("ports").items()) {
      const { path, value, number } = port.field("hostPort");
      if (value === undefined || number() === 0) continue;
      yield { control: controls.hostPorts, path, value, fixes: [{ kind: "remove", path }] };
    }
  }
}

function* judgeAnnotations({ metadata }: Pod): Generator<Offence> {
  for (const [name, annotation] of metadata.field("annotations").members()) {
    if (!name.startsWith(annotationPrefix)) continue;
    const profile = annotation.text() ?? "";
    if (profile === "" || profile === "runtime/default" || profile.startsWith("localhost/")) continue;
    const { path, value } = annotation;
    yield { control: controls.appArmorAnnotation, path, value, fixes: [{ kind: "set", path, value: "runtime/default" }] };
  }
}

function* judgeSysctls({ spec }: Pod): Generator<Offence> {
  for (const sysctl of spec.at(["securityContext", "sysctls"]).items()) {
    const { path, value, text } = sysctl.field("name");
    if (safeSysctls.has(text() ?? "")) continue;
    yield { control: controls.sysctls, path, value, fixes: [{ kind: "remove", path: sysctl.path }] };
  }
}

export function* judgeBaseline(pod: Pod): Generator<Offence> {
  yield* judgeRows(pod, baselineRows);
  yield* judgeCapabilities(pod);
  yield* judgeHostPaths(pod);
  yield* judgePorts(pod);
  yield* judgeProfiles(pod, controls.appArmor, "appArmorProfile");
  yield* judgeAnnotations(pod);
  yield* judgeProfiles(pod, controls.seccomp, "seccompProfile");
  yield* judgeSysctls(pod);
}

// What Glovebox asks of a pod where the standard asks nothing: no credential in its variables, no token, an image that cannot change, limits.
import { controls, type Offence } from "./controls.ts";
import { holdsCredential, namesCredential } from "./credential-shapes.ts";
import type { Pod } from "./pod.ts";
import type { Cursor } from "./spec-cursor.ts";

const tokenPlace = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The value is never shown: only the name is said. */
function* judgeVariables({ containers }: Pod): Generator<Offence> {
  for (const container of containers) {
    for (const variable of container.field("env").items()) {
      const name = variable.field("name").text() ?? "";
      if (!namesCredential(name) && !holdsCredential(variable.field("value").text() ?? "")) continue;
      yield { control: controls.credentials, path: variable.path, value: name, fixes: [{ kind: "remove", path: variable.path }] };
    }
  }
}

function* judgeToken({ spec, volumes, containers }: Pod): Generator<Offence> {
  const control = controls.accountToken;
  const automount = spec.field("automountServiceAccountToken");
  if (automount.flag() !== false) {
    const { path, value } = automount;
    yield { control, path, value, fixes: [{ kind: "set", path, value: false }] };
  }
  for (const volume of volumes) {
    for (const source of volume.at(["projected", "sources"]).items()) {
      const { path, value } = source.field("serviceAccountToken");
      if (value !== undefined) yield { control, path, value, fixes: [{ kind: "remove", path: source.path }] };
    }
  }
  for (const mount of containers.flatMap((container) => container.field("volumeMounts").items())) {
    const { path, value, text } = mount.field("mountPath");
    const place = (text() ?? "").replace(/\/+$/u, "");
    if (place === tokenPlace) yield { control, path, value, fixes: [{ kind: "remove", path: mount.path }] };
  }
}

/** Which digest a tag stands for only its registry knows: there is no patch. */
function* judgeImages({ containers }: Pod): Generator<Offence> {
  for (const container of containers) {
    const { path, value, text } = container.field("image");
    if (/@sha256:[0-9a-f]{64}$/u.test(text() ?? "")) continue;
    yield { control: controls.image, path, value, fixes: [] };
  }
}

/** What a sandbox of ours has by default. */
const usualLimits = [
  { name: "memory", value: "2Gi" },
  { name: "cpu", value: "2" },
] as const;

const isStated = ({ value }: Cursor): boolean => value !== undefined;

/** A limit of the whole pod holds for each of its containers. Ephemeral containers cannot have any. */
function* judgeLimits({ spec, containers }: Pod): Generator<Offence> {
  const ofPod = spec.at(["resources", "limits"]);
  for (const container of containers.filter(({ list }) => list !== "ephemeralContainers")) {
    for (const { name, value } of usualLimits) {
      const limit = container.at(["resources", "limits", name]);
      if (isStated(limit) || isStated(ofPod.field(name))) continue;
      yield { control: controls.limits, path: limit.path, value: undefined, fixes: [{ kind: "set", path: limit.path, value }] };
    }
  }
}

export function* judgeBeyond(pod: Pod): Generator<Offence> {
  yield* judgeVariables(pod);
  yield* judgeToken(pod);
  yield* judgeImages(pod);
  yield* judgeLimits(pod);
}

// An OCI runtime spec by the same controls as a pod.
import type { PodSecurityLevel } from "../../contracts/pod-security.ts";
import { controls, type Offence } from "./controls.ts";
import { holdsCredential, namesCredential } from "./credential-shapes.ts";
import { judgeCgroupMounts, judgeOciPlaces, type OwnParts } from "./oci-mounts.ts";
import { judgeOciProcess, judgeOciRestricted } from "./oci-process.ts";
import type { Cursor, ShapeFault } from "./spec-cursor.ts";

const tokenPlace = "/var/run/secrets/kubernetes.io/serviceaccount";

/** What a sandbox of ours has by default. */
const usualLimits = [
  { field: ["memory", "limit"], value: 2 * 1024 ** 3 },
  { field: ["cpu", "quota"], value: 200_000 },
  { field: ["pids", "limit"], value: 256 },
] as const;

export function* judgeOciBeyond(root: Cursor): Generator<Offence> {
  for (const variable of root.at(["process", "env"]).items()) {
    const text = variable.text() ?? "";
    const name = text.slice(0, Math.max(0, text.indexOf("=")));
    if (!namesCredential(name) && !holdsCredential(text)) continue;
    yield { control: controls.credentials, path: variable.path, value: name, fixes: [{ kind: "remove", path: variable.path }] };
  }
  for (const mount of root.field("mounts").items()) {
    const { path, value, text } = mount.field("destination");
    const place = (text() ?? "").replace(/^\/run\//u, "/var/run/").replace(/\/+$/u, "");
    if (place === tokenPlace) yield { control: controls.accountToken, path, value, fixes: [{ kind: "remove", path: mount.path }] };
  }
  for (const { field, value } of usualLimits) {
    const limit = root.at(["linux", "resources", ...field]);
    if ((limit.number() ?? 0) > 0) continue;
    yield { control: controls.limits, path: limit.path, value: limit.value, fixes: [{ kind: "set", path: limit.path, value }] };
  }
}

/** Without these nothing is said that could be judged; a spec for another system says other things. */
function noteSections(root: Cursor, note: (fault: ShapeFault) => void): void {
  for (const name of ["process", "linux", "root"]) {
    if (root.field(name).value === undefined)
      note({ situation: "pod-security.section-missing", path: [...root.path, name], values: { name } });
  }
  for (const name of ["windows", "solaris", "vm", "zos", "freebsd"]) {
    const { path, value } = root.field(name);
    if (value !== undefined) note({ situation: "pod-security.section-foreign", path, values: { name } });
  }
}

export interface OciJudgement {
  readonly level: PodSecurityLevel;
  readonly parts: OwnParts;
  readonly note: (fault: ShapeFault) => void;
}

/** By the standard alone. */
export function* judgeOci(root: Cursor, { level, parts, note }: OciJudgement): Generator<Offence> {
  noteSections(root, note);
  yield* judgeOciPlaces(root, parts);
  yield* judgeOciProcess(root);
  if (level === "baseline") return;
  yield* judgeOciRestricted(root, parts);
  yield* judgeCgroupMounts(root);
}

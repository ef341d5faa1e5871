// What Restricted asks of a pod beyond Baseline. Three controls are for Linux alone and are not asked of a pod that says it is for Windows.
import { baselineCapabilities, type Control, controls, type Offence, restrictedCapabilities, restrictedVolumeTypes } from "./controls.ts";
import type { Pod } from "./pod.ts";
import { judgeRows, restrictedRows } from "./pod-rows.ts";
import type { Cursor } from "./spec-cursor.ts";

/** A type that is not on the list is refused whatever it is called: new ones come with every version. */
function* judgeVolumeTypes({ volumes }: Pod): Generator<Offence> {
  for (const volume of volumes) {
    // A path of the host is Baseline's to name.
    const types = volume.members().filter(([name, type]) => !["name", "hostPath"].includes(name) && type.value !== undefined);
    const isFilled = types.some(([name]) => restrictedVolumeTypes.has(name));
    for (const [name, { path, value }] of types) {
      if (restrictedVolumeTypes.has(name)) continue;
      const fill = isFilled ? [] : [{ kind: "set" as const, path: [...volume.path, "emptyDir"], value: {} }];
      yield { control: controls.volumeTypes, path, value, fixes: [...fill, { kind: "remove", path }] };
    }
  }
}

function* judgeEscalation({ containers }: Pod): Generator<Offence> {
  for (const container of containers) {
    const { path, value, flag } = container.at(["securityContext", "allowPrivilegeEscalation"]);
    if (flag() === false) continue;
    yield { control: controls.escalation, path, value, fixes: [{ kind: "set", path, value: false }] };
  }
}

interface Inherited {
  readonly control: Control;
  /** Below `securityContext`. */
  readonly field: string;
  readonly isAllowed: (field: Cursor) => boolean;
  readonly good: unknown;
}

const nonRoot: Inherited = {
  control: controls.nonRoot,
  field: "runAsNonRoot",
  isAllowed: (field) => field.flag() === true,
  good: true,
};

/** What a container does not say itself it has from the pod. */
function* judgeInherited(pod: Pod, { control, field, isAllowed, good }: Inherited): Generator<Offence> {
  const above = pod.spec.at(["securityContext", field]);
  const own = pod.containers.map((container) => container.at(["securityContext", field]));
  const isNeeded = own.some(({ value }) => value === undefined);
  // Said wrongly it is an offence even where every container says better: the next one added would inherit it.
  for (const place of [...(above.value !== undefined || isNeeded ? [above] : []), ...own.filter(({ value }) => value !== undefined)]) {
    if (isAllowed(place)) continue;
    const { path, value } = place;
    yield { control, path, value, fixes: [{ kind: "set", path, value: good }] };
  }
}

/** A profile that is there and not allowed is Baseline's to name; here it only counts as none. */
function* judgeSeccomp(pod: Pod): Generator<Offence> {
  const profileOf = (place: Cursor): Cursor => place.at(["securityContext", "seccompProfile"]);
  const above = profileOf(pod.spec);
  if (above.value !== undefined || pod.containers.every((container) => profileOf(container).value !== undefined)) return;
  const fix = { kind: "set" as const, path: above.path, value: { type: "RuntimeDefault" } };
  yield { control: controls.seccompRequired, path: [...above.path, "type"], value: undefined, fixes: [fix] };
}

function* judgeCapabilities({ containers }: Pod): Generator<Offence> {
  for (const container of containers) {
    const capabilities = container.at(["securityContext", "capabilities"]);
    const drop = capabilities.field("drop");
    const dropped = drop.items().map((item) => item.text());
    if (!dropped.includes("ALL")) {
      const fix = { kind: "set" as const, path: drop.path, value: ["ALL"] };
      yield { control: controls.dropAll, path: drop.path, value: drop.value, fixes: [fix] };
    }
    for (const added of capabilities.field("add").items()) {
      const name = added.text() ?? "";
      // What Baseline forbids it has named already.
      if (restrictedCapabilities.has(name) || !baselineCapabilities.has(name)) continue;
      yield { control: controls.addOne, path: added.path, value: added.value, fixes: [{ kind: "remove", path: added.path }] };
    }
  }
}

export function* judgeRestricted(pod: Pod): Generator<Offence> {
  yield* judgeVolumeTypes(pod);
  yield* judgeInherited(pod, nonRoot);
  yield* judgeRows(pod, restrictedRows);
  if (pod.isWindows) return;
  yield* judgeEscalation(pod);
  yield* judgeSeccomp(pod);
  yield* judgeCapabilities(pod);
}

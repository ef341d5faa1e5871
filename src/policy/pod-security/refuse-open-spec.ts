// The last look at an OCI runtime spec that we made ourselves, before anything is started by it. INVARIANT I-02
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { dottedKey } from "../key-path.ts";
import { showValue } from "../plain-value.ts";
import type { OwnParts } from "./oci-mounts.ts";
import { judgeOci } from "./oci-spec.ts";
import { cursorAt, type ShapeFault } from "./spec-cursor.ts";

/**
 * Restricted, without what goes beyond the standard: the limits of a sandbox are held by other means, and an image has none.
 * @param parts what the caller put into it knowingly; everything else of the host refuses
 * @throws SPEC_TOO_OPEN naming the first field
 */
export function refuseOpenSpec(spec: unknown, parts: OwnParts): void {
  const faults: ShapeFault[] = [];
  const note = (fault: ShapeFault): void => void faults.push(fault);
  const offences = [...judgeOci(cursorAt(spec, note), { level: "restricted", parts, note })];
  const [fault] = faults;
  if (fault !== undefined) {
    throw new GloveboxError("SPEC_TOO_OPEN", "pod-security.own-spec-unreadable", { values: { path: dottedKey(fault.path) } });
  }
  const [offence] = offences;
  if (offence === undefined) return;
  const { path, value, control } = offence;
  const values = { path: dottedKey(path), value: showValue(value ?? null), control: control.id };
  throw new GloveboxError("SPEC_TOO_OPEN", "pod-security.own-spec-too-open", { values });
}

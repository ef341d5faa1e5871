// Whether a descriptor is the null device, from which nothing comes.
import { fstatSync, statSync } from "node:fs";

/** By what it is, not by its name: any node of that device will do. False for a descriptor that is closed. */
export function isNullDevice(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isCharacterDevice() && found.rdev === statSync("/dev/null").rdev;
  } catch {
    return false;
  }
}

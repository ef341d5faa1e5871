// Whether a program of the host can be started.
import { accessSync, constants } from "node:fs";

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // any reason makes it unusable, and the caller says so
  }
}

// Where everything of the ledger lies below the state directory.
import path from "node:path";
import type { TaskId } from "../contracts/ids.ts";

export interface Layout {
  readonly state: string;
  readonly version: string;
  readonly lock: string;
  readonly ledger: string;
  readonly heads: string;
  readonly blobs: string;
  readonly quarantine: string;
  readonly keys: string;
  readonly signKey: string;
  readonly verifierKey: string;
  readonly sealKey: string;
  segment(index: number): string;
  task(task: TaskId): string;
}

export function layoutOf(state: string): Layout {
  const inside = (...names: string[]): string => path.join(state, ...names);
  return {
    state,
    version: inside("VERSION"),
    lock: inside("broker.lock"),
    ledger: inside("ledger"),
    heads: inside("ledger", "heads.log"),
    blobs: inside("blobs"),
    quarantine: inside("quarantine"),
    keys: inside("keys"),
    signKey: inside("keys", "sign"),
    verifierKey: inside("keys", "sign.pub"),
    sealKey: inside("keys", "seal"),
    segment: (index) => inside("ledger", `segment-${String(index).padStart(8, "0")}.log`),
    task: (task) => inside("blobs", task),
  };
}

/** The number in a segment's file name, or undefined for any other name. */
export function segmentIndex(name: string): number | undefined {
  const digits = /^segment-(?<digits>\d{8})\.log$/u.exec(name)?.groups?.["digits"];
  return digits === undefined ? undefined : Number(digits);
}

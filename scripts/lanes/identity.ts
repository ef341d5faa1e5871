// Proves that this process is an ordinary user: the lane that claims so counts these as cases.
import { readFileSync } from "node:fs";
import type { LaneResult } from "./run-lane.ts";

export interface Identity {
  readonly uid: number;
  /** The effective capability set, 16 hex digits. */
  readonly capabilities: string;
}

export function readIdentity(status: string = readFileSync("/proc/self/status", "utf8")): Identity {
  const uids = /^Uid:\s+\d+\s+(\d+)/mu.exec(status)?.[1];
  return { uid: Number(uids ?? Number.NaN), capabilities: /^CapEff:\s+([0-9a-f]+)$/mu.exec(status)?.[1] ?? "unknown" };
}

export function judgeIdentity({ uid, capabilities }: Identity): LaneResult {
  const complaints: string[] = [];
  if (!(uid > 0)) complaints.push(`runs as uid ${uid}, which is no ordinary user`);
  if (!/^0+$/u.test(capabilities)) complaints.push(`holds capabilities ${capabilities}`);
  const count = { passed: 2 - complaints.length, failed: complaints.length, skipped: 0 };
  return { name: "ordinary user", count, complaints, seconds: 0 };
}

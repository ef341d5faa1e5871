// For tests: a ledger in a directory of its own whose clock, randomness and ids repeat exactly.
import { createHash } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Clock } from "../../contracts/clock.ts";
import { type TaskId, makeActionId, makeTaskId } from "../../contracts/ids.ts";
import type { NewRecord } from "../../contracts/ledger-record.ts";
import { removeTree } from "../../kit/remove-tree.ts";
import { type DurableFiles, type LedgerOptions, type OpenedLedger, durableFiles, openLedger } from "../ledger.ts";

/** 2026-01-01T00:00:00.000Z; every look moves it on by a millisecond. */
export function steppingClock(): Clock {
  let looks = 0;
  return {
    wallMs: () => 1_767_225_600_000 + (looks += 1),
    monotonicNs: () => BigInt(looks) * 1_000_000n,
    bootId: "00000000-0000-4000-8000-000000000000",
  };
}

/** A repeatable stream of bytes that looks random. */
export function seededBytes(seed: string): (count: number) => Uint8Array {
  let block = 0;
  return (count) => {
    const chunks: Buffer[] = [];
    for (let filled = 0; filled < count; filled += 32) {
      chunks.push(createHash("sha256").update(`${seed}/${block}`).digest());
      block += 1;
    }
    return Buffer.concat(chunks).subarray(0, count);
  };
}

/** Everything but the waiting for the device, which no test in one process could tell from not waiting. */
export const unsyncedFiles: DurableFiles = { ...durableFiles, sync: async () => {}, syncPath: async () => {} };

export function ledgerOptions(directory: string, changes: Partial<LedgerOptions> = {}): LedgerOptions {
  return {
    directory,
    clock: steppingClock(),
    randomBytes: seededBytes("ledger"),
    software: "glovebox/0.0.0",
    files: unsyncedFiles,
    ...changes,
  };
}

/** Runs `body` with a fresh path for a state directory and removes everything afterwards. */
export async function withStateDirectory<T>(body: (directory: string) => Promise<T>): Promise<T> {
  const parent = await mkdtemp(path.join(tmpdir(), "glovebox-ledger-"));
  try {
    return await body(path.join(parent, "state"));
  } finally {
    await removeTree(parent, { parent: tmpdir() });
  }
}

/** Opens, runs `body`, closes. */
export async function withLedger<T>(options: LedgerOptions, body: (ledger: OpenedLedger) => Promise<T>): Promise<T> {
  const ledger = await openLedger(options);
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}

export function taskNumber(number: number): TaskId {
  return makeTaskId({ nowMs: () => 1_767_225_600_000, randomBytes: seededBytes(`task ${number}`) });
}

/** A decision with details, as the broker records it. */
export async function decisionRecord(
  ledger: OpenedLedger,
  task: TaskId,
  argv: readonly string[] = ["git", "status"],
): Promise<NewRecord<"policy.decision">> {
  return {
    type: "policy.decision",
    task,
    action: makeActionId({ nowMs: () => 1_767_225_600_000, randomBytes: seededBytes(`action of ${task}`) }),
    body: {
      kind: "command",
      verdict: "allow",
      reasonCode: "default",
      boundary: "process",
      request: await ledger.commit(task, JSON.stringify(argv)),
      origins: ["built-in"],
    },
    detail: { argv, cwd: "/project" },
  };
}

/** A record without details; `code` tells it from others. */
export function refusedRecord(task: TaskId, code: string): NewRecord<"execution.refused"> {
  return { type: "execution.refused", task, body: { code } };
}

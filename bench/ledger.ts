// Bench of the ledger: durable appends a second when many callers append at once, the time from append to durable, and beside it
// what the device itself takes to sync. Budget: >= 5,000 a second, p99 < 15 ms. Run alone: `node bench/ledger.ts`.
import { randomBytes } from "node:crypto";
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeActionId, makeTaskId } from "../src/contracts/ids.ts";
import type { NewRecord } from "../src/contracts/ledger-record.ts";
import { removeTree } from "../src/kit/remove-tree.ts";
import { systemClock } from "../src/kit/system-clock.ts";
import { type OpenedLedger, openLedger, verifyLedger } from "../src/ledger/ledger.ts";

export interface LedgerBench {
  /** Callers that append at the same time, each waiting for its record before the next. */
  readonly callers: number;
  readonly appendsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LedgerBenchReport {
  readonly device: { readonly p50Ms: number; readonly p99Ms: number };
  readonly groups: readonly LedgerBench[];
  readonly verifiedPerSecond: number;
  /** Of the group of 64 callers, and that the log verifies afterwards. */
  readonly withinBudget: boolean;
}

const budget = { callers: 64, appendsPerSecond: 5000, p99Ms: 15 };

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** One record's worth of bytes written and synced, again and again. */
function measureDevice(directory: string): { readonly p50Ms: number; readonly p99Ms: number } {
  const descriptor = openSync(path.join(directory, "device"), "a", 0o600);
  const times = Array.from({ length: 200 }, () => {
    const started = performance.now();
    writeSync(descriptor, Buffer.alloc(600, "x"));
    fdatasyncSync(descriptor);
    return performance.now() - started;
  }).toSorted((left, right) => left - right);
  closeSync(descriptor);
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}

async function decision(ledger: OpenedLedger): Promise<NewRecord<"policy.decision">> {
  const source = { nowMs: () => Date.now(), randomBytes };
  const task = makeTaskId(source);
  const commitment = await ledger.commit(task, "request");
  return {
    type: "policy.decision",
    task,
    action: makeActionId(source),
    body: {
      kind: "command",
      verdict: "allow",
      rule: commitment,
      reasonCode: "rule",
      boundary: "process",
      request: commitment,
      origins: ["built-in", "user", "project"],
    },
  };
}

async function measureGroup(ledger: OpenedLedger, callers: number, durationMs: number): Promise<LedgerBench> {
  const record = await decision(ledger);
  const times: number[] = [];
  const started = performance.now();
  const caller = async (): Promise<void> => {
    while (performance.now() - started < durationMs) {
      const asked = performance.now();
      await ledger.append(record, "synced");
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - started) / 1000;
  times.sort((left, right) => left - right);
  return { callers, appendsPerSecond: times.length / seconds, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}

/** @param options.durationMs for each group of callers; 1,500 by default */
export async function benchLedger(options: { readonly durationMs?: number } = {}): Promise<LedgerBenchReport> {
  const directory = await mkdtemp(path.join(tmpdir(), "glovebox-bench-"));
  try {
    const state = path.join(directory, "state");
    const device = measureDevice(directory);
    const ledger = await openLedger({ directory: state, clock: systemClock(), randomBytes, software: "glovebox/bench" });
    const groups: LedgerBench[] = [];
    await measureGroup(ledger, budget.callers, 300); // warms the code up
    for (const callers of [1, 16, budget.callers, 256]) groups.push(await measureGroup(ledger, callers, options.durationMs ?? 1500));
    await ledger.seal();
    await ledger.close();
    const started = performance.now();
    const { exit, records } = await verifyLedger({ directory: state });
    const verifiedPerSecond = records / ((performance.now() - started) / 1000);
    const group = groups.find(({ callers }) => callers === budget.callers);
    const fast = group !== undefined && group.appendsPerSecond >= budget.appendsPerSecond && group.p99Ms < budget.p99Ms;
    return { device, groups, verifiedPerSecond, withinBudget: fast && exit === 0 };
  } finally {
    await removeTree(directory, { parent: tmpdir() });
  }
}

/** The report as aligned lines. */
export function ledgerBenchLines(report: LedgerBenchReport): readonly string[] {
  const ms = (value: number): string => value.toFixed(2).padStart(7);
  return [
    `device: write + fdatasync            p50 ${ms(report.device.p50Ms)} ms  p99 ${ms(report.device.p99Ms)} ms`,
    ...report.groups.map(
      ({ callers, appendsPerSecond, p50Ms, p99Ms }) =>
        `append synced, ${String(callers).padStart(3)} callers ${appendsPerSecond.toFixed(0).padStart(8)} /s  p50 ${ms(p50Ms)} ms  p99 ${ms(p99Ms)} ms`,
    ),
    `verify                  ${report.verifiedPerSecond.toFixed(0).padStart(11)} /s`,
    `budget: ${budget.callers} callers >= ${budget.appendsPerSecond} /s, p99 < ${budget.p99Ms} ms: ${report.withinBudget ? "kept" : "MISSED"}`,
  ];
}

if (import.meta.main) {
  const report = await benchLedger();
  for (const line of ledgerBenchLines(report)) console.log(line);
  if (!report.withinBudget) process.exitCode = 1;
}

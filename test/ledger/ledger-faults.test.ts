// A full disk at every change, a power cut at every change: what was promised stays, what failed says so, and the ledger goes on afterwards.
// One process; here because of the number of cases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { type OpenedLedger, openLedger, openLedgerReader, verifyLedger } from "../../src/ledger/ledger.ts";
import { FailingFiles } from "../../src/ledger/testing/failing-files.ts";
import { PowerCutFiles } from "../../src/ledger/testing/power-cut-files.ts";
import {
  decisionRecord,
  ledgerOptions,
  refusedRecord,
  taskNumber,
  withLedger,
  withStateDirectory,
} from "../../src/ledger/testing/ledger-fixture.ts";

const task = taskNumber(1);

/** What a caller was told is in the log: sequence number -> type. */
type Promised = Map<number, string>;

/** Every failure must be LEDGER_UNWRITABLE; returns whether the step succeeded. */
async function attempt(step: () => Promise<void>): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    assert.ok(error instanceof GloveboxError, String(error));
    assert.equal(error.code, "LEDGER_UNWRITABLE", error.message);
    return false;
  }
}

async function useLedger(ledger: OpenedLedger, promised: Promised): Promise<void> {
  const append = (code: string, durability: "kernel" | "synced"): Promise<boolean> =>
    attempt(async () => void promised.set((await ledger.append(refusedRecord(task, code), durability)).seq, "execution.refused"));
  await attempt(async () => {
    promised.set((await ledger.append(await decisionRecord(ledger, task), "kernel")).seq, "policy.decision");
  });
  await append("A", "synced");
  await Promise.all(["B", "C", "D", "E"].map((code) => append(code, "synced")));
  await attempt(async () => void (await ledger.seal()));
  await attempt(async () => {
    await ledger.append(await decisionRecord(ledger, taskNumber(2)), "synced");
    await ledger.eraseTask(taskNumber(2));
  });
  await append("F", "kernel");
  await attempt(async () => void (await ledger.seal()));
}

/** @returns how many changes the whole run asks for, when none fails */
async function runWithFault(at: number, forever: boolean): Promise<number> {
  return withStateDirectory(async (directory) => {
    const files = new FailingFiles(at, forever);
    const promised: Promised = new Map();
    await attempt(async () => {
      const ledger = await openLedger(ledgerOptions(directory, { files, segmentBytes: 1500 }));
      try {
        await useLedger(ledger, promised);
      } finally {
        await ledger.close();
      }
    });
    const changes = files.count;
    await withLedger(ledgerOptions(directory, { segmentBytes: 1500 }), async (ledger) => {
      await ledger.append(refusedRecord(task, "AFTER"), "synced");
      await ledger.seal();
    });
    const report = await verifyLedger({ directory });
    assert.ok(report.exit === 0 || report.exit === 5, `fault ${at}: ${JSON.stringify(report.findings)}`);
    const reader = openLedgerReader({ directory });
    for (const [seq, type] of promised) assert.equal(reader.read(seq).type, type, `fault ${at}: record ${seq}`);
    return changes;
  });
}

for (const forever of [false, true]) {
  test(`a disk that is full ${forever ? "from change n on" : "at change n only"}, for every n, loses nothing that was promised`, async () => {
    const changes = await runWithFault(Number.POSITIVE_INFINITY, forever);
    assert.ok(changes >= 60, `${changes} changes`);
    for (let at = 1; at <= changes; at += 1) await runWithFault(at, forever);
  });
}

test("a power cut at change n, for every n, keeps every synced record and its details", async () => {
  const run = async (at: number): Promise<number> =>
    withStateDirectory(async (directory) => {
      const power = new PowerCutFiles(at);
      const synced = new Map<number, boolean>();
      await attempt(async () => {
        const ledger = await openLedger(ledgerOptions(directory, { files: power, segmentBytes: 1500 }));
        try {
          await attempt(async () => {
            await ledger.append(await decisionRecord(ledger, task), "kernel");
            for (const code of ["A", "B"]) synced.set((await ledger.append(refusedRecord(task, code), "synced")).seq, false);
            synced.set((await ledger.append(await decisionRecord(ledger, taskNumber(2)), "synced")).seq, true);
            await ledger.append(refusedRecord(task, "K"), "kernel");
            await ledger.seal();
            await Promise.all(
              ["C", "D"].map(async (code) => synced.set((await ledger.append(refusedRecord(task, code), "synced")).seq, false)),
            );
          });
        } finally {
          await ledger.close();
        }
      });
      power.lose();
      await withLedger(ledgerOptions(directory, { segmentBytes: 1500 }), async (ledger) => ledger.seal());
      const report = await verifyLedger({ directory });
      assert.ok(report.exit === 0 || report.exit === 5, `cut ${at}: ${JSON.stringify(report.findings)}`);
      const reader = openLedgerReader({ directory });
      for (const [seq, detailed] of synced) assert.equal(reader.read(seq).detail !== undefined, detailed, `cut ${at}: record ${seq}`);
      return power.count;
    });
  const changes = await run(Number.POSITIVE_INFINITY);
  assert.ok(changes >= 40, `${changes} changes`);
  for (let at = 1; at <= changes; at += 1) await run(at);
});

// For tests: damages a small ledger at many places, one after another, and checks what opening makes of each.
import assert from "node:assert/strict";
import { readFile, readdir, truncate, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { openLedger, verifyLedger } from "../ledger.ts";
import { ledgerOptions, refusedRecord, taskNumber, withLedger, withStateDirectory } from "./ledger-fixture.ts";

export const segmentOf = (directory: string): string => path.join(directory, "ledger", "segment-00000000.log");
export const headsOf = (directory: string): string => path.join(directory, "ledger", "heads.log");

/** Four records under a head, then `loose` ones that no head covers. */
export async function fillLedger(directory: string, loose: number): Promise<{ readonly sealedBytes: number; readonly bytes: Buffer }> {
  const task = taskNumber(1);
  return withLedger(ledgerOptions(directory), async (ledger) => {
    for (const code of ["A", "B", "C"]) await ledger.append(refusedRecord(task, code), "synced");
    await ledger.seal();
    const sealedBytes = (await readFile(segmentOf(directory))).length;
    for (let index = 0; index < loose; index += 1) await ledger.append(refusedRecord(task, `L${index}`), "synced");
    return { sealedBytes, bytes: await readFile(segmentOf(directory)) };
  });
}

/** Opening fails and changes nothing. */
export async function assertInconsistent(directory: string, what: string): Promise<void> {
  const before = await readFile(segmentOf(directory));
  await assert.rejects(
    openLedger(ledgerOptions(directory)),
    (error) => {
      assert.ok(error instanceof GloveboxError, String(error));
      assert.equal(error.code, "LEDGER_INCONSISTENT", `${what}: ${error.message}`);
      return true;
    },
    what,
  );
  assert.deepEqual(await readFile(segmentOf(directory)), before, `${what}: the log was touched`);
  assert.deepEqual(await readdir(path.join(directory, "quarantine")), [], what);
}

async function restore(directory: string, content: { readonly segment: Buffer; readonly heads: Buffer }): Promise<void> {
  await writeFile(segmentOf(directory), content.segment);
  await writeFile(headsOf(directory), content.heads);
  const quarantine = path.join(directory, "quarantine");
  for (const name of await readdir(quarantine)) await unlink(path.join(quarantine, name));
}

async function checkTornTail(
  directory: string,
  place: { readonly cut: number; readonly whole: number; readonly torn: Buffer },
): Promise<void> {
  const { cut, whole, torn } = place;
  const isTorn = torn.length > 0;
  await withLedger(ledgerOptions(directory), async (ledger) => {
    const { seq } = await ledger.append(refusedRecord(taskNumber(1), "NEXT"), "synced");
    assert.equal(seq, 4 + whole + (isTorn ? 1 : 0), `cut at ${cut}`);
  });
  const report = await verifyLedger({ directory });
  assert.equal(report.exit, isTorn ? 5 : 0, `cut at ${cut}: ${JSON.stringify(report.findings)}`);
  const kept = await readdir(path.join(directory, "quarantine"));
  assert.equal(kept.length, isTorn ? 1 : 0, `cut at ${cut}`);
  for (const name of kept) {
    assert.match(name, /^torn-\d{8}T\d{9}Z\.bin$/u);
    assert.deepEqual(await readFile(path.join(directory, "quarantine", name)), torn);
  }
}

/** Cuts the log at every `stride`-th byte after the last head. @returns how many places were tried, like all below */
export async function tearTails(stride: number): Promise<number> {
  return withStateDirectory(async (directory) => {
    const { sealedBytes, bytes } = await fillLedger(directory, 2);
    const heads = await readFile(headsOf(directory));
    const ends = [sealedBytes, sealedBytes + 9 + bytes.readUInt32LE(sealedBytes), bytes.length];
    let tried = 0;
    for (let cut = sealedBytes; cut < bytes.length; cut += stride) {
      const segment = bytes.subarray(0, cut);
      await restore(directory, { segment, heads });
      const whole = ends.filter((end) => end <= cut).length - 1;
      await checkTornTail(directory, { cut, whole, torn: segment.subarray(ends[whole]) });
      tried += 1;
    }
    return tried;
  });
}

/** Cuts what a head covers. */
export async function cutSigned(stride: number): Promise<number> {
  return withStateDirectory(async (directory) => {
    const { sealedBytes } = await fillLedger(directory, 0);
    let tried = 0;
    for (let cut = sealedBytes - 1; cut > 0; cut -= stride) {
      await truncate(segmentOf(directory), cut);
      await assertInconsistent(directory, `cut at ${cut}`);
      tried += 1;
    }
    return tried;
  });
}

/** Flips a bit in a byte that has a whole record behind it, signed or not. */
export async function flipBytes(stride: number): Promise<number> {
  return withStateDirectory(async (directory) => {
    const { sealedBytes, bytes } = await fillLedger(directory, 3);
    const lastStart = bytes.length - (bytes.length - sealedBytes) / 3;
    let tried = 0;
    for (let at = 0; at < lastStart; at += stride) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      await writeFile(segmentOf(directory), flipped);
      await assertInconsistent(directory, `byte ${at}`);
      tried += 1;
    }
    return tried;
  });
}

/** Cuts the last tree head. */
export async function tearHeads(stride: number): Promise<number> {
  return withStateDirectory(async (directory) => {
    const { bytes: segment } = await fillLedger(directory, 0);
    const heads = await readFile(headsOf(directory));
    const first = heads.indexOf("\n", heads.indexOf("\n— ") + 1) + 1;
    let tried = 0;
    for (let cut = first + 1; cut < heads.length; cut += stride) {
      await restore(directory, { segment, heads: heads.subarray(0, cut) });
      await withLedger(ledgerOptions(directory), async (ledger) => ledger.seal());
      assert.equal((await verifyLedger({ directory })).exit, 5, `cut at ${cut}`);
      tried += 1;
    }
    return tried;
  });
}

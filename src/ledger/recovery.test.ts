// What opening does after crashes, bit rot and tampering.
import assert from "node:assert/strict";
import { appendFile, cp, readFile, readdir, rename, truncate, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { encodeFrame } from "./frame.ts";
import { openLedger, openLedgerReader, verifyLedger } from "./ledger.ts";
import { leafHash } from "./merkle.ts";
import {
  assertInconsistent,
  cutSigned,
  fillLedger as fill,
  flipBytes,
  headsOf,
  segmentOf,
  tearHeads,
  tearTails,
} from "./testing/damage.ts";
import { FailingFiles } from "./testing/failing-files.ts";
import { ledgerOptions, refusedRecord, taskNumber, withLedger, withStateDirectory } from "./testing/ledger-fixture.ts";

const task = taskNumber(1);
/** Coprime to the lengths at hand; test/ledger does the same at every byte. */
const stride = 29;

test("openLedger() after a cut in the unsigned tail keeps all whole records and quarantines the rest", async () => {
  assert.ok((await tearTails(stride)) > 10);
});

test("openLedger() refuses a cut in what was signed", async () => {
  assert.ok((await cutSigned(stride)) > 10);
});

test("openLedger() refuses a flipped byte with whole records behind it", async () => {
  assert.ok((await flipBytes(stride)) > 10);
});

test("openLedger() cuts a torn tree head and records that", async () => {
  assert.ok((await tearHeads(stride)) > 5);
});

test("openLedger() treats a wrong checksum in the last, unsigned record as torn", async () => {
  await withStateDirectory(async (directory) => {
    const { bytes } = await fill(directory, 1);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 5] = 0;
    await writeFile(segmentOf(directory), flipped);
    await (await openLedger(ledgerOptions(directory))).close();
    assert.equal((await verifyLedger({ directory })).exit, 5);
    assert.equal(openLedgerReader({ directory }).list({ limit: 1 })[0]?.type, "log.recovered");
  });
});

test("openLedger() refuses a sound record that does not continue the chain", async () => {
  await withStateDirectory(async (directory) => {
    const { bytes } = await fill(directory, 0);
    const last = bytes.subarray(bytes.lastIndexOf('{"body"'), -1).toString();
    const forged: Readonly<Record<string, string>> = {
      "a repeated record": last,
      "the right number on the wrong chain": last.replace('"seq":3', '"seq":4'),
      "another log": last
        .replace('"seq":3', '"seq":4')
        .replace(/"prev":"[0-9a-f]{64}"/u, `"prev":"${leafHash(Buffer.from(last)).toString("hex")}"`)
        .replace(/"log":"l-./u, '"log":"l-x'),
      "no JSON": "{]",
    };
    for (const [what, text] of Object.entries(forged)) {
      await writeFile(segmentOf(directory), Buffer.concat([bytes, encodeFrame(Buffer.from(text))]));
      await assertInconsistent(directory, what);
    }
  });
});

test("openLedger() finishes a recovery that died between cutting and recording", async () => {
  await withStateDirectory(async (directory) => {
    await fill(directory, 1);
    const pending = path.join(directory, "quarantine", "torn-20260101T000000000Z.bin.pending");
    await writeFile(pending, "torn bytes", { mode: 0o600 });
    await (await openLedger(ledgerOptions(directory))).close();
    assert.deepEqual(await readdir(path.join(directory, "quarantine")), ["torn-20260101T000000000Z.bin"]);
    const [record] = openLedgerReader({ directory }).list({ limit: 1 });
    assert.deepEqual([record?.type, record?.body["tornBytes"]], ["log.recovered", 10]);
  });
});

test("openLedger() refuses missing or foreign heads, keys and segments", async () => {
  const damages: Readonly<Record<string, (directory: string) => Promise<void>>> = {
    "heads removed": (directory) => unlink(headsOf(directory)),
    "heads emptied": (directory) => truncate(headsOf(directory)),
    "a head altered": async (directory) => {
      const heads = await readFile(headsOf(directory), "utf8");
      await writeFile(headsOf(directory), heads.replace("\n4\n", "\n3\n"));
    },
    "the sign key removed": (directory) => unlink(path.join(directory, "keys", "sign")),
    "the seal key removed": (directory) => unlink(path.join(directory, "keys", "seal")),
    "the public key removed": (directory) => unlink(path.join(directory, "keys", "sign.pub")),
    "the sign key garbled": (directory) => writeFile(path.join(directory, "keys", "sign"), "no key"),
    "the segment removed": (directory) => unlink(segmentOf(directory)),
    "the segment emptied": (directory) => truncate(segmentOf(directory)),
    "a segment from nowhere": (directory) => writeFile(path.join(directory, "ledger", "segment-00000001.log"), "", { mode: 0o600 }),
    "a gap in the segments": (directory) => rename(segmentOf(directory), path.join(directory, "ledger", "segment-00000001.log")),
  };
  for (const [what, damage] of Object.entries(damages)) {
    await withStateDirectory(async (directory) => {
      await fill(directory, 0);
      await damage(directory);
      await assert.rejects(
        openLedger(ledgerOptions(directory)),
        (error) => error instanceof GloveboxError && error.code === "LEDGER_INCONSISTENT",
        what,
      );
    });
  }
});

test("append() refuses when the log shrinks, or is replaced, while it is open", async () => {
  const damages: Readonly<Record<string, (directory: string) => Promise<void>>> = {
    shrunk: async (directory) => truncate(segmentOf(directory), (await readFile(segmentOf(directory))).length - 1),
    replaced: async (directory) => {
      await cp(segmentOf(directory), `${segmentOf(directory)}.copy`);
      await rename(`${segmentOf(directory)}.copy`, segmentOf(directory));
    },
    removed: (directory) => unlink(segmentOf(directory)),
    "heads shrunk": (directory) => truncate(headsOf(directory)),
  };
  for (const [what, damage] of Object.entries(damages)) {
    await withStateDirectory(async (directory) => {
      await withLedger(ledgerOptions(directory), async (ledger) => {
        await ledger.append(refusedRecord(task, "A"), "synced");
        await damage(directory);
        for (let attempt = 0; attempt < 2; attempt += 1) {
          await assert.rejects(
            ledger.append(refusedRecord(task, "B"), "kernel"),
            (error) => error instanceof GloveboxError && error.code === "LEDGER_INCONSISTENT",
            what,
          );
        }
      });
    });
  }
});

test("append() recovers a tail that another writer left torn while this one is open", async () => {
  await withStateDirectory(async (directory) => {
    await withLedger(ledgerOptions(directory), async (ledger) => {
      await ledger.append(refusedRecord(task, "A"), "synced");
      await appendFile(segmentOf(directory), Buffer.from([200, 0, 0, 0, 1, 2, 3]));
      assert.equal((await ledger.append(refusedRecord(task, "B"), "synced")).seq, 3);
    });
    const report = await verifyLedger({ directory });
    assert.deepEqual([report.exit, report.findings.map(({ seq }) => seq)], [5, [2]]);
  });
});

test("openLedger() of a log of several segments checks only its end, and appends to it", async () => {
  await withStateDirectory(async (directory) => {
    await withLedger(ledgerOptions(directory, { segmentBytes: 300_000 }), async (ledger) => {
      await Promise.all(Array.from({ length: 4000 }, (_, index) => ledger.append(refusedRecord(task, `C${index}`), "kernel")));
      await ledger.seal();
    });
    await withLedger(ledgerOptions(directory, { segmentBytes: 300_000 }), async (ledger) => {
      assert.ok((await ledger.append(refusedRecord(task, "AFTER"), "synced")).seq > 4000);
    });
    assert.equal((await verifyLedger({ directory })).exit, 0);
    assert.ok((await readdir(path.join(directory, "ledger"))).length > 4);
  });
});

test("append() says that the disk is full, and works again in the same process afterwards", async () => {
  await withStateDirectory(async (directory) => {
    const opening = async (at: number): Promise<number> => {
      const files = new FailingFiles(at, false);
      const ledger = await openLedger(ledgerOptions(directory, { files }));
      const changes = files.count;
      if (Number.isFinite(at)) {
        await assert.rejects(
          ledger.append(refusedRecord(task, "FULL"), "kernel"),
          (error) => error instanceof GloveboxError && error.code === "LEDGER_UNWRITABLE" && error.values["reason"] === "ENOSPC",
        );
        assert.equal((await ledger.append(refusedRecord(task, "AGAIN"), "synced")).seq, 1);
      }
      await ledger.close();
      return changes;
    };
    await opening(Number.POSITIVE_INFINITY);
    const changes = await opening(Number.POSITIVE_INFINITY);
    await opening(changes + 1);
    assert.equal((await verifyLedger({ directory })).exit, 0);
  });
});

test("openLedger() verifies the tree heads over the end that it checks, and leaves older ones to verifyLedger()", async () => {
  await withStateDirectory(async (directory) => {
    for (let session = 0; session < 8; session += 1) {
      await withLedger(ledgerOptions(directory), async (ledger) => {
        for (let count = 0; count < 20; count += 1) await ledger.append(refusedRecord(task, "A"), "kernel");
        await ledger.seal();
      });
    }
    const heads = await readFile(headsOf(directory));
    const notes = heads.toString("latin1").split("position ").length - 1;
    const afterFlipOf = async (index: number, check: () => Promise<unknown>): Promise<void> => {
      let at = -1;
      for (let note = 0; note <= index; note += 1) at = heads.indexOf("leaf ", at + 1);
      const flipped = Buffer.from(heads);
      flipped[at + 10] = (flipped[at + 10] ?? 0) ^ 1;
      await writeFile(headsOf(directory), flipped);
      await check();
      await writeFile(headsOf(directory), heads);
    };
    const open = async (): Promise<void> => (await openLedger(ledgerOptions(directory))).close();
    await afterFlipOf(0, async () => {
      await open();
      assert.equal((await verifyLedger({ directory })).exit, 1);
    });
    await afterFlipOf(notes - 1, () => assertInconsistent(directory, "the last head"));
    await afterFlipOf(notes - 2, () => assertInconsistent(directory, "the one before"));
    await open();
  });
});

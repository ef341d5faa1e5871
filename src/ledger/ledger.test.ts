// Unit tests of the ledger as its callers see it; the process-level ones are in test/ledger.
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, readdir, symlink, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { ErrorCode } from "../contracts/error-table.ts";
import { ProcessLock } from "../kit/process-lock.ts";
import { type DurableFiles, openLedger, openLedgerReader, verifyLedger } from "./ledger.ts";
import {
  decisionRecord,
  ledgerOptions,
  refusedRecord,
  seededBytes,
  taskNumber,
  unsyncedFiles,
  withLedger,
  withStateDirectory,
} from "./testing/ledger-fixture.ts";

const task = taskNumber(1);

function failsWith(code: ErrorCode, situation?: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof GloveboxError, String(error));
    assert.equal(error.code, code, error.message);
    if (situation !== undefined) assert.equal(error.situation, situation);
    return true;
  };
}

test("append() numbers records in call order, and the reader gives them back newest first", async () => {
  await withStateDirectory(async (directory) => {
    await withLedger(ledgerOptions(directory), async (ledger) => {
      const receipts = await Promise.all(
        Array.from({ length: 50 }, (_, index) => ledger.append(refusedRecord(task, `C${index}`), "kernel")),
      );
      assert.deepEqual(
        receipts.map(({ seq }) => seq),
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
    });
    const reader = openLedgerReader({ directory });
    assert.deepEqual(
      reader.list({ limit: 3 }).map(({ body }) => body["code"]),
      ["C49", "C48", "C47"],
    );
    assert.equal(reader.read(0).type, "log.opened");
    assert.equal(reader.task(task).length, 50);
    assert.equal((await verifyLedger({ directory })).exit, 0);
  });
});

test("append() stores details encrypted and redacted; the reader decrypts them", async () => {
  await withStateDirectory(async (directory) => {
    await withLedger(ledgerOptions(directory), async (ledger) => {
      await ledger.append(await decisionRecord(ledger, task, ["canary-word", "--password", "canary-secret"]), "synced");
    });
    const [record] = openLedgerReader({ directory }).list({ limit: 1 });
    assert.match(JSON.stringify(record?.detail), /"canary-word","--password","\[redacted:[0-9a-f]{8}\]"/u);
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      assert.ok(!(await readFile(path.join(entry.parentPath, entry.name))).includes("canary"), `${entry.name} shows a canary`);
    }
  });
});

test("commit() is equal for equal inputs of one task, also after reopening, and differs between tasks", async () => {
  await withStateDirectory(async (directory) => {
    const first = await withLedger(ledgerOptions(directory), async (ledger) => ledger.commit(task, "x"));
    await withLedger(ledgerOptions(directory, { randomBytes: seededBytes("other") }), async (ledger) => {
      assert.equal(await ledger.commit(task, Buffer.from("x")), first);
      assert.notEqual(await ledger.commit(taskNumber(2), "x"), first);
      const openCommitment = await ledger.openCommitments(task);
      const streaming = openCommitment();
      streaming.update(Buffer.from("x"));
      assert.equal(streaming.digest(), first);
      const nothing = await ledger.commit(task, "");
      assert.deepEqual([openCommitment().digest(), openCommitment().digest()], [nothing, nothing]);
      assert.notEqual((await ledger.openCommitments(taskNumber(2)))().digest(), nothing);
    });
  });
});

test("eraseTask() makes details unreadable, refuses new ones, and leaves every proof valid", async () => {
  await withStateDirectory(async (directory) => {
    await withLedger(ledgerOptions(directory), async (ledger) => {
      await ledger.append(await decisionRecord(ledger, task), "synced");
      await ledger.append(await decisionRecord(ledger, taskNumber(2)), "synced");
      const before = await ledger.seal();
      const next = await decisionRecord(ledger, task);
      await ledger.eraseTask(task);
      await ledger.eraseTask(task);
      await assert.rejects(ledger.append(next, "synced"), failsWith("LEDGER_VALUE_REFUSED", "ledger.task-erased"));
      await assert.rejects(ledger.commit(task, "x"), failsWith("LEDGER_VALUE_REFUSED"));
      await assert.rejects(ledger.eraseTask(taskNumber(3)), failsWith("TASK_UNKNOWN"));
      assert.ok((await ledger.seal()).size > before.size);
    });
    assert.deepEqual(await readdir(path.join(directory, "blobs", task)), ["erased"]);
    const reader = openLedgerReader({ directory });
    assert.equal(reader.read(1).detail, undefined);
    assert.ok(reader.read(2).detail);
    assert.equal((await verifyLedger({ directory })).exit, 0);
  });
});

test("append() refuses what breaks the schema and records nothing of it", async () => {
  await withStateDirectory(async (directory) => {
    await withLedger(ledgerOptions(directory), async (ledger) => {
      const refused: readonly unknown[] = [
        { type: "execution.refused", body: { code: "two words" } },
        { type: "execution.refused", body: { code: "X", more: 1 } },
        { type: "execution.refused", task: "t-1", body: { code: "X" } },
        { type: "execution.refused", body: { code: "X" }, detail: {} },
        { type: "execution.refused", task, body: { code: "X" }, detail: { half: "\ud800" } },
        { type: "execution.refused", task, body: { code: "X" }, detail: { big: "x".repeat((4 << 20) + 1) } },
        {
          type: "execution.opened",
          task,
          body: {
            sandbox: "s-000000000000-000000000000",
            layers: [],
            limits: Array.from({ length: 2000 }, () => ({ limit: "wall", strength: "held", allowed: 1 })),
            hostUid: 0,
          },
        },
        { type: "log.rotated", body: { segment: 1 } },
        { type: "nothing", body: {} },
      ];
      for (const record of refused) {
        await assert.rejects(
          ledger.append(record as never, "kernel"),
          failsWith("LEDGER_VALUE_REFUSED"),
          JSON.stringify(record).slice(0, 80),
        );
      }
      assert.equal((await ledger.append(refusedRecord(task, "GOOD"), "synced")).seq, 1);
    });
  });
});

test("two open ledgers on one directory interleave into one chain, over rotations and heads", async () => {
  await withStateDirectory(async (directory) => {
    const step = fc.record({ who: fc.nat(1), count: fc.integer({ min: 1, max: 5 }), seal: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const ledgers = await Promise.all(
          ["a", "b"].map((seed) => openLedger(ledgerOptions(directory, { segmentBytes: 2000, randomBytes: seededBytes(seed) }))),
        );
        for (const { who, count, seal } of steps) {
          const ledger = ledgers[who];
          assert.ok(ledger);
          await Promise.all(Array.from({ length: count }, (_, index) => ledger.append(refusedRecord(task, `W${who}-${index}`), "synced")));
          if (seal) await ledger.seal();
        }
        await Promise.all(ledgers.map((ledger) => ledger.close()));
        const report = await verifyLedger({ directory });
        assert.deepEqual([report.exit, report.findings], [0, []]);
      }),
      { numRuns: 6 },
    );
  });
});

test("openLedgerReader() refuses with a code what the system does not let it read", async () => {
  await withStateDirectory(async (directory) => {
    await mkdir(directory, { mode: 0o700 });
    // A file where the directory should be: also root is refused that.
    await writeFile(path.join(directory, "ledger"), "");
    const reader = openLedgerReader({ directory });
    for (const read of [() => reader.list({ limit: 1 }), () => reader.read(0), () => reader.task(task)]) {
      assert.throws(read, failsWith("LEDGER_UNREADABLE", "ledger.unreadable"));
    }
  });
});

test("verifyLedger() tells a ledger that never began from one of which a part is gone", async () => {
  await withStateDirectory(async (directory) => {
    const absent = await verifyLedger({ directory: path.join(directory, "nowhere") });
    assert.deepEqual([absent.exit, absent.findings.map(({ situation }) => situation)], [6, ["no-ledger"]]);
    await mkdir(path.join(directory, "tasks"), { recursive: true });
    assert.deepEqual((await verifyLedger({ directory })).findings[0]?.situation, "no-ledger");
    await mkdir(path.join(directory, "keys"));
    const partly = await verifyLedger({ directory });
    assert.ok(partly.exit !== 0 && partly.findings[0]?.situation !== "no-ledger");
  });
});

test("two open ledgers append at the same time without losing a record", async () => {
  await withStateDirectory(async (directory) => {
    const ledgers = await Promise.all(["a", "b"].map((seed) => openLedger(ledgerOptions(directory, { randomBytes: seededBytes(seed) }))));
    const receipts = await Promise.all(
      ledgers.flatMap((ledger, who) =>
        Array.from({ length: 100 }, (_, index) => ledger.append(refusedRecord(task, `W${who}-${index}`), "synced")),
      ),
    );
    assert.equal(new Set(receipts.map(({ seq }) => seq)).size, 200);
    await Promise.all(ledgers.map((ledger) => ledger.close()));
    const report = await verifyLedger({ directory });
    assert.deepEqual([report.exit, report.records], [0, 201]);
  });
});

test("a head is signed every thousand records without being asked for", async () => {
  await withStateDirectory(async (directory) => {
    await withLedger(ledgerOptions(directory), async (ledger) => {
      await Promise.all(Array.from({ length: 2500 }, (_, index) => ledger.append(refusedRecord(task, `C${index}`), "kernel")));
    });
    const report = await verifyLedger({ directory });
    assert.equal(report.exit, 0);
    assert.ok(report.treeHeads >= 3, `${report.treeHeads} heads`);
  });
});

test("append() sends details on to the device unasked, and a synced record counts only after them", async () => {
  await withStateDirectory(async (directory) => {
    const [began, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const order: string[] = [];
    const files: DurableFiles = {
      ...unsyncedFiles,
      syncPath: async () => {
        began.resolve();
        await may.promise;
        order.push("detail");
      },
      sync: async () => void order.push("log"),
    };
    const options = ledgerOptions(directory);
    await withLedger(options, async () => {}); // what a first start syncs is not asked about here
    await withLedger({ ...options, files }, async (ledger) => {
      await ledger.append(await decisionRecord(ledger, task), "kernel");
      await began.promise;
      const synced = ledger.append(refusedRecord(task, "C"), "synced");
      await nextTurn();
      may.resolve();
      await synced;
      assert.equal(order.indexOf("log"), order.length - 1, order.join(" "));
      assert.ok(order.length > 2, order.join(" "));
    });
  });
});

test("append() fails with STATE_BUSY when another process keeps the lock", async () => {
  await withStateDirectory(async (directory) => {
    await withLedger(ledgerOptions(directory, { lockWaitMs: 30 }), async (ledger) => {
      const lock = new ProcessLock(path.join(directory, "broker.lock"));
      const release = await lock.take(1000);
      await assert.rejects(ledger.append(refusedRecord(task, "X"), "kernel"), failsWith("STATE_BUSY"));
      release?.();
      lock.close();
      assert.equal((await ledger.append(refusedRecord(task, "X"), "kernel")).seq, 1);
    });
  });
});

test("append() after close() is refused", async () => {
  await withStateDirectory(async (directory) => {
    const ledger = await openLedger(ledgerOptions(directory));
    await ledger.close();
    await ledger.close();
    await assert.rejects(ledger.append(refusedRecord(task, "X"), "kernel"), failsWith("LEDGER_UNWRITABLE", "ledger.closed"));
    await assert.rejects(ledger.seal(), failsWith("LEDGER_UNWRITABLE", "ledger.closed"));
  });
});

test("openLedger() refuses state that others can reach, and says which", async () => {
  for (const name of [".", "keys", "ledger", "blobs", "quarantine", "keys/sign", "keys/seal", "VERSION"]) {
    await withStateDirectory(async (directory) => {
      await (await openLedger(ledgerOptions(directory))).close();
      await chmod(path.join(directory, name), name.includes("/") || name === "VERSION" ? 0o640 : 0o750);
      await assert.rejects(openLedger(ledgerOptions(directory)), failsWith("STATE_INSECURE", "ledger.state-open"), name);
    });
  }
});

test("openLedger() refuses a link in the place of a state directory", async () => {
  await withStateDirectory(async (directory) => {
    await mkdir(`${directory}-elsewhere`, { mode: 0o700 });
    await symlink(`${directory}-elsewhere`, directory);
    await assert.rejects(openLedger(ledgerOptions(directory)), failsWith("STATE_INSECURE", "ledger.state-not-directory"));
  });
});

test("openLedger() refuses another format's state and a mark that is missing", async () => {
  await withStateDirectory(async (directory) => {
    await withLedger(ledgerOptions(directory), async (ledger) => ledger.append(refusedRecord(task, "X"), "synced"));
    const version = path.join(directory, "VERSION");
    await writeFile(version, "2\n");
    await assert.rejects(openLedger(ledgerOptions(directory)), failsWith("STATE_VERSION", "ledger.version-unknown"));
    await unlink(version);
    await assert.rejects(openLedger(ledgerOptions(directory)), failsWith("STATE_VERSION", "ledger.version-missing"));
  });
});

test("openLedgerReader() of a directory without a ledger is empty and names what it does not know", async () => {
  await withStateDirectory(async (directory) => {
    const reader = openLedgerReader({ directory });
    assert.deepEqual(reader.list({ limit: 10 }), []);
    assert.throws(() => reader.read(0), failsWith("USAGE_INVALID", "ledger.record-unknown"));
    assert.throws(() => reader.task(task), failsWith("TASK_UNKNOWN"));
    assert.throws(() => reader.task("../x"), failsWith("TASK_UNKNOWN"));
  });
});

test("a record that nobody seals gets a signed head all the same, while its writer lives", async () => {
  await withStateDirectory(async (directory) => {
    await withLedger(ledgerOptions(directory, { headWithinMs: 1 }), async (ledger) => {
      const { seq } = await ledger.append(refusedRecord(task, "LEFT"), "kernel");
      const deadline = Date.now() + 20_000;
      for (;;) {
        const { exit, records, treeHeads } = await verifyLedger({ directory });
        assert.deepEqual([exit, records], [0, seq + 1]);
        if (treeHeads > 1) return; // the first is that of the empty log
        assert.ok(Date.now() < deadline, "no head came");
        await nextTurn();
      }
    });
  });
});

// The ledger between processes: two writers at once, writers that are killed, and a file size limit that stands for a full disk.
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { spawnProcess } from "../../src/kit/spawn.ts";
import { openLedger, openLedgerReader, verifyLedger } from "../../src/ledger/ledger.ts";
import { ledgerOptions, seededBytes, withStateDirectory } from "../../src/ledger/testing/ledger-fixture.ts";
import { compileCache } from "../fixtures/compile-cache.ts";

const writerFile = path.join(import.meta.dirname, "..", "fixtures", "ledger-writer.ts");

interface Writer {
  readonly child: ChildProcess;
  /** Lines so far. */
  readonly lines: readonly string[];
  /** Resolves with all lines when the process is gone. */
  readonly ended: Promise<readonly string[]>;
  /** Resolves when `count` lines were printed, or the process is gone. */
  printed(count: number): Promise<void>;
}

function watch(child: ChildProcess): Writer {
  assert.ok(child.stdout);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  const finish = async (): Promise<readonly string[]> => {
    await Promise.all([once(child, "exit"), once(reader, "close")]);
    return lines;
  };
  const ended = finish();
  const printed = async (count: number): Promise<void> => {
    const gone = { yet: false };
    void ended.then(() => (gone.yet = true));
    while (lines.length < count && !gone.yet) await Promise.race([once(reader, "line"), ended]);
  };
  return { child, lines, ended, printed };
}

function startWriter(directory: string, label: string, count: number): Writer {
  const args = [writerFile, directory, label, String(count)];
  return watch(spawnProcess(process.execPath, args, { environment: compileCache, stdio: ["ignore", "pipe", "inherit"] }));
}

/** Every line `<seq> <code>` must be in the log, with its details. */
function assertPromised(directory: string, lines: readonly string[]): number {
  const reader = openLedgerReader({ directory });
  const stored = new Map(reader.list({ limit: Number.POSITIVE_INFINITY }).map((record) => [record.seq, record]));
  const promised = lines.filter((line) => /^\d+ /u.test(line));
  for (const line of promised) {
    const [seq = "", code = ""] = line.split(" ");
    const record = stored.get(Number(seq));
    assert.equal(record?.body["code"], code, line);
    assert.deepEqual(record?.detail, { number: Number(code.split("-")[1]) }, line);
  }
  return promised.length;
}

test("two processes append 200 records each at once into one valid ledger", async () => {
  await withStateDirectory(async (directory) => {
    const writers = ["left", "right"].map((label) => startWriter(directory, label, 200));
    const writing = Promise.all(writers.map(({ ended }) => ended));
    await Promise.all(writers.map((writer) => writer.printed(2)));
    const gone = { yet: false };
    void writing.then(() => (gone.yet = true));
    let looks = 0;
    // A reader needs no lock: at worst it sees a write under way, which looks like a torn tail.
    for (; !gone.yet; looks += 1) {
      const meanwhile = await verifyLedger({ directory });
      assert.ok([0, 5].includes(meanwhile.exit), JSON.stringify(meanwhile.findings));
    }
    assert.ok(looks > 0);
    const lines = (await writing).flat();
    assert.equal(lines.filter((line) => line === "done").length, 2, lines.join("\n"));
    assert.equal(assertPromised(directory, lines), 400);
    const report = await verifyLedger({ directory });
    assert.deepEqual([report.exit, report.records, report.findings], [0, 401, []]);
  });
});

test("writers killed at any moment lose no promised record, and the next one goes on", async () => {
  await withStateDirectory(async (directory) => {
    const promised: string[] = [];
    let records = 0;
    for (let round = 0; round < 8; round += 1) {
      const writers = ["left", "right"].map((label) => startWriter(directory, `${label}${round}`, 100_000));
      // The place of the kill varies with the round: from the very making of the ledger to deep in the appends.
      await Promise.all(writers.map((writer, index) => writer.printed(round * (7 + 6 * index))));
      for (const { child } of writers) child.kill("SIGKILL");
      promised.push(...(await Promise.all(writers.map(({ ended }) => ended))).flat());
      const before = await verifyLedger({ directory });
      assert.ok(round === 0 || [0, 5].includes(before.exit), `round ${round}: ${JSON.stringify(before.findings)}`);
      const ledger = await openLedger(ledgerOptions(directory, { randomBytes: seededBytes(`round ${round}`) }));
      await ledger.seal();
      await ledger.close();
      const report = await verifyLedger({ directory });
      assert.ok([0, 5].includes(report.exit), `round ${round}: ${JSON.stringify(report.findings)}`);
      assert.ok(report.records >= records);
      records = report.records;
    }
    const kept = assertPromised(directory, promised);
    assert.ok(kept >= 200, `only ${kept} records were promised before the kills`);
  });
});

test("a writer whose files may not grow says LEDGER_UNWRITABLE and loses nothing", async () => {
  await withStateDirectory(async (directory) => {
    // The signal is ignored so that the write fails with EFBIG instead, as it would with ENOSPC on a full disk.
    const script = 'trap "" XFSZ; ulimit -f 40; exec "$@"';
    const args = ["-c", script, "sh", process.execPath, writerFile, directory, "full", "100000"];
    const lines = await watch(spawnProcess("/bin/sh", args, { environment: compileCache, stdio: ["ignore", "pipe", "inherit"] })).ended;
    assert.equal(lines.at(-1), "failed LEDGER_UNWRITABLE");
    const kept = assertPromised(directory, lines);
    assert.ok(kept > 10, `${kept} records`);
    assert.deepEqual((await verifyLedger({ directory })).findings, []);
    const after = await startWriter(directory, "after", 8).ended;
    assert.equal(after.at(-1), "done");
    assert.equal(assertPromised(directory, [...lines, ...after]), kept + 8);
    assert.equal((await verifyLedger({ directory })).exit, 0);
  });
});

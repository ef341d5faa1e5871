// Makes the ledger vectors: language-neutral files with one good ledger of each kind and one for each way to tamper.
// Everything is fixed (clock, keys, randomness), so the output is. Run by itself it rewrites the files beside it.
import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { durableFiles, openLedger } from "../../../src/ledger/ledger.ts";
import {
  decisionRecord,
  ledgerOptions,
  refusedRecord,
  seededBytes,
  taskNumber,
  withLedger,
  withStateDirectory,
} from "../../../src/ledger/testing/ledger-fixture.ts";
import { type Files, headOver, headsOf, rechain, recordsOf, signerFrom, withHeads, withRecords } from "./forge.ts";

export interface Vector {
  readonly name: string;
  readonly why: string;
  /** Path below the state directory -> base64. */
  readonly files: Readonly<Record<string, string>>;
  /** Content of the file that a verifier is told to trust. */
  readonly publicKey: string;
  readonly expect: { readonly exit: number; readonly seq?: number };
}

interface Case {
  readonly name: string;
  readonly why: string;
  readonly files: Files;
  readonly exit: number;
  readonly seq?: number;
}

const segment = "ledger/segment-00000000.log";
const heads = "ledger/heads.log";

/** What of a state directory a vector holds: no private keys. */
async function collect(directory: string): Promise<Files> {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .filter((name) => /^(?:ledger|blobs|VERSION)/u.test(name))
    .toSorted();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(path.join(directory, name))] as const)));
}

/** Two tasks, eight records, heads over 1, 5 and 8 of them. */
async function fill(directory: string, changes: { readonly segmentBytes?: number } = {}): Promise<void> {
  await withLedger(ledgerOptions(directory, changes), async (ledger) => {
    const [first, second] = [taskNumber(1), taskNumber(2)];
    await ledger.append(await decisionRecord(ledger, first), "synced");
    for (const code of ["ONE", "TWO"]) await ledger.append(refusedRecord(first, code), "synced");
    await ledger.append(await decisionRecord(ledger, second, ["node", "--version"]), "synced");
    await ledger.seal();
    for (const code of ["THREE", "FOUR", "FIVE"]) await ledger.append(refusedRecord(second, code), "synced");
    await ledger.seal();
  });
}

async function good(): Promise<{ readonly files: Files; readonly publicKey: string }> {
  return withStateDirectory(async (directory) => {
    await fill(directory);
    return { files: await collect(directory), publicKey: await readFile(path.join(directory, "keys", "sign.pub"), "utf8") };
  });
}

async function rotated(): Promise<Files> {
  return withStateDirectory(async (directory) => {
    await fill(directory, { segmentBytes: 1200 });
    return collect(directory);
  });
}

async function erased(): Promise<Files> {
  return withStateDirectory(async (directory) => {
    await fill(directory);
    await withLedger(ledgerOptions(directory, { randomBytes: seededBytes("erased") }), async (ledger) => {
      await ledger.eraseTask(taskNumber(1));
      await ledger.seal();
    });
    return collect(directory);
  });
}

async function recovered(torn: Buffer): Promise<Files> {
  return withStateDirectory(async (directory) => {
    await fill(directory);
    const descriptor = durableFiles.openLog(path.join(directory, segment));
    durableFiles.append(descriptor, torn);
    const ledger = await openLedger(ledgerOptions(directory, { randomBytes: seededBytes("recovered") }));
    await ledger.seal();
    await ledger.close();
    return collect(directory);
  });
}

const bytesOf = (files: Files, name: string): Buffer => files[name] ?? Buffer.alloc(0);

function replaced(records: readonly Buffer[], index: number, change: (text: string) => string): Buffer[] {
  return records.map((record, at) => (at === index ? Buffer.from(change(record.toString("latin1")), "latin1") : record));
}

/** Nothing but the bytes changes: what a hex editor does. */
function editedInPlace(files: Files): Files {
  const bytes = Buffer.from(bytesOf(files, segment));
  bytes.write("XWO", bytes.indexOf('"code":"TWO"') + '"code":"'.length);
  return { ...files, [segment]: bytes };
}

function recordCases(files: Files): readonly Case[] {
  const records = recordsOf(files);
  const altered = replaced(records, 3, (text) => text.replace('"code":"TWO"', '"code":"XWO"'));
  const swapped = [...records.slice(0, 3), ...records.slice(4, 5), ...records.slice(3, 4), ...records.slice(5)];
  const without = records.filter((_, index) => index !== 3);
  const foreign = replaced(records, 6, (text) => text.replace(/"log":"l-[0-9a-f]{32}"/u, `"log":"l-${"0".repeat(32)}"`));
  const doubled = [...records.slice(0, 4), ...records.slice(3)];
  return [
    { name: "altered", why: "one byte of a record changed", files: editedInPlace(files), exit: 1, seq: 3 },
    {
      name: "altered-checksum-fixed",
      why: "a record changed and its checksum made right",
      files: withRecords(files, altered),
      exit: 1,
      seq: 3,
    },
    {
      name: "altered-chain-fixed",
      why: "a record changed, checksums and chain made right, heads left",
      files: withRecords(files, rechain(altered)),
      exit: 1,
      seq: 1,
    },
    { name: "reordered", why: "two records changed places", files: withRecords(files, swapped), exit: 1, seq: 3 },
    {
      name: "reordered-chain-fixed",
      why: "two records changed places, numbers and chain made right",
      files: withRecords(files, rechain(swapped, true)),
      exit: 1,
      seq: 1,
    },
    { name: "removed", why: "one record taken out", files: withRecords(files, without), exit: 4, seq: 3 },
    {
      name: "removed-chain-fixed",
      why: "one record taken out, numbers and chain made right",
      files: withRecords(files, rechain(without, true)),
      exit: 1,
      seq: 1,
    },
    { name: "inserted", why: "a record stands twice", files: withRecords(files, doubled), exit: 1, seq: 3 },
    {
      name: "inserted-chain-fixed",
      why: "a record put in, numbers and chain made right",
      files: withRecords(files, rechain(doubled, true)),
      exit: 1,
      seq: 1,
    },
    { name: "other-log", why: "a record says that it belongs to another log", files: withRecords(files, foreign), exit: 1, seq: 6 },
    {
      name: "truncated",
      why: "the last records cut off at a record's end",
      files: withRecords(files, records.slice(0, 6)),
      exit: 2,
      seq: 6,
    },
    {
      name: "truncated-inside",
      why: "cut off inside a signed record",
      files: { ...files, [segment]: bytesOf(files, segment).subarray(0, -20) },
      exit: 2,
      seq: 7,
    },
    { name: "emptied", why: "all records gone, heads left", files: { ...files, [segment]: Buffer.alloc(0) }, exit: 2, seq: 0 },
  ];
}

/** Bytes that the rightful key signed, but that two readers could understand differently. */
function insiderCases(files: Files, seed: Uint8Array, name: string): readonly Case[] {
  const signer = signerFrom(seed, name);
  const signed = (change: (text: string) => string): Files => {
    const records = rechain(replaced(recordsOf(files), 3, change));
    return withHeads(withRecords(files, records), headOver(records, signer));
  };
  const cases: readonly [string, string, (text: string) => string][] = [
    ["duplicate-keys", "a signed record names a member twice", (text) => text.replace('"type":', '"type":"execution.closed","type":')],
    ["lone-surrogate", "a signed record holds half a character", (text) => text.replace('"code":"TWO"', String.raw`"code":"\ud800"`)],
    ["not-utf8", "a signed record holds bytes that are no UTF-8", (text) => text.replace('"code":"TWO"', '"code":"\u00ff\u00fe"')],
    ["not-canonical", "a signed record holds white space", (text) => text.replace('"code":"TWO"', '"code": "TWO"')],
    ["not-json", "a signed record is no JSON", (text) => text.replace('"code":"TWO"', '"code":TWO')],
  ];
  return cases.map(([caseName, why, change]) => ({ name: caseName, why, files: signed(change), exit: 6, seq: 3 }));
}

function headCases(files: Files, seed: Uint8Array, name: string): readonly Case[] {
  const signer = signerFrom(seed, name);
  const notes = headsOf(files);
  const records = recordsOf(files);
  const other = rechain(replaced(records, 3, (text) => text.replace('"code":"TWO"', '"code":"XWO"')));
  const thief = signerFrom(seededBytes("thief")(32), name);
  const thiefHeads = [1, 5, 8].map((size) => headOver(other, thief, size)).join("");
  const grown = notes.map((note) => note.replace("\n8\n", "\n9\n")).join("");
  const tornHead = bytesOf(files, heads).subarray(0, -30);
  return [
    {
      name: "forked",
      why: "the rightful key signed two different logs of one size",
      files: withHeads(files, [...notes, headOver(other, signer)].join("")),
      exit: 1,
    },
    {
      name: "rekeyed",
      why: "a record changed and everything signed anew with another key",
      files: withHeads(withRecords(files, other), thiefHeads),
      exit: 3,
    },
    { name: "tampered-head", why: "a tree head says another size than was signed", files: withHeads(files, grown), exit: 1 },
    {
      name: "head-of-other-root",
      why: "the rightful key signed a root that is not this log's",
      files: withHeads(files, headOver(other, signer)),
      exit: 1,
    },
    { name: "heads-reversed", why: "tree heads in the wrong order", files: withHeads(files, notes.toReversed().join("")), exit: 1 },
    { name: "heads-removed", why: "no tree head at all", files: withHeads(files, ""), exit: 2 },
    {
      name: "heads-garbage",
      why: "text that is no tree head between tree heads",
      files: withHeads(files, `${notes[0] ?? ""}x\n\ny\n${notes[1] ?? ""}`),
      exit: 1,
    },
    { name: "torn-head", why: "killed while a tree head was written", files: { ...files, [heads]: tornHead }, exit: 5 },
  ];
}

function tornCases(files: Files): readonly Case[] {
  const records = recordsOf(files);
  const next = bytesOf(withRecords({}, records.slice(-1)), segment);
  const tail = (bytes: Buffer): Files => ({ ...files, [segment]: Buffer.concat([bytesOf(files, segment), bytes]) });
  const wrong = Buffer.from(next);
  wrong.write("?", 20);
  return [
    { name: "torn-header", why: "killed after five bytes of a record", files: tail(next.subarray(0, 5)), exit: 5, seq: 8 },
    { name: "torn-tail", why: "killed in the middle of a record", files: tail(next.subarray(0, 100)), exit: 5, seq: 8 },
    { name: "torn-newline", why: "killed before the last byte of a record", files: tail(next.subarray(0, -1)), exit: 5, seq: 8 },
    { name: "torn-content", why: "power cut: the record's extent is there, its content is not", files: tail(wrong), exit: 5, seq: 8 },
  ];
}

function otherCases(files: Files, more: { readonly rotated: Files; readonly erased: Files; readonly recovered: Files }): readonly Case[] {
  const blob = Object.keys(files).find((name) => /^blobs\/.*\/[0-9a-f]{64}$/u.test(name)) ?? "";
  const changed = Buffer.from(bytesOf(files, blob));
  changed[20] = (changed[20] ?? 0) ^ 1;
  const without = (all: Files, gone: string): Files => Object.fromEntries(Object.entries(all).filter(([name]) => name !== gone));
  return [
    { name: "good", why: "nothing wrong: eight records, three tree heads", files, exit: 0 },
    { name: "good-rotated", why: "nothing wrong: several segments", files: more.rotated, exit: 0 },
    { name: "good-erased", why: "nothing wrong: one task's details were erased", files: more.erased, exit: 0 },
    { name: "recovered", why: "a torn tail was quarantined and recorded", files: more.recovered, exit: 5, seq: 8 },
    {
      name: "segment-missing",
      why: "a segment in the middle is gone",
      files: without(more.rotated, "ledger/segment-00000001.log"),
      exit: 4,
    },
    { name: "altered-blob", why: "a detail beside the log was changed", files: { ...files, [blob]: changed }, exit: 1 },
    { name: "blob-missing", why: "a detail is gone though its task was not erased", files: without(files, blob), exit: 4 },
    { name: "nothing", why: "there is no ledger", files: {}, exit: 6 },
  ];
}

/** All vectors, in order of their names. */
export async function generateVectors(): Promise<readonly Vector[]> {
  const base = await good();
  const { files, publicKey } = base;
  // The writer draws the log's name first, then the signing key's seed.
  const draw = seededBytes("ledger");
  const name = `glovebox/l-${Buffer.from(draw(16)).toString("hex")}`;
  const seed = draw(32);
  const torn = bytesOf(withRecords({}, recordsOf(files).slice(-1)), segment).subarray(0, 77);
  const more = { rotated: await rotated(), erased: await erased(), recovered: await recovered(torn) };
  const cases = [
    ...otherCases(files, more),
    ...recordCases(files),
    ...insiderCases(files, seed, name),
    ...headCases(files, seed, name),
    ...tornCases(files),
  ];
  const vectors = cases.map(({ name: caseName, why, files: caseFiles, exit, seq }) => ({
    name: caseName,
    why,
    files: Object.fromEntries(Object.entries(caseFiles).map(([file, bytes]) => [file, bytes.toString("base64")])),
    publicKey,
    expect: seq === undefined ? { exit } : { exit, seq },
  }));
  return vectors.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

export const vectorText = (vector: Vector): string => `${JSON.stringify(vector, null, 2)}\n`;

if (import.meta.main) {
  for (const vector of await generateVectors()) {
    await writeFile(path.join(import.meta.dirname, `${vector.name}.json`), vectorText(vector));
  }
}

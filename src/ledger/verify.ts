// Proves a ledger against its signed tree heads. Independent: it shares no code with the writer, only the format (docs and vectors
// say what that is), so one mistake cannot hide in both. Reads only; takes no lock; never throws. INVARIANT I-11
//
// Exit codes: 0 ok, 1 altered, 2 truncated, 3 unknown key, 4 gap, 5 torn write (recovered or not yet), 6 unreadable.
// A finding's sentence is `ledger.finding.<situation>`. Records after the last tree head are held by the chain alone.
// It cannot see a log that was cut together with its heads: keep a tree head elsewhere, or the log's size, to notice that.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { VerifyReport } from "../contracts/door.ts";
import { findNoLedger } from "./verify/begun.ts";
import { checkArtifacts, checkBlob, readIfThere, readSettled, segmentNames } from "./verify/directory.ts";
import { groupHeads } from "./verify/group-heads.ts";
import { type Head, type HeadList, type VerifierKey, parseHeads, parseVerifierKeys } from "./verify/notes.ts";
import { type Finding, Walk } from "./verify/walk.ts";

/** Which of several findings names the exit code: the worst first. */
const severity = [1, 3, 2, 4, 6, 5] as const;
const headsName = "heads.log";
const recordsPerTurn = 2000;
const mostFindings = 1000;

export interface VerifyOptions {
  /** The state directory, or a copy of it; needs `ledger/`, and `blobs/` for the blobs to be compared. */
  readonly directory: string;
  /** Verifier keys (C2SP form, one a line) that the caller trusts. Without it the directory's own `keys/sign.pub` is believed. */
  readonly publicKeyFile?: string;
}

function report(findings: readonly Finding[], facts: Pick<VerifyReport, "records" | "treeHeads" | "root">): VerifyReport {
  const exit = severity.find((code) => findings.some((finding) => finding.exit === code)) ?? 0;
  return { exit, ...facts, findings: findings.slice(0, mostFindings) };
}

function onHeads(exit: Finding["exit"], situation: string, seq: number): Finding {
  return { exit, segment: headsName, seq, situation, values: { seq, segment: headsName } };
}

async function readKeys(options: VerifyOptions): Promise<readonly VerifierKey[] | Finding> {
  if (options.publicKeyFile === undefined) {
    const own = await readIfThere(path.join(options.directory, "keys", "sign.pub"));
    return (own && parseVerifierKeys(own.toString("utf8"))) ?? onHeads(3, "no-key", 0);
  }
  try {
    return parseVerifierKeys(await readFile(options.publicKeyFile, "utf8")) ?? onHeads(6, "key-unreadable", 0);
  } catch {
    // fails closed because a key that was asked for and cannot be read must not be replaced by the log's own
    return onHeads(6, "key-unreadable", 0);
  }
}

/** What the heads say of themselves, before any record is looked at. */
function judgeHeads(list: HeadList): readonly Finding[] {
  const findings: Finding[] = [];
  let size = 0;
  for (const head of list.heads) {
    const seq = Math.max(0, head.size - 1);
    if (head.signature === "unknown") findings.push(onHeads(3, "unknown-key", seq));
    if (head.signature === "forged") findings.push(onHeads(1, "forged-head", seq));
    if (head.size < size) findings.push(onHeads(1, "head-out-of-order", seq));
    size = Math.max(size, head.size);
  }
  if (list.stopped === "damaged") findings.push(onHeads(1, "damaged-head", size));
  if (list.stopped === "torn") findings.push(onHeads(5, "torn-head", size));
  if (list.heads.length === 0) findings.push(onHeads(2, "no-heads", 0));
  return findings;
}

/** Compares each trusted head with the tree when it has that size. */
class HeadCheck {
  readonly findings: Finding[] = [];
  readonly #bySize = new Map<number, Set<string>>();
  readonly signedSize: number;
  #proven = 0;

  constructor(heads: readonly Head[]) {
    for (const { size, root } of heads) {
      const roots = this.#bySize.get(size) ?? new Set<string>();
      this.#bySize.set(size, roots.add(root.toString("hex")));
    }
    this.signedSize = Math.max(0, ...heads.map(({ size }) => size));
  }

  compare(size: number, rootOf: () => Buffer): void {
    const promised = this.#bySize.get(size);
    if (promised === undefined) return;
    const root = rootOf().toString("hex");
    if (promised.size === 1 && promised.has(root)) {
      this.#proven = size;
      return;
    }
    const situation = promised.has(root) ? "forked" : "root-differs";
    const values = { seq: this.#proven, segment: headsName, from: this.#proven, to: size - 1 };
    this.findings.push({ exit: 1, segment: headsName, seq: this.#proven, situation, values });
  }
}

async function walkSegments(directory: string, check: HeadCheck): Promise<Walk> {
  const walk = new Walk({
    signedSize: check.signedSize,
    onSize: (tree) => {
      check.compare(tree.size, () => tree.root());
    },
  });
  const names = await segmentNames(directory);
  for (const [index, name] of names.entries()) {
    const bytes = await readSettled(path.join(directory, "ledger", name));
    const segment = { name, last: index === names.length - 1 };
    for (let at = 0; at < bytes.length;) {
      at = walk.step(bytes, at, segment);
      if (walk.records % recordsPerTurn === 0) await nextTurn();
    }
  }
  return walk;
}

function compareSizes(walk: Walk, check: HeadCheck, heads: readonly Head[]): readonly Finding[] {
  const findings: Finding[] = [];
  const { expected } = walk;
  if (expected < check.signedSize) {
    const values = { seq: expected, segment: headsName, records: expected, signed: check.signedSize };
    findings.push({ exit: 2, segment: headsName, seq: expected, situation: "truncated", values });
  }
  const foreign = heads.find(
    ({ origin, signature }) => signature === "good" && walk.log !== undefined && origin !== `glovebox/${walk.log}`,
  );
  if (foreign !== undefined) findings.push(onHeads(1, "head-of-other-log", Math.max(0, foreign.size - 1)));
  return findings;
}

/** What the records speak of and lies beside them. */
async function verifyBeside(directory: string, walk: Walk): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const mention of walk.blobs) {
    const finding = await checkBlob(directory, mention);
    if (finding !== undefined) findings.push(finding);
  }
  for (const mention of walk.artifacts) {
    const finding = await checkArtifacts(directory, mention);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

async function run(options: VerifyOptions): Promise<VerifyReport> {
  const nothing = await findNoLedger(options.directory);
  if (nothing !== undefined) return report([nothing], { records: 0, treeHeads: 0, root: "" });
  const keys = await readKeys(options);
  if ("exit" in keys) return report([keys], { records: 0, treeHeads: 0, root: "" });
  // Heads first: a head never covers records that are not written yet.
  const headBytes = await readIfThere(path.join(options.directory, "ledger", headsName));
  const list = parseHeads(headBytes ?? Buffer.alloc(0), keys);
  const check = new HeadCheck(list.heads.filter(({ signature }) => signature === "good"));
  const walk = await walkSegments(options.directory, check);
  const findings = [
    ...walk.findings,
    ...groupHeads(check.findings),
    ...groupHeads(judgeHeads(list)),
    ...compareSizes(walk, check, list.heads),
  ];
  findings.push(...(await verifyBeside(options.directory, walk)));
  return report(findings, {
    records: walk.records,
    treeHeads: list.heads.length,
    root: walk.whole ? walk.tree.root().toString("hex") : "",
  });
}

/** Verifies a whole ledger. Never throws: what cannot be read is a finding with exit 6. */
export async function verifyLedger(options: VerifyOptions): Promise<VerifyReport> {
  try {
    return await run(options);
  } catch (error) {
    // fails closed because a ledger that cannot be read is not a good one
    const reason = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
    const values = { seq: 0, segment: "", path: options.directory, reason };
    return report([{ exit: 6, segment: "", seq: 0, situation: "unreadable", values }], { records: 0, treeHeads: 0, root: "" });
  }
}
